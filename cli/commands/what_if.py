"""``what-if``, ``depends`` and ``why``: what rests on an item, and what an item rests on."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse import questions
from provhouse.model.deletion import Deletion
from provhouse.model.errors import UsageError

from ..invocation import invocation
from ..options import AsOfOption, FormOption, ItemArgument, OutOption, SafeOption, each_pair, utf8
from ..questions import OutputOptions, answer
from ..zoom_options import FoldOption, ZoomOption, zoom_level

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.depends import Dependency
    from provhouse.query.what_if import WhatIf
    from provhouse.query.what_if_each import WhatIfEach
    from provhouse.query.why import Why
    from provhouse.query.zoom_what_if import ZoomedWhatIf


def _named(metavar: str, text: str, *names: str) -> typer.models.OptionInfo:
    option = typer.Option(*names, metavar=metavar, help=f"{text} Repeatable.", show_default=False)
    assert isinstance(option, typer.models.OptionInfo)
    return option


def what_if(
    ctx: typer.Context,
    delete: Annotated[
        list[str] | None, _named("ITEM", "Suppose that this item does not exist.", "--delete")
    ] = None,
    delete_table: Annotated[
        list[str] | None,
        _named("TABLE", "Suppose that no item of this table exists.", "--delete-table"),
    ] = None,
    where: Annotated[
        list[str] | None,
        _named(
            "KEY=VALUE",
            "With --delete-table, only items with a triple that has this attribute.",
            "--where",
        ),
    ] = None,
    delete_op: Annotated[
        list[str] | None,
        _named("OP", "Suppose that this operation did not run: no triple has it.", "--delete-op"),
    ] = None,
    delete_file: Annotated[
        list[str] | None,
        _named("FILE", "Suppose that this file or folder was never ingested.", "--delete-file"),
    ] = None,
    delete_run: Annotated[
        list[str] | None,
        _named("KEY", "Suppose that this ingest run never was.", "--delete-run"),
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Show counts by table only.")] = False,
    each: Annotated[
        str | None,
        typer.Option(
            metavar="ITEM",
            help="Instead of a deletion: show what the sums, counts and other aggregates of this "
            "item would be without each of their inputs in turn.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="With --each, show at most N inputs, those with the largest change. Default: 100.",
            show_default=False,
        ),
    ] = None,
    zoom: ZoomOption = None,
    fold: FoldOption = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show what would happen if items or triples did not exist. Nothing is changed.

    Items downstream die, change, survive, or are undecided if the triples do not say enough.
    Aggregates are computed again from the values that are left. JSON contains all of this, CSV the
    fate of each item.
    """
    deletion = Deletion(
        items=_texts(delete, "An item's name"),
        tables=_texts(delete_table, "A table's name"),
        where=tuple(each_pair(_texts(where, "An attribute"), "--where")),
        ops=_texts(delete_op, "An op"),
        files=_texts(delete_file, "A file's name"),
        runs=_texts(delete_run, "A run's name"),
    )
    settings = invocation(ctx).settings()

    level = zoom_level(zoom, fold)
    if each is not None:
        _check_alone(
            "--each", **{"--summary": summary, "--zoom": level, "A deletion": deletion.named}
        )
        alternatives = questions.what_if_each(utf8(each, "An item's name"), limit or 100, as_of)
        answer(settings, alternatives, _each, OutputOptions(form, out, safe=safe))
        return
    _check_alone("A deletion", **{"--limit": limit})
    if level:
        _check_alone("--zoom", **{"--summary": summary})
        zoomed = questions.zoom_what_if(deletion, as_of, level, fold or [])
        answer(settings, zoomed, _zoomed, OutputOptions(form, out, safe=safe))
        return
    asked = questions.what_if(deletion, summary, as_of)
    answer(settings, asked, _what_if, OutputOptions(form, out, safe=safe))


def depends(
    ctx: typer.Context,
    item: ItemArgument,
    on: Annotated[
        str,
        typer.Option(metavar="OTHER", help="The item to leave out.", show_default=False),
    ],
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show whether an item would exist without another one: yes, no or undecided.

    Also shows a smallest set of sources without which it would not exist, if up to three suffice.
    The exit status is 0 for each of these answers.
    """
    first, other = utf8(item, "An item's name"), utf8(on, "An item's name")
    settings = invocation(ctx).settings()

    asked = questions.depends(first, other, as_of)
    answer(settings, asked, _dependency, OutputOptions(form, out, safe=safe))


def why(
    ctx: typer.Context,
    item: ItemArgument,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="Show at most N inputs, the nearest first.")
    ] = 100,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show the derivations of an item: which inputs made it together, and which alternatively.

    Inputs that are needed together are joined by &, alternatives by |.
    """
    name = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    asked = questions.why(name, limit, as_of)
    answer(settings, asked, _why, OutputOptions(form, out, safe=safe))


def _check_alone(what: str, **others: object) -> None:
    """Raise UsageError for options that cannot be combined with ``what``."""
    for option in (name for name, given in others.items() if given):
        raise UsageError(
            f"{what} and {option} are given together",
            "They ask different questions, or for different results",
            "Leave out one of them; see `provhouse what-if --help`",
        )


def _texts(given: list[str] | None, what: str) -> tuple[str, ...]:
    return tuple(utf8(one, what) for one in given or ())


def _what_if(found: "WhatIf") -> "Result":
    from provhouse.output.results.what_if import WhatIfResult

    return WhatIfResult(found)


def _each(found: "WhatIfEach") -> "Result":
    from provhouse.output.results.what_if_each import WhatIfEachResult

    return WhatIfEachResult(found)


def _zoomed(found: "ZoomedWhatIf") -> "Result":
    from provhouse.output.results.zoomed_what_if import ZoomedWhatIfResult

    return ZoomedWhatIfResult(found)


def _dependency(found: "Dependency") -> "Result":
    from provhouse.output.results.dependency import DependencyResult

    return DependencyResult(found)


def _why(found: "Why") -> "Result":
    from provhouse.output.results.why import WhyResult

    return WhyResult(found)
