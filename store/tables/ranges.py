"""Represent rows of partitions as ranges: an entire partition is one range, whatever its size.

A row's place is a single 64-bit number, with the partition in the upper half and the row in the
lower half. Therefore there is a gap between the places of two partitions, and no range extends from
one partition into the next.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, PartitionNumber, PartitionNumbers, RowPlaces, unique
from provhouse.model.columns import PARTITION, ROW, ROWS
from provhouse.runtime.room import MEMORY, Growing, Room, ascends, slices

_HALF = 32
_LOWER = (1 << _HALF) - 1


def places(partition: PartitionNumber | PartitionNumbers, rows: I64) -> RowPlaces:
    """Return the place of each row.

    ``partition`` is the partition of all rows, or an array with the partition of each row.
    """
    return RowPlaces(np.asarray(partition, np.int64) << _HALF | np.asarray(rows, np.int64))


def split(places: RowPlaces) -> tuple[PartitionNumbers, I64]:
    """Return the partition and the row of each place."""
    return PartitionNumbers(places >> _HALF), places & _LOWER


class Ranges:
    """Distinct places, stored as ordered ranges that do not overlap. A range excludes its end.

    ``starts`` and ``ends`` may be in any order. If they are not ascending, both arrays are sorted
    in place.
    """

    def __init__(self, starts: RowPlaces, ends: RowPlaces, room: Room = MEMORY) -> None:
        if not ascends(starts):  # ranges do not overlap, so each array can be sorted by itself
            starts.sort()
            ends.sort()
        self._starts, self._ends = starts, ends
        self._before, self._count = room.empty(len(starts), np.int64), 0
        for rows in slices(len(starts)):
            count = ends[rows] - starts[rows]
            self._before[rows] = self._count + np.cumsum(count) - count
            self._count += int(count.sum())

    @classmethod
    def of(cls, places: RowPlaces) -> "Ranges":
        """Return ranges with exactly the given places, which must be ordered and distinct."""
        begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)  # -2, so that place 0 begins one
        ends = places[np.append(begins[1:], len(places))[: len(begins)] - 1] + 1
        return cls(RowPlaces(places[begins]), RowPlaces(ends))

    @classmethod
    def joined(cls, parts: Iterable["Ranges"], room: Room = MEMORY) -> "Ranges":
        """Return the union of several ``Ranges`` that have no place in common, given in any order.

        The parts are computed one at a time.
        """
        starts, ends = Growing(room, np.int64), Growing(room, np.int64)
        for part in parts:
            starts.add(part.starts)
            ends.add(part.ends)
        return cls(RowPlaces(starts.array()), RowPlaces(ends.array()), room)

    @classmethod
    def read(cls, pieces: Iterable[pa.Table], room: Room = MEMORY) -> "Ranges":
        """Read ranges from tables with the partition, first row and row count of each range."""
        return cls.joined(map(cls._of_table, pieces), room)

    @classmethod
    def _of_table(cls, rows: pa.Table) -> "Ranges":
        partition, row, count = (
            np.asarray(rows[name], dtype=np.int64) for name in (PARTITION, ROW, ROWS)
        )
        starts = places(PartitionNumbers(partition), row)
        return cls(starts, RowPlaces(starts + count))

    def tables(self) -> Iterator[pa.Table]:
        """Yield tables with each range's partition, first row and number of rows."""
        for rows in slices(len(self.starts)):
            yield range_rows(RowPlaces(self.starts[rows]), RowPlaces(self.ends[rows]))

    @property
    def starts(self) -> RowPlaces:
        """The first place of each range, in order."""
        return self._starts

    @property
    def ends(self) -> RowPlaces:
        """The place after each range."""
        return self._ends

    def __len__(self) -> int:
        """Return the number of places in all ranges."""
        return self._count

    @property
    def overlapping(self) -> int:
        """The number of ranges that overlap the range before; 0 unless the table is damaged."""
        return sum(
            int((self._ends[rows][: len(after)] > after).sum())
            for rows in slices(len(self._starts))
            for after in [self._starts[rows.start + 1 : rows.stop + 1]]
        )

    def has(self, places: RowPlaces) -> Bools:
        """Return, for each of the given places, whether it is in a range."""
        if not len(self._starts):
            return np.zeros(len(places), bool)
        at = np.searchsorted(self._starts, places, "right") - 1
        inside: Bools = (at >= 0) & (places < self._ends[at])
        return inside

    def below(self, places: RowPlaces) -> I64:
        """Return, for each of the given places, the number of lower places within the ranges."""
        if not len(self._starts):
            return np.zeros(len(places), np.int64)
        at = np.searchsorted(self._starts, places, "right") - 1
        behind = self._before[at] + np.minimum(places, self._ends[at]) - self._starts[at]
        return np.where(at < 0, 0, behind)

    def touches(self, partitions: PartitionNumbers) -> bool:
        """Return whether any of the given partitions has a row in a range."""
        first = places(partitions, np.zeros(len(partitions), np.int64))
        return bool((self.below(RowPlaces(first + _LOWER)) > self.below(first)).any())

    @property
    def partitions(self) -> PartitionNumbers:
        """The partitions with rows in a range, in order."""
        each = (unique(self._starts[rows] >> _HALF) for rows in slices(len(self._starts)))
        return PartitionNumbers(unique(np.concatenate([np.empty(0, np.int64), *each])))


def range_rows(starts: RowPlaces, ends: RowPlaces) -> pa.Table:
    """Return a table with each range's partition, first row and number of rows."""
    partition, row = split(starts)
    return pa.table({PARTITION: partition, ROW: row, ROWS: ends - starts})
