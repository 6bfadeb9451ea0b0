"""Placements: how many triples of each set are in each partition."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, PartitionNumbers, SetIds, matching_rows
from provhouse.model.columns import PARTITION, SET, TRIPLES


@dataclass(frozen=True)
class Placements:
    """Triple counts by set and partition: parallel arrays, ordered by set, then partition."""

    sets: SetIds
    partitions: PartitionNumbers
    triples: I64

    @classmethod
    def read(cls, rows: pa.Table, chosen: I64 | slice = slice(None)) -> Self:
        """Return the placements in the chosen rows of the table ``placements``."""
        sets, partitions, triples = (
            np.ascontiguousarray(np.asarray(rows[name]), dtype=np.int64)[chosen]
            for name in (SET, PARTITION, TRIPLES)
        )
        order = np.argsort(sets, kind="stable")  # later ingests have higher partitions
        return cls(SetIds(sets), PartitionNumbers(partitions), triples).take(order)

    def take(self, rows: I64) -> Self:
        """Return the placements at the given positions, in the given order."""
        return type(self)(
            SetIds(self.sets[rows]), PartitionNumbers(self.partitions[rows]), self.triples[rows]
        )

    def order_by_partition(self) -> I64:
        """Return the row numbers ordered by partition, then set: the order of triples on disk."""
        order: I64 = np.lexsort((self.sets, self.partitions))
        return order

    def rows(self, sets: SetIds) -> tuple[I64, I64]:
        """Return the rows of some sets, and for each row the position of its set in ``sets``."""
        return matching_rows(self.sets, sets)

    def counts(self, sets: SetIds) -> I64:
        """Return, for each of the given sets, the number of triples stored with it."""
        rows, owner = self.rows(sets)
        return np.bincount(owner, self.triples[rows], len(sets)).astype(np.int64)
