"""The memory budget for a connection's indexes and decoded columns.

Beyond the budget, the least recently used indexes are written to Arrow files, and then used
memory-mapped. If this does not suffice, decoded columns are dropped; they can be decoded again.
"""

import tempfile
import weakref
from pathlib import Path
from typing import Protocol


class Indexes(Protocol):
    """The indexes of a result, or of the rows that a statement has stored."""

    @property
    def resident(self) -> int:
        """The size in memory, in bytes."""

    def spill(self, folder: Path) -> None:
        """Move the indexes to files in a folder."""


class DecodedColumns(Protocol):
    """The decoded columns of tables."""

    @property
    def size(self) -> int:
        """The size in memory, in bytes."""

    def drop_oldest(self) -> bool:
        """Drop the columns that were used least recently; return whether there were any."""


class Memory:
    """A budget in bytes for one connection's decoded columns and the indexes of its results."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.columns: DecodedColumns | None = None
        self._results: dict[int, weakref.ref[Indexes]] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def size(self) -> int:
        """The number of bytes that are now in memory, not counting indexes in files."""
        columns = self.columns.size if self.columns is not None else 0
        return columns + sum(each.resident for each in self._alive())

    def used(self, result: Indexes) -> None:
        """Record that a result's indexes were used, and free memory beyond the budget."""
        self._results.pop(id(result), None)
        self._results[id(result)] = weakref.ref(result)
        self.settle()

    def settle(self) -> None:
        """Write indexes to files, and then drop columns, until the rest fits into the budget."""
        size = self.size
        for result in self._alive():
            if size <= self.limit:
                return
            size -= result.resident
            result.spill(self._place())
        while self.size > self.limit and self.columns is not None and self.columns.drop_oldest():
            pass

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _alive(self) -> list[Indexes]:
        found = [(key, each()) for key, each in self._results.items()]
        for key, each in found:
            if each is None:
                del self._results[key]
        return [each for _, each in found if each is not None]

    def _place(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="provhouse-lineage-")
        return Path(self._folder.name)
