"""The options of commands that show an answer at a coarser level."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.zoom import Level

ZoomOption = Annotated[
    Level | None,
    typer.Option(
        help="Show nodes and edges at this level instead of items: the tables of the whole "
        "warehouse, modules, tables, connected sets, or single records."
    ),
]
FoldOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODULE",
        help="Show this module as one node, without its inner items. Repeatable. The level is then "
        "record, unless --zoom names another.",
    ),
]

PageOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html",
        help="With --zoom or --fold, also write a page with a picture: click a module to unfold "
        "it. The page is one file and needs no network.",
    ),
]


def zoom_level(zoom: Level | None, fold: Sequence[str] | None) -> Level | None:
    """Return the level that the options name, or None."""
    return zoom or ("record" if fold else None)
