"""Pictures of results, in one of the formats of the package ``pictures``."""

from typing import TextIO

from provhouse.model.errors import UsageError
from provhouse.pictures.drawing import Drawing
from provhouse.pictures.formats import Picture

from .results.graphs import PicturedResult
from .shown_result import ShownResult


class PictureWriter:
    """A writer of pictures."""

    def __init__(self, handle: TextIO, form: Picture) -> None:
        self._handle, self._form = handle, form

    def write(self, result: ShownResult) -> None:
        """Draw a result; raise UsageError if it has no nodes and edges."""
        if not isinstance(result, PicturedResult):
            raise UsageError(
                "This result has no picture",
                "It has no items and triples",
                "Ask for another format; for a deletion, ask at a level, such as record",
            )
        self._handle.write(Drawing(result.graph()).text(self._form))
