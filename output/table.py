"""Tables and sentences for people, at any width of the terminal."""

from typing import TextIO

from .layout import console
from .result import Result


class TableWriter:
    """Counts first, long results cut, with a sentence on how to see all."""

    def __init__(
        self,
        handle: TextIO,
        width: int | None = None,
        color: bool | None = None,
        timing: bool = False,
    ) -> None:
        self._console = console(handle, width, color)
        self._timing = timing

    def write(self, result: Result) -> None:
        """Print the text of a result."""
        for section in result.text(self._timing):
            self._console.print(section)
