"""Represent rows of partitions as ranges: a whole partition is one range, whatever its size.

A row's place is one 64-bit number: the partition in the upper half, the row in the lower. So no
range reaches from one partition into the next.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, PartitionNumber, PartitionNumbers, RowPlaces
from provhouse.model.columns import PARTITION, ROW, ROWS

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
    """Distinct places, stored as ordered ranges that do not overlap. A range excludes its end."""

    def __init__(self, starts: RowPlaces, ends: RowPlaces) -> None:
        order = np.argsort(starts, kind="stable")
        self._starts, self._ends = RowPlaces(starts[order]), RowPlaces(ends[order])
        count = self._ends - self._starts
        self._before = np.cumsum(count) - count
        self._count = int(count.sum())

    @classmethod
    def of(cls, places: RowPlaces) -> "Ranges":
        """Return the ranges of exactly the given places, which must be ordered and distinct."""
        begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)
        ends = places[np.append(begins[1:], len(places))[: len(begins)] - 1] + 1
        return cls(RowPlaces(places[begins]), RowPlaces(ends))

    @classmethod
    def joined(cls, parts: Iterable["Ranges"]) -> "Ranges":
        """Return the union of several ``Ranges`` that share no place, given in any order."""
        starts, ends = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for part in parts:
            starts.append(part._starts)
            ends.append(part._ends)
        return cls(RowPlaces(np.concatenate(starts)), RowPlaces(np.concatenate(ends)))

    @classmethod
    def read(cls, rows: pa.Table) -> "Ranges":
        """Read ranges from a table that has the partition, first row and row count of each."""
        partition, row, count = (
            np.asarray(rows[name], dtype=np.int64) for name in (PARTITION, ROW, ROWS)
        )
        starts = places(PartitionNumbers(partition), row)
        return cls(starts, RowPlaces(starts + count))

    def table(self) -> pa.Table:
        """Return a table with the partition, first row and number of rows of each range."""
        partition, row = split(self._starts)
        return pa.table({PARTITION: partition, ROW: row, ROWS: self._ends - self._starts})

    def __len__(self) -> int:
        """Return the number of places in all ranges."""
        return self._count

    @property
    def overlapping(self) -> int:
        """The number of ranges that overlap the range before; 0 unless their table is damaged."""
        return int((self._ends[:-1] > self._starts[1:]).sum())

    def has(self, places: RowPlaces) -> Bools:
        """Return which of the given places are in a range."""
        if not len(self._starts):
            return np.zeros(len(places), bool)
        at = np.searchsorted(self._starts, places, "right") - 1
        inside: Bools = (at >= 0) & (places < self._ends[at])
        return inside

    def below(self, places: RowPlaces) -> I64:
        """Return, for each given place, the number of lower places that are in a range."""
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
        return PartitionNumbers(np.unique(split(self._starts)[0]))
