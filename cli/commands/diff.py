"""``diff``: how an answer changed between two generations."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse import questions
from provhouse.model.question import Direction, Question

from ..invocation import invocation
from ..options import DownstreamOption, FormOption, ItemArgument, SafeOption, utf8
from ..questions import OutputOptions, answer
from ..zoom_options import FoldOption, ZoomOption, zoom_level

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.diff import Diff
    from provhouse.query.zoom_diff import ZoomedDiff


def diff(
    ctx: typer.Context,
    item: ItemArgument,
    since: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="GENERATION|TIME",
            help="The earlier generation: its number, or a time as for --as-of.",
        ),
    ],
    until: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="GENERATION|TIME",
            help="The later generation. Default: the current one.",
            show_default=False,
        ),
    ] = None,
    downstream: DownstreamOption = False,
    zoom: ZoomOption = None,
    fold: FoldOption = None,
    form: FormOption = None,
    safe: SafeOption = False,
) -> None:
    """Show how the lineage or impact of an item changed.

    JSON contains the items and triples that were added or removed, CSV only the triples. If only
    one of the generations contains the item, its whole lineage or impact counts as added or
    removed.
    """
    item = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    direction: Direction = "downstream" if downstream else "upstream"

    question = Question(item, direction, as_of=since)
    if level := zoom_level(zoom, fold):
        zoomed = questions.zoom_diff(question, until, level, fold or [])
        answer(settings, zoomed, _zoomed, OutputOptions(form, safe=safe))
        return
    answer(settings, questions.diff(question, until), _result, OutputOptions(form, safe=safe))


def _result(found: "Diff") -> "Result":
    from provhouse.output.results.diff import DiffResult

    return DiffResult(found)


def _zoomed(found: "ZoomedDiff") -> "Result":
    from provhouse.output.results.zoomed_diff import ZoomedDiffResult

    return ZoomedDiffResult(found)
