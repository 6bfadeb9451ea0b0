"""Every triple goes into a partition, with the set of its dst.

First each staged file is scattered into ranges of numbers (``scatter``), then each range is sorted,
freed of duplicates and cut into partitions (``gather``), so that one range at a time is in memory.
Sorting by dst brings the triples of a set together, since the numbers of a set follow each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from provhouse.commit.append import OPS_KEPT
from provhouse.model.arrays import I64, Bools
from provhouse.model.columns import (
    ATTRIBUTES,
    BORN,
    DERIVES_FROM,
    DST,
    DST_TABLE,
    FIRST,
    INGEST,
    OP,
    OPS,
    ORIGIN,
    PARTITION,
    ROW,
    SET,
    SRC,
    SRC_TABLE,
    TRIPLES,
)
from provhouse.model.faults import reach
from provhouse.spark.tasks import report_progress
from provhouse.store.tables.partitions import write_partition
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit
from provhouse.store.warehouse.layout import Layout

from .asserting import ASSERTED, BROUGHT, FURTHER, again, unheard
from .duplicates import Further, distinct
from .edges import stream, stream_form
from .stage import read_stream
from .stored import held_already

CARRIED = (OP, ATTRIBUTES, BORN)
"""What rows keep as it was staged, beside their origin; only those of a compaction are older."""


@dataclass(frozen=True)
class Scatter:
    """A staged file whose rows go into ranges."""

    number: int
    folder: Path
    bounds: Sequence[int]
    origin: int
    """Who brings the rows, unless they say so themselves."""

    def run(self) -> None:
        """Write the file's rows, with numbers for places, into one file a range."""
        numbers = np.load(self.folder / "numbers.npy", mmap_mode="r")
        tables = np.load(self.folder / "tables.npy", mmap_mode="r")
        edges = np.load(self.folder / "edges" / f"{self.number:06d}.npy", mmap_mode="r")
        (self.folder / "ranges").mkdir(exist_ok=True)
        staged = self.folder / "rows" / f"{self.number:06d}.arrow"
        form = _numbered(stream_form(staged))
        outs = [
            pa.ipc.new_stream(
                str(self.folder / "ranges" / f"{r:04d}-{self.number:06d}.arrow"),
                form,
                options=pa.ipc.IpcWriteOptions(compression="lz4"),
            )
            for r in range(len(self.bounds) + 1)
        ]
        at = 0
        for batch in stream(staged):
            src, dst = edges[:, at : at + batch.num_rows]
            at += batch.num_rows
            ends = [numbers[src], numbers[dst]]
            codes = [tables[src], tables[dst]]
            kept = [self._carried(batch, name) for name in form.names[4:]]
            rows = pa.record_batch([*ends, *codes, *kept], schema=form)
            self._spread(rows, ends[1], outs)
            report_progress(at / edges.shape[1])
        for out in outs:
            out.close()

    def _carried(self, batch: pa.RecordBatch, name: str) -> pa.Array:
        if name == ORIGIN and name not in batch.schema.names:
            return pa.repeat(pa.scalar(self.origin, pa.int32()), batch.num_rows)
        return batch.column(name)

    def _spread(
        self, rows: pa.RecordBatch, dst: I64, outs: Sequence[pa.ipc.RecordBatchStreamWriter]
    ) -> None:
        if len(outs) == 1:
            outs[0].write_batch(rows)
            return
        range_of = np.searchsorted(np.array(self.bounds), dst, "right")
        for number, out in enumerate(outs):
            out.write_batch(rows.filter(pa.array(range_of == number)))


def _numbered(staged: pa.Schema) -> pa.Schema:
    """The form of rows whose ends are numbers, with the tables of both, and what they keep."""
    numbers = [(SRC, pa.int64()), (DST, pa.int64())]
    codes = [(SRC_TABLE, pa.int32()), (DST_TABLE, pa.int32())]
    kept = [field for field in staged if field.name in CARRIED]
    return pa.schema([*numbers, *codes, *kept, (ORIGIN, pa.int32())])


@dataclass(frozen=True)
class Gathered:
    """What a range has: how many triples each of its partitions, and how many assertions."""

    partitions: tuple[int, ...]
    asserted: int


