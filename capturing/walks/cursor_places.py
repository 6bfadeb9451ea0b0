"""Places of a cursor: rows of sources, rows of a write, or groups of an operator."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CursorPlace:
    """The rows of a write, the groups or marked rows of a tap, or, without both, source rows."""

    write: int | None = None
    """The position of the write in its block."""
    tap: Path | None = None
    """The folder of the tap. A cached frame has the same folder in all writes that read it."""
    name: str = ""
    """A readable name, such as ``aggregate by cust``; equal places have equal names."""

    @property
    def has_rows(self) -> bool:
        """Whether the ids name rows of files."""
        return self.tap is None


SOURCES = CursorPlace(name="sources")
"""The place of rows in files that the block has only read."""
