"""Rows of partitions as ranges: whole partitions are one range each, however many rows they have.

A row's place is one number, its partition in the upper half and its row in the lower, so that a
range never reaches from one partition into the next unless every row between is meant.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, PartitionNumbers, RowPlaces
from provhouse.model.columns import PARTITION, ROW, ROWS

_HALF = 32
_LOWER = (1 << _HALF) - 1


def places(partition: int | I64, rows: I64) -> RowPlaces:
    """The places of rows of a partition."""
    return RowPlaces(np.asarray(partition, np.int64) << _HALF | np.asarray(rows, np.int64))


def split(places: RowPlaces) -> tuple[PartitionNumbers, I64]:
    """The partition and the row of each place."""
    return PartitionNumbers(places >> _HALF), places & _LOWER


class Ranges:
    """Places as disjoint ranges in order: where each begins and where it has ended."""

    def __init__(self, starts: I64, ends: I64) -> None:
        order = np.argsort(starts, kind="stable")
        self._starts, self._ends = RowPlaces(starts[order]), RowPlaces(ends[order])
        count = self._ends - self._starts
        self._before = np.cumsum(count) - count
        self._count = int(count.sum())

    @classmethod
    def of(cls, places: I64) -> "Ranges":
        """The ranges of some places, which are in order, each once."""
        begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)
        ends = places[np.append(begins[1:], len(places))[: len(begins)] - 1] + 1
        return cls(places[begins], ends)

    @classmethod
    def joined(cls, parts: Iterable["Ranges"]) -> "Ranges":
        """All of some ranges, of which none have a place in common."""
        starts, ends = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for part in parts:
            starts.append(part._starts)
            ends.append(part._ends)
        return cls(np.concatenate(starts), np.concatenate(ends))

    @classmethod
    def read(cls, rows: pa.Table) -> "Ranges":
        """Those that rows of a table name by partition, first row and how many."""
        partition, row, count = (
            np.asarray(rows[name], dtype=np.int64) for name in (PARTITION, ROW, ROWS)
        )
        starts = places(partition, row)
        return cls(starts, starts + count)

    def table(self) -> pa.Table:
        """The same as rows of a table: partition, first row, how many."""
        partition, row = split(self._starts)
        return pa.table({PARTITION: partition, ROW: row, ROWS: self._ends - self._starts})

    def __len__(self) -> int:
        """How many places."""
        return self._count

    @property
    def overlapping(self) -> int:
        """How many ranges begin before the one in front of them has ended; 0 unless damaged."""
        return int((self._ends[:-1] > self._starts[1:]).sum())

    def has(self, places: I64) -> Bools:
        """Which of these places are in a range."""
        if not len(self._starts):
            return np.zeros(len(places), bool)
        at = np.searchsorted(self._starts, places, "right") - 1
        inside: Bools = (at >= 0) & (places < self._ends[at])
        return inside

    def below(self, places: I64) -> I64:
        """How many places of all ranges come before each of these."""
        if not len(self._starts):
            return np.zeros(len(places), np.int64)
        at = np.searchsorted(self._starts, places, "right") - 1
        behind = self._before[at] + np.minimum(places, self._ends[at]) - self._starts[at]
        return np.where(at < 0, 0, behind)

    def touches(self, partitions: I64) -> bool:
        """Whether one of these partitions has a row in some range."""
        first = places(partitions, np.zeros(len(partitions), np.int64))
        return bool((self.below(first + _LOWER) > self.below(first)).any())

    @property
    def partitions(self) -> PartitionNumbers:
        """The partitions that have such rows, in order."""
        return PartitionNumbers(np.unique(split(self._starts)[0]))
