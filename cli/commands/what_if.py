"""``what-if``: show the consequences of deleting items and triples."""

from typing import Annotated

import typer

from provhouse.model.deletion import Deletion
from provhouse.model.errors import UsageError
from provhouse.output.questions.derivation_questions import AskingWhatIf, AskingWhatIfEach

from ..invocation import invocation
from ..options import (
    AsOfOption,
    PictureFormOption,
    PictureOutOption,
    SafeOption,
    any_form,
    each_pair,
    utf8,
)
from ..questions import OutputOptions, answer
from ..zoom_options import FoldOption, ZoomOption, zoom_level


def _named(metavar: str, text: str, *names: str) -> typer.models.OptionInfo:
    option = typer.Option(*names, metavar=metavar, help=f"{text} Repeatable.")
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
        _named("KEY", "Suppose that this ingest run never happened.", "--delete-run"),
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Show counts by table only.")] = False,
    each: Annotated[
        str | None,
        typer.Option(
            metavar="ITEM",
            help="Instead of a deletion: show, for each input of this item's sums, counts and "
            "other aggregates, the values that they would have without this input.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="With --each, show the N inputs with the largest change. Default: 100.",
        ),
    ] = None,
    zoom: ZoomOption = None,
    fold: FoldOption = None,
    as_of: AsOfOption = None,
    form: PictureFormOption = None,
    out: PictureOutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show what would happen if items or triples did not exist. Nothing is changed.

    Items downstream die, change or survive, or are undecided if the triples do not record enough.
    Aggregates are computed again from the remaining values. CSV contains only the fate of each
    item, JSON also the aggregates.
    """
    deletion = Deletion(
        items=_texts(delete, "An item's name"),
        tables=_texts(delete_table, "A table's name"),
        where=tuple(each_pair(_texts(where, "An attribute"), "--where")),
        ops=_texts(delete_op, "An op"),
        files=_texts(delete_file, "A file's name"),
        runs=_texts(delete_run, "A run's name"),
    )
    settings = invocation(ctx).asking()

    level, options = zoom_level(zoom, fold), OutputOptions(any_form(form), out, safe=safe)
    if each is not None:
        _check_alone(
            "--each", **{"--summary": summary, "--zoom": level, "A deletion": deletion.named}
        )
        alternatives = AskingWhatIfEach(utf8(each, "An item's name"), limit or 100, as_of)
        answer(settings, alternatives, options)
        return
    _check_alone("A deletion", **{"--limit": limit})
    if level or options.picture:
        from provhouse.output.questions.levels import AskingZoomWhatIf

        _check_alone("--zoom" if level else "A picture", **{"--summary": summary})
        level = level or "record"
        zoomed = AskingZoomWhatIf(**vars(deletion), as_of=as_of, zoom=level, fold=tuple(fold or ()))
        answer(settings, zoomed, options)
        return
    asked = AskingWhatIf(**vars(deletion), as_of=as_of, summary=summary)
    answer(settings, asked, options)


def _check_alone(what: str, **others: object) -> None:
    """Raise UsageError for options that cannot be combined with ``what``."""
    for option in (name for name, given in others.items() if given):
        raise UsageError(
            f"{what} and {option} are given together",
            "They cannot be combined",
            "Leave out one of them; see `provhouse what-if --help`",
        )


def _texts(given: list[str] | None, what: str) -> tuple[str, ...]:
    return tuple(utf8(one, what) for one in given or ())
