"""The triples that a question reads: src and dst as numbers, op and attributes still encoded.

Only a few of these triples belong to the answer, and only those are decoded to rows.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I32, I64, ItemNumbers, PartitionNumbers, expand_ranges
from provhouse.model.columns import DST, SRC

from ..tables.ranges import Ranges, places
from .triple_blocks import SENT


class Fetched:
    """The triples of the given partitions whose dst is in one of several ranges of items.

    ``partitions`` are the decoded blocks, each an Arrow table sorted by dst. ``first`` and ``last``
    contain the first and the last item of each range, at the same position; both items belong to
    the range. Ranges are in ascending order.
    """

    def __init__(
        self,
        partitions: Sequence[pa.Table],
        first: ItemNumbers,
        last: ItemNumbers,
        schema: pa.Schema = SENT,
    ) -> None:
        self._partitions = partitions
        self._schema = schema
        self._choose([_within(partition, first, last) for partition in partitions])

    def _choose(self, rows: Sequence[I32]) -> None:
        self._rows = rows
        self._ends = np.cumsum([0, *map(len, self._rows)])
        self.src, self.dst = self._numbers(SRC), self._numbers(DST)

    def __len__(self) -> int:
        return int(self._ends[-1])

    def drop(self, dead: Ranges, numbers: PartitionNumbers) -> None:
        """Leave out dead triples. ``numbers`` are the numbers of the partitions, in order."""
        if len(dead) and dead.touches(numbers):
            each = zip(numbers.tolist(), self._rows, strict=True)
            self._choose(
                [rows[~dead.has(places(number, rows.astype(np.int64)))] for number, rows in each]
            )

    def drop_ends(self) -> None:
        """Free ``src`` and ``dst``, which ``take`` does not need."""
        self.src = self.dst = ItemNumbers(np.empty(0, np.int64))

    def _numbers(self, name: str) -> ItemNumbers:
        none = np.empty(0, np.int64)
        parts = zip(self._partitions, self._rows, strict=True)
        ends = [np.asarray(rows[name])[chosen] for rows, chosen in parts]
        return ItemNumbers(np.concatenate([none, *ends]))

    def dst_by_partition(self) -> Iterator[ItemNumbers]:
        """Yield, for each partition that has triples, the dst of these triples, in order."""
        for begin, end in pairwise(self._ends.tolist()):
            if end > begin:
                yield ItemNumbers(self.dst[begin:end])

    @property
    def rows(self) -> Sequence[I32]:
        """For each partition, the row numbers of its triples."""
        return self._rows

    def texts(self, name: str) -> tuple[I32, pa.Array]:
        """Return each triple's op or attributes, as codes into an array of distinct strings."""
        coded = pa.dictionary(pa.int32(), pa.string())
        parts = [
            partition[name].combine_chunks().cast(coded).take(pa.array(rows))
            for partition, rows in zip(self._partitions, self._rows, strict=True)
        ]
        joined = pa.chunked_array(parts, coded).unify_dictionaries().combine_chunks()
        if isinstance(joined, pa.ChunkedArray):  # without any partition
            return np.empty(0, np.int32), pa.array([], pa.string())
        return np.asarray(joined.indices), joined.dictionary

    def take(self, chosen: I64) -> pa.Table:
        """Return the schema's columns for the triples at the given positions, which must ascend."""
        cuts = np.searchsorted(chosen, self._ends)
        parts = [self._schema.empty_table()]
        for number, (partition, rows) in enumerate(zip(self._partitions, self._rows, strict=True)):
            mine = chosen[cuts[number] : cuts[number + 1]] - self._ends[number]
            if len(mine):
                parts.append(partition.take(pa.array(rows[mine])).cast(self._schema))
        return pa.concat_tables(parts).unify_dictionaries().combine_chunks()


def _within(partition: pa.Table, first: ItemNumbers, last: ItemNumbers) -> I32:
    """Return, in order, the numbers of a partition's rows whose dst is in one of the ranges."""
    dst = np.asarray(partition[DST])
    if not len(dst):
        return np.empty(0, np.int32)
    # Only the ranges that overlap the partition, cut to its items, so that their numbers have the
    # type of its dst: numpy would otherwise copy the dst of each partition to search in them.
    here = slice(np.searchsorted(last, dst[0]), np.searchsorted(first, dst[-1], "right"))
    begins = np.maximum(first[here], dst[0]).astype(dst.dtype)
    ends = np.minimum(last[here], dst[-1]).astype(dst.dtype)
    starts = np.searchsorted(dst, begins, "left")
    return expand_ranges(starts, np.searchsorted(dst, ends, "right") - starts).astype(np.int32)
