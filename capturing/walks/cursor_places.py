"""Places of a cursor: rows of sources, rows of a write, or groups of an operator."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CursorPlace:
    """Rows of one write, groups or marked rows of one tap, or rows of sources if both are unset."""

    write: int | None = None
    """The position of the write in its block."""
    tap: Path | None = None
    """The folder of the tap. A cached frame has one folder in all writes that read it."""
    name: str = ""
    """A short text for people, such as ``aggregate by cust``; equal places have equal names."""

    @property
    def has_rows(self) -> bool:
        """Whether its ids are those of rows of files."""
        return self.tap is None


SOURCES = CursorPlace(name="sources")
"""The rows of files that the block has only read."""
