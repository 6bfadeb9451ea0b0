"""``lineage`` and ``impact``: one item, or many from a file."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.model.question import Method, Question

from ..filter_options import (
    LimitOption,
    OpOption,
    SummaryOption,
    TableOption,
    ThroughOption,
    WhereOption,
    filters,
)
from ..invocation import AsOfOption, FormOption, OutOption, SafeOption, invocation, utf8
from ..questions import Look, about, answered, many

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
_Sources = Annotated[
    bool, typer.Option("--sources", help="Only items that derive from nothing themselves.")
]
_Sinks = Annotated[bool, typer.Option("--sinks", help="Only items that nothing derives from.")]


def lineage(
    ctx: typer.Context,
    item: _Item = None,
    items: _Items = None,
    method: _Method = "auto",
    depth: _Depth = None,
    through: ThroughOption = None,
    table: TableOption = None,
    op: OpOption = None,
    where: WhereOption = None,
    sources: _Sources = False,
    limit: LimitOption = None,
    summary: SummaryOption = False,
    as_of: AsOfOption = None,
    timing: _Timing = False,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Where an item comes from: all that is upstream of it.

    JSON holds items and triples, CSV the items (item, table, depth). With --items, JSON is one
    object a line, and CSV has the asked name first; names that are not held make exit status 3.

    Filters go together: what is shown passes all of them. Of --table and --op any one of those
    named will do, and of --where any value of the same key. Items that an op or an attribute is
    asked for are the ends of such triples, triples of a table those that touch its items.
    """
    named = filters(through, table, op, where, sources, limit, summary)
    question = partial(
        Question, direction="upstream", method=method, depth=depth, as_of=as_of, **named
    )
    _ask(ctx, question, item, items, Look(form, out, timing, safe))


def impact(
    ctx: typer.Context,
    item: _Item = None,
    items: _Items = None,
    method: _Method = "auto",
    depth: _Depth = None,
    through: ThroughOption = None,
    table: TableOption = None,
    op: OpOption = None,
    where: WhereOption = None,
    sinks: _Sinks = False,
    limit: LimitOption = None,
    summary: SummaryOption = False,
    as_of: AsOfOption = None,
    timing: _Timing = False,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """What an item reached: all that is downstream of it.

    Options and forms are those of lineage; --sinks takes the place of --sources.
    """
    named = filters(through, table, op, where, sinks, limit, summary)
    question = partial(
        Question, direction="downstream", method=method, depth=depth, as_of=as_of, **named
    )
    _ask(ctx, question, item, items, Look(form, out, timing, safe))


def _ask(
    ctx: typer.Context,
    question: Callable[[str], Question],
    item: str | None,
    items: Path | None,
    look: Look,
) -> None:
    if (item is None) == (items is None):
        raise UsageError(
            "One item should be named, or a file of them with --items",
            "Neither is" if item is None else "Both are",
        )
    names = [utf8(item, "An item's name")] if item is not None else _names(items)
    settings = invocation(ctx).settings()
    if items is None:
        answered(settings, about(question(names[0])), look)
    elif absent := many(settings, [question(name) for name in names], look):
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
