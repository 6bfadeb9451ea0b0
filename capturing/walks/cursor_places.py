"""The places of a cursor: the rows of sources, rows of a write, or groups of an operator."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CursorPlace:
    """The rows of a write, or the groups or marked rows of a tap.

    If neither a write nor a tap is given, the place stands for the source rows.
    """

    write: int | None = None
    """The position of the write in its block."""
    tap: Path | None = None
    """The folder of the tap. All writes that read a cached frame share its tap's folder."""
    name: str = ""
    """A readable name, such as ``aggregate by cust``. The name of a place never changes."""

    @property
    def has_rows(self) -> bool:
        """Whether the ids at this place identify rows of files, and not groups or marked rows."""
        return self.tap is None


SOURCES = CursorPlace(name="sources")
"""The place for rows of files that the block has only read, and not written."""
