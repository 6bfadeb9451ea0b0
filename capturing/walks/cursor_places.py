"""The places of a cursor: rows of sources, rows of a write, or groups of an operator."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CursorPlace:
    """The rows of a write, or the groups or marked rows of a tap.

    Without a write and a tap, it stands for the source rows.
    """

    write: int | None = None
    """The position of the write in its block."""
    tap: Path | None = None
    """The folder of the tap. A cached frame has the same folder in all writes that read it."""
    name: str = ""
    """A readable name, such as ``aggregate by cust``; the same place always has the same name."""

    @property
    def has_rows(self) -> bool:
        """Whether the ids at this place identify rows of files, and not groups or marked rows."""
        return self.tap is None


SOURCES = CursorPlace(name="sources")
"""The place for rows of files that the block has only read, and not written."""
