"""Generator of ``docs/cli.md`` from the commands' help: ``python -m provhouse.cli.reference``."""

import sys
from collections.abc import Iterator
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from .app import app
from .command_groups import OLD_NAMES, grouped


def document() -> str:
    """Return the command-line reference as Markdown."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    yield "# Command-line reference"
    yield "This page is generated from the help of each command, by"
    yield "`python -m provhouse.cli.reference > docs/cli.md`.\n"
    yield "The JSON of `ingest`, `lineage`, `impact`, `path`, `find`, `diff`, `list`,"
    yield "`retract`, `forget`, `tidy`, `export` and `status` is described by the"
    yield "schemas in `output/schemas`. Names are exact in JSON; tables show control characters"
    yield "escaped. `--format jsonl` writes an answer as one line with everything except its rows,"
    yield "then one line for each item and each triple.\n"
    yield "See also: [questions](questions.md) for the meaning of each filter,"
    yield "[retracting](retracting.md) and [erasing](erasing.md).\n"
    with group.make_context("provhouse", [], resilient_parsing=True, max_content_width=80) as root:
        yield from _block("provhouse", group.get_help(root))
        for name in (name for lines in grouped(group.commands).values() for name in lines):
            yield from _command(f"provhouse {name}", group.commands[name], root)
        yield "\n## Earlier names"
        yield "These names work, with the same output and exit status. Each has its own help.\n"
        yield "| earlier name | use |"
        yield "|---|---|"
        for old, new in OLD_NAMES.items():
            yield f"| `provhouse {old}` | `provhouse {new}` |"


def _command(title: str, command: Any, parent: Any) -> Iterator[str]:
    """Yield the help of a command, and of the commands below it."""
    name = title.rpartition(" ")[2]
    with command.make_context(name, [], parent=parent, resilient_parsing=True) as ctx:
        yield from _block(title, command.get_help(ctx))
        for below, each in getattr(command, "commands", {}).items():
            yield from _command(f"{title} {below}", each, ctx)


def _block(title: str, text: str) -> Iterator[str]:
    yield f"\n## {title}\n```"
    yield from (line.rstrip() for line in text.splitlines())
    yield "```"


if __name__ == "__main__":
    sys.stdout.write(document())
