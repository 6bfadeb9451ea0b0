"""``lineage`` and ``impact``: one item, or many from a file."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.output.form import Form
from provhouse.output.output import Absent, opened
from provhouse.query.question import Direction, Method, Question

from .invocation import AsOfOption, FormOption, invocation, utf8

if TYPE_CHECKING:
    from provhouse.query.answer import Answer

_Item = Annotated[
    str | None,
    typer.Argument(
        metavar="ITEM",
        help="The name of an item; one that begins with - stands behind --.",
        show_default=False,
    ),
]
_Items = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Ask for many: one name a line, UTF-8; - reads standard input."
    ),
]
_Method = Annotated[Method, typer.Option(help="How to search; all methods give the same answer.")]
_Depth = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="At most so many hops from item to item.")
]
_Timing = Annotated[
    bool, typer.Option("--timing", help="Let a table show how long each step took.")
]
_Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write there, as its ending says: .json or .csv."),
]


def lineage(
    ctx: typer.Context,
    item: _Item = None,
    items: _Items = None,
    method: _Method = "auto",
    depth: _Depth = None,
    as_of: AsOfOption = None,
    timing: _Timing = False,
    form: FormOption = None,
    out: _Out = None,
) -> None:
    """Where an item comes from: all that is upstream of it.

    JSON holds items and triples, CSV the items (item, table, depth). With --items, JSON is one
    object a line, and CSV has the asked name first; names that are not held make exit status 3.
    """
    _ask(ctx, "upstream", item, items, method, depth, as_of, timing, form, out)


def impact(
    ctx: typer.Context,
    item: _Item = None,
    items: _Items = None,
    method: _Method = "auto",
    depth: _Depth = None,
    as_of: AsOfOption = None,
    timing: _Timing = False,
    form: FormOption = None,
    out: _Out = None,
) -> None:
    """What an item reached: all that is downstream of it.

    Options and forms are those of lineage.
    """
    _ask(ctx, "downstream", item, items, method, depth, as_of, timing, form, out)


def _ask(
    ctx: typer.Context,
    direction: Direction,
    item: str | None,
    items: Path | None,
    method: Method,
    depth: int | None,
    as_of: str | None,
    timing: bool,
    form: Form | None,
    out: Path | None,
) -> None:
    if (item is None) == (items is None):
        raise UsageError(
            "One item should be named, or a file of them with --items",
            "Neither is" if item is None else "Both are",
        )
    names = [utf8(item, "An item's name")] if item is not None else _names(items)
    settings = invocation(ctx).settings()

    from provhouse.query.ask import Asker

    from .listening import listening

    absent: list[str] = []
    with (
        opened(form, out, timing) as output,
        listening() as progress,
        Asker(settings, progress, as_of) as asker,
    ):

        def ask(name: str) -> "Answer":
            return asker.answer(Question(name, direction, method, depth, as_of))

        if items is None:
            answer = ask(names[0])
            progress.rest()
            output.answer(answer)
        else:
            output.answers(_replies(ask, names, absent, progress.rest))
    if absent:
        raise NotFound(
            f"All {len(names):,} items should be held",
            f"{len(absent):,} {'is' if len(absent) == 1 else 'are'} not, the first {absent[0]!r}",
        )


def _replies(
    ask: "Callable[[str], Answer]", names: list[str], absent: list[str], rest: Callable[[], None]
) -> "Iterator[Answer | Absent]":
    """The replies in order, each asked for when it is wanted; ``absent`` takes what is not held."""
    for name in names:
        reply: Answer | Absent
        try:
            reply = ask(name)
        except NotFound:
            absent.append(name)
            reply = Absent(name)
        rest()
        yield reply


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
