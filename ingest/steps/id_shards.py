"""Find the distinct row ids of a shard, and which of them identify stored items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I32, I64, ItemNumbers, unique
from provhouse.model.patterns import Pattern
from provhouse.runtime.storage import Array, Mapped, file_size, open_array, read_stream, save_array
from provhouse.store.names.names import Names

from ..staging import Staging
from .id_tally import Part, tallied
from .read_ids import CODE, ID, VOTES


@dataclass(frozen=True)
class IdTable:
    """A table whose rows are items of this ingest, and the pattern of their names."""

    name: str
    pattern: Pattern


@dataclass(frozen=True)
class FoundShard:
    """The distinct row ids of a shard, ordered by table and id."""

    number: int
    items: int
    bounds: I64
    """The position of each table's first row id, followed by the number of all row ids."""
    tables: tuple[str, ...]
    """The stored tables of items that the input names with a different table."""


@dataclass(frozen=True)
class ShardArrays:
    """The staged arrays of a shard, in the order of its row ids."""

    staging: Staging
    shard: int

    @property
    def ids(self) -> Mapped:
        """The distinct row ids."""
        return open_array(self.staging.id_shards(self.shard, 0))

    @property
    def votes(self) -> Mapped:
        """The number of occurrences of each row id."""
        return open_array(self.staging.id_shards(self.shard, 1))

    @property
    def stored(self) -> Mapped:
        """The stored number of each item, or -1. This array is not staged if no item is stored."""
        return open_array(self.staging.id_shards(self.shard, 2))

    @property
    def kept(self) -> Mapped:
        """The position of each item's stored table in ``FoundShard.tables``, or -1.

        It is -1 if the item is not stored, or if the stored table is the row id's own table. The
        array is not staged if no item is stored.
        """
        return open_array(self.staging.id_shards(self.shard, 3))


@dataclass(frozen=True)
class IdShard:
    """The task that finds the distinct row ids of a shard."""

    shard: int
    staging: Staging
    tables: Sequence[IdTable]
    codes: dict[int, I32]
    """For each part, by its number: an array that maps the part's table codes to positions in
    ``tables``.
    """
    names: Names | None
    """The stored names, if any."""

    @property
    def bytes(self) -> int:
        """The size of the shard's staged ids in bytes."""
        return sum(file_size(part) for part in self.staging.id_parts.all(self.shard))

    def run(self) -> FoundShard:
        """Write the arrays that ``ShardArrays`` reads."""
        codes, ids, votes = tallied([*self._parts()])
        bounds = np.searchsorted(codes, np.arange(len(self.tables) + 1, dtype=codes.dtype))
        others: dict[str, int] = {}
        arrays: list[Array] = [ids, votes]
        if self.names:
            arrays += self._stored(self.names, bounds, ids, others)
        for number, array in enumerate(arrays):
            save_array(self.staging.id_shards(self.shard, number), array)
        return FoundShard(self.shard, len(ids), bounds, tuple(others))

    def _parts(self) -> Iterator[Part]:
        """Yield the staged row ids, in at least one part, without copying them."""
        yield np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int32)
        for path in self.staging.id_parts.all(self.shard):
            own = self.codes[int(path.stem.split("-")[1])]
            same = np.array_equal(own, np.arange(len(own)))
            for batch in read_stream(path).to_batches():
                codes, ids, votes = (np.asarray(batch[name]) for name in (CODE, ID, VOTES))
                yield codes if same else own[codes], ids, votes

    def _stored(
        self, stored: Names, bounds: I64, ids: I64, others: dict[str, int]
    ) -> tuple[I64, I32]:
        """Return the stored number of each row id, or -1, and the position of its stored table.

        The position refers to ``others``. It is -1 if the item is not stored or its stored table is
        the same.
        """
        numbers = np.full(len(ids), -1, np.int64)
        kept = np.full(len(ids), -1, np.int32)
        for table, start, end in zip(self.tables, bounds, bounds[1:], strict=False):
            found = stored.locate_ids(table.pattern, ids[start:end])
            numbers[start:end] = found
            there = found >= 0
            tables = stored.tables(ItemNumbers(found[there]))
            kept[start:end][there] = _others(tables, table.name, others)
        return numbers, kept


def _others(tables: pa.Array, own: str, others: dict[str, int]) -> I32:
    """Return each table's position in ``others``, or -1 for ``own``.

    Tables that are missing in ``others`` are added to it.
    """
    coded = tables.dictionary_encode()
    places = [
        -1 if table == own else others.setdefault(table, len(others))
        for table in coded.dictionary.to_pylist()
    ]
    found: I32 = np.array(places, np.int32)[np.asarray(coded.indices)]
    return found


def votes_of(staging: Staging, starts: Sequence[int], positions: I64) -> I64:
    """Return the votes of the row ids at the given positions.

    ``starts`` has the position of the first row id of each shard.
    """
    shard = np.searchsorted(starts, positions, "right") - 1
    out = np.empty(len(positions), np.int64)
    for number in unique(shard).tolist():
        rows = np.flatnonzero(shard == number)
        out[rows] = ShardArrays(staging, number).votes[positions[rows] - starts[number]]
    return out
