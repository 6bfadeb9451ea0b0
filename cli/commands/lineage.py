"""``lineage`` and ``impact``: one item, or many from a file."""

import inspect
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.model.question import Direction, Question

from ..filter_options import question_fields, question_options
from ..invocation import invocation
from ..options import FormOption, OutOption, SafeOption, utf8
from ..questions import OutputOptions, answer, answer_many, lineage_request


def _command(name: str, direction: Direction, text: str) -> Callable[..., None]:
    """The command that asks in one direction, with the options of ``question_options``."""

    def command(
        ctx: typer.Context,
        item: Annotated[
            str | None,
            typer.Argument(
                metavar="ITEM",
                help="The name of an item; one that begins with - stands behind --.",
                show_default=False,
            ),
        ] = None,
        items: Annotated[
            Path | None,
            typer.Option(
                metavar="FILE", help="Ask for many: one name a line, UTF-8; - reads standard input."
            ),
        ] = None,
        timing: Annotated[
            bool, typer.Option("--timing", help="Let a table show how long each step took.")
        ] = False,
        form: FormOption = None,
        out: OutOption = None,
        safe: SafeOption = False,
        **options: Any,
    ) -> None:
        question = partial(Question, direction=direction, **question_fields(**options))
        _ask(ctx, question, item, items, OutputOptions(form, out, timing, safe))

    ctx, item, items, *output, _ = inspect.signature(command).parameters.values()
    parameters = [ctx, item, items, *question_options(direction), *output]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__name__, command.__doc__ = name, text
    return command


lineage = _command(
    "lineage",
    "upstream",
    """Where an item comes from: all that is upstream of it.

    JSON holds items and triples, CSV the items (item, table, depth). With --items, JSON is one
    object a line, and CSV has the asked name first; names that are not held make exit status 3.

    Filters go together: what is shown passes all of them. Of --table and --op any one of those
    named will do, and of --where any value of the same key. Items that an op or an attribute is
    asked for are the ends of such triples, triples of a table those that touch its items.
    """,
)
impact = _command(
    "impact",
    "downstream",
    """What an item reached: all that is downstream of it.

    Options and forms are those of lineage; --sinks takes the place of --sources.
    """,
)


def _ask(
    ctx: typer.Context,
    question: Callable[[str], Question],
    item: str | None,
    items: Path | None,
    output: OutputOptions,
) -> None:
    if (item is None) == (items is None):
        raise UsageError(
            "One item should be named, or a file of them with --items",
            "Neither is" if item is None else "Both are",
        )
    names = [utf8(item, "An item's name")] if item is not None else _names(items)
    settings = invocation(ctx).settings()
    if items is None:
        answer(settings, lineage_request(question(names[0])), output)
    elif absent := answer_many(settings, [question(name) for name in names], output):
        number = "1 is" if absent.count == 1 else f"{absent.count:,} are"
        raise NotFound(
            f"All {len(names):,} items should be held", f"{number} not, the first {absent.first!r}"
        )


def _names(file: Path | None) -> list[str]:
    """The names in a file, one a line; a name can't be empty, so that empty lines are none."""
    assert file is not None
    try:
        content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{file} should hold one name a line, in UTF-8", f"It can't be read: {error}"
        ) from error
    return [name for line in text.split("\n") if (name := line.removesuffix("\r"))]
