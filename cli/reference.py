"""Writes ``docs/cli.md`` from the help of every command: ``python -m provhouse.cli.reference``."""

import sys
from collections.abc import Iterator

from typer.core import TyperGroup
from typer.main import get_command

from .app import app


def document() -> str:
    """The whole page, as Markdown."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    yield "# The command"
    yield "Made by `python -m provhouse.cli.reference > docs/cli.md` from the help of each command."
    yield "The JSON of `ingest`, `lineage`, `impact`, `path`, `find`, `explain`, `diff`,"
    yield "`generations`, `retract`, `forget`, `prune`, `export` and `status` is described by the"
    yield "schemas in `output/schemas`; names in it are exact, tables show control characters"
    yield "escaped. `--format jsonl` gives an answer as a line with all but its rows, then a line"
    yield "for each item and each triple.\n"
    yield "[Questions](questions.md) says what each filter means, [retracting](retracting.md) what"
    yield "ends and what stays, [erasing](erasing.md) what goes for good."
    with group.make_context("provhouse", [], resilient_parsing=True, max_content_width=80) as root:
        yield from _block("provhouse", group.get_help(root))
        for name, command in group.commands.items():
            with command.make_context(name, [], parent=root, resilient_parsing=True) as ctx:
                yield from _block(f"provhouse {name}", command.get_help(ctx))


def _block(title: str, text: str) -> Iterator[str]:
    yield f"\n## {title}\n```"
    yield from (line.rstrip() for line in text.splitlines())
    yield "```"


if __name__ == "__main__":
    sys.stdout.write(document())
