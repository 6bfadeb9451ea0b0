"""``path``: show how one item was derived from another."""

from typing import Annotated

import typer

from provhouse.output.questions.items import AskingPath

from ..invocation import invocation
from ..options import (
    AsOfOption,
    PictureFormOption,
    PictureOutOption,
    SafeOption,
    any_form,
    utf8,
)
from ..questions import OutputOptions, answer
from ..zoom_options import FoldOption, ZoomOption, zoom_level


def path(
    ctx: typer.Context,
    source: Annotated[
        str,
        typer.Argument(metavar="FROM", help="The item that the data comes from."),
    ],
    target: Annotated[
        str,
        typer.Argument(metavar="TO", help="The item that was derived from FROM."),
    ],
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="Show every triple on any path instead of a single shortest path."
        ),
    ] = False,
    zoom: ZoomOption = None,
    fold: FoldOption = None,
    as_of: AsOfOption = None,
    form: PictureFormOption = None,
    out: PictureOutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show how one item was derived from another.

    Shows one shortest path from FROM to TO. JSON contains the items and triples on the path, CSV
    the triples (src, dst, op, attributes). If there is no path, the exit status is 3.
    """
    first, last = utf8(source, "An item's name"), utf8(target, "An item's name")
    settings = invocation(ctx).asking()

    options = OutputOptions(any_form(form), out, safe=safe)
    if level := zoom_level(zoom, fold):
        from provhouse.output.questions.levels import AskingZoomPath

        folded = tuple(fold or ())
        zoomed = AskingZoomPath(first, last, every, as_of, zoom=level, fold=folded)
        answer(settings, zoomed, options)
        return
    answer(settings, AskingPath(first, last, every, as_of), options)
