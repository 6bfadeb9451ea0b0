"""Find the items and triples that a what-if question supposes to be deleted."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.commit.ending import end_of_origins
from provhouse.commit.numbered_origins import origins_of_file, origins_of_run
from provhouse.model.arrays import (
    I32,
    I64,
    ItemNumbers,
    PartitionNumbers,
    RowPlaces,
    SetPositions,
    among,
    expand_ranges,
    unique,
)
from provhouse.model.columns import ATTRIBUTES, DST, OP, SRC, TABLE
from provhouse.model.deletion import Deletion
from provhouse.model.errors import NotFound, UsageError
from provhouse.query.lineage.row_filters import with_attributes
from provhouse.query.locate import check_tables, locate_versions
from provhouse.store.cache.fetched import Fetched
from provhouse.store.names.scan import scan
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.ranges import Ranges, places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import partitions_touching

_NONE = ItemNumbers(np.empty(0, np.int64))
_NO_ROWS = RowPlaces(np.empty(0, np.int64))


@dataclass(frozen=True)
class Deleted:
    """The items and the triples that are deleted."""

    items: ItemNumbers
    """The numbers of the deleted items, in order."""
    triples: Ranges

    def sets(self, snapshot: Snapshot) -> SetPositions:
        """Return the sorted sets that contain a deleted item or the dst of a deleted triple."""
        found: list[I64] = [snapshot.set_rows(self.items)]
        for partition in self.triples.partitions.tolist():
            dst = np.asarray(read_partition(snapshot.partition_path(partition), (DST,))[DST])
            ended = self.triples.has(places(partition, np.arange(len(dst))))
            found.append(unique(snapshot.set_rows(ItemNumbers(dst[ended].astype(np.int64)))))
        return SetPositions(unique(np.concatenate(found)))

    def rows(self, triples: Fetched, partitions: PartitionNumbers) -> I32:
        """Return the positions of the deleted triples among the fetched triples."""
        if not len(self.triples):
            return np.empty(0, np.int32)
        each = zip(partitions.tolist(), triples.rows, strict=True)
        found = [self.triples.has(places(number, rows.astype(np.int64))) for number, rows in each]
        return np.flatnonzero(np.concatenate([np.empty(0, bool), *found])).astype(np.int32)


def select(snapshot: Snapshot, deletion: Deletion) -> Deleted:
    """Return the items and triples that a deletion names.

    Raises NotFound if an item, op, file or run is not stored; UsageError if nothing is named, or if
    a table has no items.
    """
    if not deletion.named.keys() - {"where"}:
        raise UsageError(
            "Nothing is deleted",
            "A what-if question supposes that something does not exist",
            "Name an item with --delete, or see `provhouse what-if --help`",
        )
    items = [_NONE, *(locate_versions(snapshot, name).numbers for name in deletion.items)]
    if deletion.tables:
        items.append(_of_tables(snapshot, deletion))
    elif deletion.where:
        raise UsageError(
            "Attributes are given without a table",
            "They choose items of a table",
            "Name the table with --delete-table",
        )
    triples = [*_of_origins(snapshot, deletion)]
    if deletion.ops:
        triples.append(_of_ops(snapshot, deletion.ops))
    return Deleted(ItemNumbers(unique(np.concatenate(items))), _union(triples))


def _of_tables(snapshot: Snapshot, deletion: Deletion) -> ItemNumbers:
    """Return the items of the tables; given attributes, only items whose triples have them."""
    check_tables(deletion.tables, snapshot)
    wanted = pa.array(deletion.tables, pa.string())

    def chosen(rows: pa.Table, first: int) -> I64:
        found = pc.is_in(rows[TABLE].cast(pa.string()), wanted)
        return np.flatnonzero(np.asarray(found)) + first

    found = np.concatenate([_NONE, *scan(snapshot.names, chosen, (TABLE,))])
    items = ItemNumbers(found[~among(found, snapshot.groups)])
    return _with_attributes(snapshot, items, deletion.where) if deletion.where else items


def _with_attributes(
    snapshot: Snapshot, items: ItemNumbers, where: tuple[tuple[str, str], ...]
) -> ItemNumbers:
    """Return the items that are the src of a live triple with the attributes ``where``."""
    found: list[I64] = [_NONE]
    for partition in partitions_touching(snapshot, items).tolist():
        rows = read_partition(snapshot.partition_path(partition), (SRC, ATTRIBUTES))
        src = np.asarray(rows[SRC], np.int64)
        living = ~snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
        found.append(src[living & among(src, items) & with_attributes(rows[ATTRIBUTES], where)])
    return ItemNumbers(unique(np.concatenate(found)))


def _of_origins(snapshot: Snapshot, deletion: Deletion) -> Iterator[Ranges]:
    origins = [
        *(one for file in deletion.files for one in origins_of_file(snapshot, Path(file))),
        *(one for run in deletion.runs for one in origins_of_run(snapshot, run)),
    ]
    if origins:
        yield end_of_origins(snapshot, {one.number for one in origins}).deaths


def _of_ops(snapshot: Snapshot, ops: tuple[str, ...]) -> Ranges:
    """Search all partitions for the live triples of ``ops``."""
    wanted, seen = pa.array(ops, pa.string()), set[str]()
    found = []
    for partition in snapshot.partitions.tolist():
        rows = read_partition(snapshot.partition_path(partition), (OP,))
        at = np.flatnonzero(np.asarray(pc.is_in(rows[OP].cast(pa.string()), wanted)))
        here = places(partition, at)
        living = ~snapshot.deaths.has(here)
        found.append(Ranges.of(RowPlaces(here[living])))
        seen.update(rows[OP].take(pa.array(at[living])).unique().to_pylist())
    if missing := sorted({*ops} - seen):
        raise NotFound(
            f"No triple has the op {missing[0]!r}",
            f"Generation {snapshot.commit.generation} has other ops",
            "Run `provhouse list values op` to list them",
        )
    return Ranges.joined(found)


def _union(parts: list[Ranges]) -> Ranges:
    """Return the union of the given ranges, which may overlap."""
    if len(parts) == 1:
        return parts[0]
    places_of = [expand_ranges(one.starts, one.ends - one.starts) for one in parts]
    every = unique(np.concatenate([_NO_ROWS, *places_of]))
    return Ranges.of(RowPlaces(every.astype(np.int64)))
