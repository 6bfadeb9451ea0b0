"""Where the triples of sets lie: which partitions have how many of each set."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, PartitionNumbers, SetIds, matching_rows
from provhouse.model.columns import PARTITION, SET, TRIPLES


@dataclass(frozen=True)
class Placements:
    """Where the triples of sets lie: parallel arrays, ordered by set, then partition."""

    sets: SetIds
    partitions: PartitionNumbers
    triples: I64

    @classmethod
    def read(cls, rows: pa.Table, chosen: I64 | slice = slice(None)) -> Self:
        """Those that the chosen rows of the table of placements name."""
        sets, partitions, triples = (
            np.ascontiguousarray(np.asarray(rows[name]), dtype=np.int64)[chosen]
            for name in (SET, PARTITION, TRIPLES)
        )
        order = np.argsort(sets, kind="stable")  # a later ingest has higher partitions
        return cls(SetIds(sets), PartitionNumbers(partitions), triples).take(order)

    def take(self, rows: I64) -> Self:
        """Some of the rows, in this order."""
        return type(self)(
            SetIds(self.sets[rows]), PartitionNumbers(self.partitions[rows]), self.triples[rows]
        )

    def order_by_partition(self) -> I64:
        """The rows by partition, then set: as the triples lie in each partition."""
        order: I64 = np.lexsort((self.sets, self.partitions))
        return order

    def rows(self, sets: I64) -> tuple[I64, I64]:
        """The rows of these sets, and the position in ``sets`` of each row's."""
        return matching_rows(self.sets, sets)

    def counts(self, sets: I64) -> I64:
        """How many triples lie with each of these sets."""
        rows, owner = self.rows(sets)
        return np.bincount(owner, self.triples[rows], len(sets)).astype(np.int64)
