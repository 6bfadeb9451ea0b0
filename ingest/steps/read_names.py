"""Find the distinct names of a bucket, their tables, and their stored item numbers.

The items of a bucket are ordered by hash, and the buckets are too. So if the buckets are
concatenated in order, each name is at its place, which is the position of its hash among all hashes
of the ingest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, U64, Bools, ItemNumbers
from provhouse.model.columns import NAME, TABLE
from provhouse.runtime.spark.tasks import report_progress
from provhouse.runtime.storage import (
    file_size,
    read_stream,
    save_array,
    write_stream,
)
from provhouse.store.names.hashing import hashes
from provhouse.store.names.names import Names
from provhouse.store.names.printed import parsed

from ..item_naming import EXAMPLES, InTwoTables
from ..staging import Staging
from .id_index import IdIndex
from .id_shards import IdTable, votes_of
from .read_writers import HASH, NAMED, VOTES

STORED = "stored"
PLACE = "place"


@dataclass(frozen=True)
class NamedBucket:
    """The counts of a bucket. ``collided`` is true if two different names have the same hash."""

    items: int
    two_tables: int
    tables: tuple[str, ...]
    examples: Sequence[InTwoTables] = ()
    """The first names that have two tables, with these tables."""
    collided: bool = False
    named_ids: int = 0
    """The number of names that are also row ids."""


@dataclass(frozen=True)
class NameBucket:
    """The task that finds the distinct names of a bucket."""

    bucket: int
    staging: Staging
    seed: int
    names: Names
    """The stored names."""
    id_tables: Sequence[IdTable] = ()
    """The tables of row ids."""
    id_starts: Sequence[int] = ()
    """For each shard, the position of its first row id among all row ids."""

    @property
    def bytes(self) -> int:
        """The size of the bucket's staged names in bytes."""
        return sum(file_size(part) for part in self.staging.names.all(self.bucket))

    def run(self) -> NamedBucket:
        """Write the distinct names with their tables, stored item numbers and hashes."""
        staged = map(read_stream, self.staging.names.all(self.bucket))
        rows = pa.concat_tables([NAMED.empty_table(), *staged]).combine_chunks()
        report_progress(0.15)
        order = np.argsort(np.asarray(rows[HASH]), kind="stable")
        rows = rows.take(pa.array(order)).combine_chunks()
        hashed: U64 = np.asarray(rows[HASH])
        first = np.flatnonzero(np.diff(hashed, prepend=~hashed[:1]) != 0)
        if _collides(rows, hashed):
            return NamedBucket(0, 0, (), collided=True)
        report_progress(0.45)
        names = rows[NAME].take(pa.array(first)).combine_chunks()
        numbers = self.names.locate(names)
        report_progress(0.6)
        ends = np.append(first, len(rows))
        item = np.repeat(np.arange(len(first)), np.diff(ends))
        named = self._row_ids(names)
        votes = rows.select([TABLE, VOTES])
        if named.num_rows:
            votes = pa.concat_tables([votes, named.select([TABLE, VOTES])])
            item = np.concatenate([item, np.asarray(named[PLACE])])
        tables, two = _tables(votes, item, len(first))
        tables, two = _keep_stored(self.names, numbers, tables, two)
        report_progress(0.9)
        self._write(names, tables, numbers, hashed[first])
        kept = tuple(t for t in pc.unique(tables).to_pylist() if t)
        examples = [
            _example(names[at], tables[at], votes[TABLE].filter(pa.array(item == at)))
            for at in np.flatnonzero(two)[:EXAMPLES]
        ]
        return NamedBucket(len(names), int(two.sum()), kept, examples, named_ids=named.num_rows)

    def _row_ids(self, names: pa.Array) -> pa.Table:
        """Return the names that are also row ids: their positions in the bucket, tables and votes.

        Also write their positions in ``ids``.
        """
        if not self.id_tables:
            return pa.table({PLACE: [], TABLE: [], VOTES: []})
        codes, ids = parsed(names, [table.pattern for table in self.id_tables])
        at = IdIndex(self.staging).find(codes, ids)
        place = np.flatnonzero(at >= 0)
        save_array(self.staging.id_names(self.bucket), np.stack([at[place], place]))
        tables = pa.array([table.name for table in self.id_tables], pa.string())
        votes = votes_of(self.staging, self.id_starts, at[place])
        return pa.table({PLACE: place, TABLE: tables.take(pa.array(codes[place])), VOTES: votes})

    def _write(self, names: pa.Array, tables: pa.Array, numbers: ItemNumbers, hashed: U64) -> None:
        save_array(self.staging.item_hashes(self.bucket), hashed)
        lookup = hashed if self.seed == 0 else hashes(names)
        rows = pa.table({NAME: names, TABLE: tables, STORED: numbers, HASH: lookup})
        write_stream(self.staging.items(self.bucket), rows)


def _example(name: pa.Scalar, kept: pa.Scalar, named: pa.Array) -> InTwoTables:
    """Return a name, the table that it keeps, and another table that the rows have for it."""
    others = {table for table in named.to_pylist() if table} - {kept.as_py()}
    return name.as_py(), kept.as_py(), min(others)


def _collides(rows: pa.Table, hashed: U64) -> bool:
    """Return whether two different names have the same hash."""
    same_hash = hashed[1:] == hashed[:-1]
    same_name = pc.equal(rows[NAME].slice(1), rows[NAME].slice(0, len(hashed) - 1))
    return bool((same_hash & ~np.asarray(same_name, dtype=bool)).any())


def _tables(rows: pa.Table, item: I64, count: int) -> tuple[pa.Array, Bools]:
    """Return the most frequent table of each item, and a mask of items with several tables."""
    votes = pa.table({"item": item, TABLE: rows[TABLE], VOTES: rows[VOTES]})
    votes = votes.filter(pc.not_equal(votes[TABLE], ""))
    votes = votes.group_by(["item", TABLE], use_threads=False).aggregate([(VOTES, "sum")])
    votes = votes.sort_by(
        [("item", "ascending"), (f"{VOTES}_sum", "descending"), (TABLE, "ascending")]
    )
    owner = np.asarray(votes["item"])
    lead = np.flatnonzero(np.diff(owner, prepend=-1) != 0)
    winner = np.full(count, -1, np.int64)
    winner[owner[lead]] = lead
    chosen = votes[TABLE].combine_chunks().take(pa.array(winner, mask=winner < 0))
    several = np.bincount(owner, minlength=count) > 1
    return pc.fill_null(chosen, ""), several


def _keep_stored(
    stored: Names, numbers: ItemNumbers, tables: pa.Array, two: Bools
) -> tuple[pa.Array, Bools]:
    """Return the table of each item, and a mask of the items with several tables.

    The table of a stored item is its stored table. The mask also marks stored items for which the
    rows have another table.
    """
    rows = np.flatnonzero(numbers >= 0)
    if not len(rows):
        return tables, two
    kept = stored.tables(ItemNumbers(numbers[rows]))
    named = tables.take(pa.array(rows))
    both = pc.and_(pc.not_equal(named, ""), pc.not_equal(kept, ""))
    two[rows] |= np.asarray(pc.and_(both, pc.not_equal(named, kept)), dtype=bool)
    mask = pa.array(numbers >= 0)
    return pc.replace_with_mask(tables, mask, kept), two
