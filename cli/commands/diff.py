"""``diff``: show how an answer changed between two generations."""

from typing import Annotated

import typer

from provhouse.model.question import Direction
from provhouse.output.questions.items import AskingDiff

from ..invocation import invocation
from ..options import (
    DownstreamOption,
    ItemArgument,
    PictureFormOption,
    PictureOutOption,
    SafeOption,
    any_form,
    utf8,
)
from ..questions import OutputOptions, answer
from ..zoom_options import FoldOption, ZoomOption, zoom_level


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
        ),
    ] = None,
    downstream: DownstreamOption = False,
    zoom: ZoomOption = None,
    fold: FoldOption = None,
    form: PictureFormOption = None,
    out: PictureOutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show how the lineage or impact of an item changed.

    JSON contains the items and triples that were added or removed, CSV only the triples. If only
    one of the generations contains the item, its whole lineage or impact counts as added or
    removed.
    """
    item = utf8(item, "An item's name")
    settings = invocation(ctx).asking()

    direction: Direction = "downstream" if downstream else "upstream"
    options = OutputOptions(any_form(form), out, safe=safe)
    if level := zoom_level(zoom, fold):
        from provhouse.output.questions.levels import AskingZoomDiff

        zoomed = AskingZoomDiff(
            item, direction, until=until, since=since, zoom=level, fold=tuple(fold or ())
        )
        answer(settings, zoomed, options)
        return
    answer(settings, AskingDiff(item, direction, until=until, since=since), options)
