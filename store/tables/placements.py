"""Placements: the number of triples of each set in each partition."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, PartitionNumbers, SetIds, matching_rows
from provhouse.model.columns import PARTITION, SET, TRIPLES
from provhouse.runtime.room import MEMORY, Growing, Room, ascends, slices

_HALF = 32
"""The number of bits in each half of a sort key, which combines a set's id and a row number."""


@dataclass(frozen=True)
class Placements:
    """Triple counts by set and partition, as parallel arrays ordered by set, then partition."""

    sets: SetIds
    partitions: PartitionNumbers
    triples: I64

    @classmethod
    def read(cls, pieces: Iterable[pa.Table], room: Room = MEMORY) -> Self:
        """Return the placements from pieces of the table ``placements``, read one at a time."""
        columns = [Growing(room, np.int64) for _ in (SET, PARTITION, TRIPLES)]
        for rows in pieces:
            for name, column in zip((SET, PARTITION, TRIPLES), columns, strict=True):
                column.add(np.asarray(rows[name]))
        sets, partitions, triples = (column.array() for column in columns)
        if ascends(sets):
            return cls(SetIds(sets), PartitionNumbers(partitions), triples)
        order = room.empty(len(sets), np.int64)
        for rows in slices(len(sets)):  # partitions ascend with the ingests
            order[rows] = sets[rows] << _HALF | np.arange(rows.start, rows.stop)
        order.sort()
        found = [room.empty(len(sets), np.int64) for _ in columns]
        for rows in slices(len(sets)):
            at = order[rows] & ((1 << _HALF) - 1)
            for each, values in zip(found, (sets, partitions, triples), strict=True):
                each[rows] = values[at]
        return cls(SetIds(found[0]), PartitionNumbers(found[1]), found[2])

    def take(self, rows: I64) -> Self:
        """Return the placements at the given positions, in the given order."""
        return type(self)(
            SetIds(self.sets[rows]), PartitionNumbers(self.partitions[rows]), self.triples[rows]
        )

    def table(self, triples: I64) -> pa.Table:
        """Return the placements as rows of the table ``placements``, with these triple counts."""
        return pa.table({SET: self.sets, PARTITION: self.partitions, TRIPLES: triples})

    def order_by_partition(self) -> I64:
        """Return the row numbers by partition, then set. Triples have this order on disk."""
        order: I64 = np.lexsort((self.sets, self.partitions))
        return order

    def rows(self, sets: SetIds) -> tuple[I64, I64]:
        """Return the positions of all placements of ``sets``, and the set of each placement.

        Each set is returned as its position in ``sets``.
        """
        return matching_rows(self.sets, sets)

    def counts(self, sets: SetIds) -> I64:
        """Return, for each of the given sets, the number of triples stored with it."""
        rows, owner = self.rows(sets)
        return np.bincount(owner, self.triples[rows], len(sets)).astype(np.int64)
