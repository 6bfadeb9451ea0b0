"""Text for people, fitted to the width of the terminal."""

from collections.abc import Iterable
from io import StringIO
from typing import TYPE_CHECKING, TextIO

from .sections import Section, is_unbroken
from .shown_result import ShownResult

if TYPE_CHECKING:
    from rich.console import Console


class TableWriter:
    """A writer of text for people. Results show counts first and shorten long lists."""

    def __init__(
        self,
        handle: TextIO,
        width: int | None = None,
        color: bool | None = None,
        timing: bool = False,
    ) -> None:
        self._console = console(handle, width, color)
        self._timing = timing

    def write(self, result: ShownResult) -> None:
        """Print the sections of a result."""
        self.print(result.text(self._timing))

    def print(self, sections: Iterable[Section]) -> None:
        """Print the given sections."""
        for section in sections:
            self._console.print(section, soft_wrap=is_unbroken(section))


def plain(sections: Iterable[Section]) -> str:
    """Return sections as text of 80 columns, without color."""
    handle = StringIO()
    TableWriter(handle, 80, color=False).print(sections)
    return "\n".join(line.rstrip() for line in handle.getvalue().strip("\n").split("\n"))


def console(handle: TextIO, width: int | None = None, color: bool | None = None) -> "Console":
    """Return a console that prints text literally, without markup.

    The console uses color if the handle is a terminal, unless ``color`` is given.
    """
    from rich.console import Console

    terminal = handle.isatty() if color is None else color
    return Console(
        file=handle, width=width, force_terminal=terminal, no_color=None if terminal else True,
        highlight=False, markup=False, emoji=False,
    )  # fmt: skip
