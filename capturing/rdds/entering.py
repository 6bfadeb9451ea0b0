"""Find the records that each record of a task derives from; Spark's Python workers run this.

The functions of a stage are generators that read one record at a time. So a record that leaves the
stage derives from the last record that entered the stage. The functions do not get ids.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from provhouse.model.associations import NONE

from .association_file import GROUP_BITS, AssociationFile

BLOCK = 1 << 16
"""The number of rows in a row group."""


class Entering(ABC):
    """The records that enter a stage in one task."""

    def __init__(self) -> None:
        self.leaving: list[Any] = []
        """The records that left since the last call of ``slots``, or numbers in their place."""

    def pull(self, records: Iterator[Any], most: int) -> bool:
        """Let up to ``most`` records leave; return whether these are the last records.

        ``list.extend`` updates the length of ``leaving`` for each record that it takes from an
        iterator. Subclasses read this length when a record enters.
        """
        self.leaving.extend(islice(records, most))
        return len(self.leaving) < most

    @abstractmethod
    def slots(self) -> list[Any]:
        """Return the slots of the records in ``leaving``, an array per slot; clear ``leaving``."""

    @abstractmethod
    def close(self) -> None:
        """Read the records that a function has left unread, so that the total number is known."""


class Positioned(Entering):
    """Records with positions.

    A record that leaves the stage derives from the last one that entered.
    """

    def __init__(self) -> None:
        super().__init__()
        self.records: Iterator[Any] = iter(())
        self._starts = [0]
        """For each record that has entered, the number of records that had left by then.

        Records that entered before the last call of ``_fold`` are left out.
        """
        self._first = -1
        """The position of the first record in ``_starts``, or -1 if no record has entered."""
        self._blocks: list[list[Any]] = []
        """The slots that ``_fold`` has computed, for the first records in ``leaving``."""

    def slots(self) -> list[Any]:
        self._fold()
        blocks, self._blocks = self._blocks, []
        self.leaving.clear()
        self._starts[:] = [0]
        return blocks[0] if len(blocks) == 1 else [*map(np.concatenate, zip(*blocks, strict=True))]

    def _fold(self) -> None:
        """Turn the positions of the records that have left into slots, to save memory."""
        entered = len(self._starts)
        starts = np.fromiter(self._starts, np.int64, entered)
        positions = np.repeat(
            np.arange(self._first, self._first + entered),
            np.diff(starts, append=len(self.leaving)),
        )
        self._first += entered - 1
        self._starts[:] = [len(self.leaving)]
        found = self._found(positions)
        if len(positions) and positions[0] < 0:  # these records left before any record entered
            for column in found:
                column[positions < 0] = NONE
        self._blocks.append(found)

    def close(self) -> None:
        deque(self.records, 0)

    @abstractmethod
    def _found(self, positions: Any) -> list[Any]:
        """Return the slots of records, given their positions in the order in which they entered."""


def blocks(records: Iterable[Any]) -> Iterator[Iterator[Any]]:
    """Yield records in blocks. The caller must read each block before requesting the next."""
    every = iter(records)
    for first in every:
        yield chain((first,), islice(every, BLOCK - 1))


class SourceRows(Positioned):
    """The rows of a part of a file. The id of a row is ``first`` plus its position."""

    def __init__(self, first: int, rows: Iterable[Any], ended: Callable[[int], None]) -> None:
        """After the last row, ``ended`` is called with the number of rows."""
        super().__init__()
        self._id, self._ended = first, ended
        self.records = self._counted(rows)

    def _counted(self, rows: Iterable[Any]) -> Iterator[Any]:
        enter, leaving = self._starts.append, self.leaving
        for block in blocks(rows):
            for row in block:
                enter(len(leaving))
                yield row
            self._fold()
        self._ended(self._first + len(self._starts))

    def _found(self, positions: Any) -> list[Any]:
        return [positions + self._id]


class Carried(Positioned):
    """Records that carry their slots, in pairs of a record and its slots.

    The slots are a number, or a tuple of numbers.
    """

    def __init__(self, width: int, pairs: Iterable[tuple[Any, Any]]) -> None:
        super().__init__()
        self._width = width
        self._ids: list[Any] = [NONE if width == 1 else (NONE,) * width]
        self.records = self._counted(pairs)

    def _counted(self, pairs: Iterable[tuple[Any, Any]]) -> Iterator[Any]:
        enter, leaving, keep = self._starts.append, self.leaving, self._ids.append
        for block in blocks(pairs):
            for record, slots in block:
                enter(len(leaving))
                keep(slots)
                yield record
            self._fold()

    def _found(self, positions: Any) -> list[Any]:
        ids = np.array(self._ids, np.int64).reshape(len(self._ids), self._width)
        found = ids[positions - (self._first - len(self._ids) + 1)].T
        del self._ids[:-1]
        return [*found.copy()]


class Merged(Positioned):
    """Records that a shuffle has merged, with the slots of the parts of each record."""

    def __init__(self, folder: str, merged: Iterable[tuple[Any, bytes]], width: int = 1) -> None:
        """``merged`` has pairs of a record and its parts; each part is ``width`` numbers."""
        super().__init__()
        self._file = AssociationFile(folder, 1 + width)
        self._width = width
        self._key = 0
        self._parts: list[bytes] = []
        """The parts of each record that entered after the last write."""
        self._written = 0
        self.records = self._counted(merged)

    def _counted(self, merged: Iterable[tuple[Any, bytes]]) -> Iterator[Any]:
        enter, leaving, keep = self._starts.append, self.leaving, self._parts.append
        for block in blocks(merged):
            for record, parts in block:
                keep(parts)
                enter(len(leaving))
                yield record
            self._fold()

    def _found(self, positions: Any) -> list[Any]:
        if self._parts:
            self._write()
        return [positions + self._key]

    def _write(self) -> None:
        if not self._written:
            self._key = self._file.reserve()
        sizes = np.fromiter(map(len, self._parts), np.int64, len(self._parts))
        groups = np.arange(len(sizes)) + (self._key + self._written)
        self._written += len(groups)
        if self._written >> GROUP_BITS:
            raise OverflowError("A task merges too many groups to capture them")
        parts = np.frombuffer(b"".join(self._parts), np.int64).reshape(-1, self._width)
        keys = np.repeat(groups, sizes // (8 * self._width))
        self._file.write([keys, *parts.T.copy()])
        self._parts.clear()

    def close(self) -> None:
        super().close()
        if self._written:
            self._file.close(keep=True)


class Whole(Entering):
    """Records that derive from all records that a function has read from its partition."""

    def __init__(self, tap: "Tap", before: Entering, records: Iterator[Any]) -> None:
        """``records`` are the input of the function, which reads them from ``taken``."""
        super().__init__()
        self._before = before
        self._file = AssociationFile(tap.folder, 1 + tap.width)
        self._columns = tap.columns
        self._width = tap.width
        self._key = self._file.reserve()
        self.taken = self._taking(records)

    def _taking(self, records: Iterator[Any]) -> Iterator[Any]:
        taken = self._before.leaving
        for record in records:
            if len(taken) == BLOCK:
                self._write()
            taken.append(record)
            yield record

    def _write(self) -> None:
        count = len(self._before.leaving)
        slots = spread(self._before.slots(), self._columns, self._width, count)
        self._file.write([np.full(count, self._key), *slots])

    def slots(self) -> list[Any]:
        count = len(self.leaving)
        self.leaving.clear()
        return [np.full(count, self._key)]

    def close(self) -> None:
        self._write()  # a stored file, even an empty one, reserves its number
        self._before.close()
        self._file.close(keep=True)


class Tap:
    """A folder for association files, and the columns in these files for the slots of a stage."""

    def __init__(self, folder: str, columns: Sequence[int], width: int) -> None:
        """``width`` is the number of slot columns; a column that is not in ``columns`` is NULL."""
        self.folder, self.columns, self.width = folder, tuple(columns), width


def spread(slots: Sequence[Any], columns: Sequence[int], width: int, count: int) -> list[Any]:
    """Return ``width`` columns: the slots at the positions in ``columns``, and NULL elsewhere."""
    found = [np.full(count, NONE) for _ in range(width - len(columns))]
    at = dict(zip(columns, slots, strict=True))
    return [at[column] if column in at else found.pop() for column in range(width)]
