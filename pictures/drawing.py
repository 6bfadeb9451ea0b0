"""A picture of a result, which a notebook can show and a file can store."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from provhouse.model.errors import Unavailable, UsageError

from .dot import dot
from .formats import PICTURE_ENDINGS, Picture
from .legible_groups import grouped
from .mermaid import mermaid
from .page import page
from .picture_graph import Boxes, DrawnGraph
from .svg import svg

_WRITERS: Mapping[Picture, Callable[[Boxes], str]] = {
    Picture.svg: svg,
    Picture.dot: dot,
    Picture.mermaid: mermaid,
    Picture.html: page,
}


@dataclass(frozen=True)
class Drawing:
    """A picture of a result. A notebook shows it.

    >>> picture = warehouse.lineage("revenue/2026-03").draw()
    >>> print(picture.text("mermaid").splitlines()[0])
    flowchart LR
    """

    graph: DrawnGraph

    def __repr__(self) -> str:
        return f"<Drawing: {len(self._boxes.boxes):,} boxes, {len(self._boxes.lines):,} lines>"

    @cached_property
    def _boxes(self) -> Boxes:
        return grouped(self.graph)

    def text(self, form: str = Picture.svg) -> str:
        """Return the picture as ``svg``, ``dot``, ``mermaid`` or ``html``.

        Raises UsageError for any other format.
        """
        if form not in set(Picture):
            raise UsageError(
                f"{form!r} is not a format of pictures",
                "",
                f"Choose one of {', '.join(Picture)}",
            )
        return _WRITERS[Picture(form)](self._boxes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file; the ending of the file's name determines the format.

        Raises UsageError for an unknown ending, and Unavailable if the file cannot be written.
        """
        to = Path(path)
        form = PICTURE_ENDINGS.get(to.suffix.lower())
        if form is None:
            raise UsageError(
                f"The format of {to} is unknown",
                f"Its name has none of the endings {', '.join(PICTURE_ENDINGS)}",
                "Choose another name",
            )
        try:
            to.write_text(self.text(form), encoding="utf-8")
        except OSError as error:
            raise Unavailable(
                f"Cannot write to {to}", str(error.strerror), "Name a file that can be written"
            ) from error

    def _repr_svg_(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.text()