@dataclass(frozen=True)
class Gather:
    """A range of numbers whose triples become partitions."""

    number: int
    folder: Path
    layout: Layout
    commit: Commit | None
    first_item: int
    partition_triples: int
    ingest: int
    born: int
    replaces: bool
    """Whether it shall be known which held triples came again."""

    def run(self) -> Gathered:
        """Write the range's partitions and what they say of sets and tables."""
        parts = sorted((self.folder / "ranges").glob(f"{self.number:04d}-*.arrow"))
        read = pa.concat_tables(map(read_stream, parts)).combine_chunks()
        report_progress(0.1)
        rows, further = distinct(read)
        report_progress(0.55)
        snapshot = Snapshot(self.layout, self.commit) if self.commit else None
        asserted = 0
        if snapshot:
            held = held_already(snapshot, rows, self.first_item)
            new = held.places < 0
            brought = again(held, np.asarray(rows[ORIGIN], dtype=np.int64), further)
            if self.replaces:
                self._save(BROUGHT, brought)
            asserted = self._save(ASSERTED, unheard(snapshot, brought))
            rows, further = rows.filter(pa.array(new)), further.of(new)
        sets = _Sets(self.folder, snapshot)
        dst_sets = sets.of(np.asarray(rows[DST]))
        bounds, placements = partition(dst_sets, self.partition_triples)
        self._write_partitions(rows, bounds)
        self._save("placements", placements)
        self._save("dependencies", _dependencies(rows, dst_sets, sets))
        self._save("workflow", _workflow(rows))
        asserted += self._save(FURTHER, _within(bounds, further))
        return Gathered(tuple(np.diff(bounds).tolist()), asserted)

    def _write_partitions(self, rows: pa.Table, bounds: I64) -> None:
        folder = self.folder / "partitions"
        folder.mkdir(exist_ok=True)
        kept = rows.select([SRC, DST, OP, ATTRIBUTES, ORIGIN])
        ingest, born = (
            pa.repeat(pa.scalar(value, pa.int32()), len(kept)) for value in (self.ingest, self.born)
        )
        kept = kept.append_column(INGEST, ingest)
        kept = kept.append_column(BORN, rows[BORN] if BORN in rows.column_names else born)
        for number, (start, end) in enumerate(pairwise(bounds.tolist())):
            path = folder / f"{self.number:04d}-{number:06d}.parquet"
            write_partition(kept.slice(start, end - start), path)
            reach("partition staged")
            report_progress(0.7 + 0.15 * end / len(rows))

    def _save(self, kind: str, table: pa.Table) -> int:
        (self.folder / kind).mkdir(exist_ok=True)
        with pa.ipc.new_stream(
            str(self.folder / kind / f"{self.number:04d}.arrow"), table.schema
        ) as out:
            out.write_table(table)
        return int(table.num_rows)


class _Sets:
    """The set of each item, held or new."""

    def __init__(self, folder: Path, snapshot: Snapshot | None) -> None:
        new = read_stream(folder / "sets.arrow")
        ids, firsts = np.asarray(new[SET]), np.asarray(new[FIRST])
        if snapshot:
            ids = np.concatenate([snapshot.set_ids, ids])
            firsts = np.concatenate([snapshot.set_firsts, firsts])
        self._ids, self._firsts = ids, firsts

    def of(self, items: I64) -> I64:
        sets: I64 = self._ids[np.searchsorted(self._firsts, items, "right") - 1]
        return sets


def partition(dst_sets: I64, limit: int) -> tuple[I64, pa.Table]:
    """Cut sorted triples into partitions of at most ``limit``, whole sets together if they fit.

    Returns the rows at which partitions begin (and the end), and the placements: set, partition
    (from 0) and triples.
    """
    starts = np.flatnonzero(np.diff(dst_sets, prepend=-1) != 0)
    sizes = np.diff(np.append(starts, len(dst_sets)))
    owner, part, triples = _fill(sizes.astype(np.int64), limit)
    count = int(part[-1]) + 1 if len(part) else 0
    rows = np.bincount(part, triples, minlength=count).astype(np.int64)
    bounds = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    placements = pa.table({SET: dst_sets[starts[owner]], PARTITION: part, TRIPLES: triples})
    return bounds, placements


def _within(bounds: I64, further: Further) -> pa.Table:
    """Further origins by the partition (from 0) and the row in it."""
    partition = np.searchsorted(bounds, further.rows, "right") - 1
    return pa.table(
        {PARTITION: partition, ROW: further.rows - bounds[partition], ORIGIN: further.origins}
    )


@njit(cache=True)
def _fill(sizes: I64, limit: int) -> tuple[I64, I64, I64]:
    """Which set's triples go into which partition, and how many, in order."""
    pieces = 0
    for size in sizes:
        pieces += 1 + size // limit
    owner = np.empty(pieces, np.int64)
    part = np.empty(pieces, np.int64)
    triples = np.empty(pieces, np.int64)
    at, current, used = 0, -1, limit
    for one in range(len(sizes)):
        left = sizes[one]
        if used + left > limit:
            current, used = current + 1, 0
        while left > 0:
            if used == limit:
                current, used = current + 1, 0
            taken = min(left, limit - used)
            owner[at], part[at], triples[at] = one, current, taken
            at, used, left = at + 1, used + taken, left - taken
    return owner[:at], part[:at], triples[:at]


def _dependencies(rows: pa.Table, dst_sets: I64, sets: _Sets) -> pa.Table:
    """How many triples lead from one set into another, and their ops."""
    src_sets = sets.of(np.asarray(rows[SRC]))
    across: Bools = dst_sets != src_sets
    pairs = pa.table(
        {
            SET: dst_sets[across],
            DERIVES_FROM: src_sets[across],
            OP: rows[OP].filter(pa.array(across)),
        }
    )
    return _counted(pairs, [SET, DERIVES_FROM])


def _workflow(rows: pa.Table) -> pa.Table:
    """How many triples lead from one table (as a number) into another, and their ops."""
    return _counted(rows.select([SRC_TABLE, DST_TABLE, OP]), [SRC_TABLE, DST_TABLE])


def _counted(rows: pa.Table, keys: list[str]) -> pa.Table:
    by_op = rows.group_by([*keys, OP], use_threads=False).aggregate([([], "count_all")])
    pairs = by_op.group_by(keys, use_threads=False).aggregate([("count_all", "sum"), (OP, "list")])
    pairs = pairs.rename_columns([*keys, TRIPLES, OPS])
    few = pc.list_slice(pairs[OPS], 0, OPS_KEPT, return_fixed_size_list=False)
    return pairs.set_column(pairs.column_names.index(OPS), OPS, few)
