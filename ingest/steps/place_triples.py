"""Put every new triple into a partition, next to other triples whose dst is in the same set.

First, ``ScatterTriples`` distributes the rows of staged files over ranges of item numbers. Then
``GatherTriples`` sorts each range, removes duplicates, and cuts the range into partitions. So a
task has only one range in memory. The items of a set have consecutive numbers, so sorting by dst
brings the triples of a set together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.commit.append import OPS_KEPT
from provhouse.model.arrays import I64, Bools, ItemNumbers, SetIds
from provhouse.model.columns import (
    ATTRIBUTES,
    BORN,
    DERIVES_FROM,
    DESCRIPTION,
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
    WAY,
)
from provhouse.model.compiled import compiled
from provhouse.model.fault_points import reach
from provhouse.runtime.spark.tasks import part_of_task, report_progress
from provhouse.runtime.storage import (
    open_array,
    read_batches,
    read_schema,
    read_stream,
    stream_writer,
    write_stream,
)
from provhouse.store.tables.partitions import write_partition
from provhouse.store.tables.snapshot import Snapshot

from ..staging import Staging
from .grouping import writable_at_once
from .place_assertions import new_assertions, repeats
from .place_derivations import NO_WAYS, NextWays, plain, ways
from .place_duplicates import MoreOrigins, distinct
from .place_stored import find_stored
from .place_texts import coded, decoded
from .read_derivations import STAGED
from .read_shared import SOURCE

CARRIED = (OP, ATTRIBUTES, BORN, *STAGED)
"""The staged columns that rows keep besides their origin. Only a compaction has ``born``."""


@dataclass(frozen=True)
class ScatterTriples:
    """The task that distributes the rows of one or more staged files over ranges."""

    files: range
    staging: Staging
    bounds: Sequence[int]
    origins: Sequence[int]
    """For each file, the origin of its rows, unless the rows name their own origins."""
    of_sources: Sequence[int] = ()
    """The origin of each input file, for rows that refer to the file by its number."""

    def run(self) -> None:
        """Replace places by item numbers, and write the rows to one file for each range."""
        staged = [self.staging.rows(number) for number in self.files]
        form = _numbered(pa.unify_schemas(map(read_schema, staged)))
        writable_at_once(len(self.bounds) + 1)
        outs = [
            stream_writer(self.staging.range_rows(r, self.files[0]), form)
            for r in range(len(self.bounds) + 1)
        ]
        for at, (number, origin) in enumerate(zip(self.files, self.origins, strict=True)):
            with part_of_task(at / len(self.files), (at + 1) / len(self.files)):
                self._scatter(number, origin, form, outs)
        for out in outs:
            out.close()

    def _scatter(
        self,
        number: int,
        origin: int,
        form: pa.Schema,
        outs: Sequence[pa.ipc.RecordBatchStreamWriter],
    ) -> None:
        numbers = open_array(self.staging.numbers)
        tables = open_array(self.staging.tables)
        edges = open_array(self.staging.edges(number))
        at = 0
        for batch in read_batches(self.staging.rows(number)):
            src, dst = edges[:, at : at + batch.num_rows]
            at += batch.num_rows
            ends = [numbers[src], numbers[dst]]
            codes = [tables[src], tables[dst]]
            kept = [_carried(batch, field, origin) for field in list(form)[4:]]
            if SOURCE in batch.schema.names:
                kept[-1] = pa.array(self.of_sources, pa.int32()).take(batch.column(SOURCE))
            rows = pa.record_batch([*ends, *codes, *kept], schema=form)
            self._spread(rows, ends[1], outs)
            report_progress(at / edges.shape[1])

    def _spread(
        self, rows: pa.RecordBatch, dst: I64, outs: Sequence[pa.ipc.RecordBatchStreamWriter]
    ) -> None:
        if len(outs) == 1:
            outs[0].write_batch(rows)
            return
        range_of = np.searchsorted(np.array(self.bounds), dst, "right")
        for number, out in enumerate(outs):
            out.write_batch(rows.filter(pa.array(range_of == number)))


def _carried(batch: pa.RecordBatch, field: pa.Field, origin: int) -> pa.Array:
    """Return a column of a file's rows.

    It is null if the file lacks the column, but other files of the task have it.
    """
    if field.name in batch.schema.names:
        return batch.column(field.name)
    value = origin if field.name == ORIGIN else None
    return pa.repeat(pa.scalar(value, field.type), batch.num_rows)


def _numbered(staged: pa.Schema) -> pa.Schema:
    """Return the schema of rows with item numbers, the tables of src and dst, and kept columns."""
    numbers = [(SRC, pa.int64()), (DST, pa.int64())]
    codes = [(SRC_TABLE, pa.int32()), (DST_TABLE, pa.int32())]
    kept = [field for field in staged if field.name in CARRIED]
    return pa.schema([*numbers, *codes, *kept, (ORIGIN, pa.int32())])


@dataclass(frozen=True)
class GatheredRange:
    """The counts of what a task has written for one range."""

    partitions: tuple[int, ...]
    """The number of triples in each partition."""
    asserted: int
    """The number of new assertions."""
    derived: int
    """The number of new triples with a value in a column that describes derivations."""


@dataclass(frozen=True)
class GatherTriples:
    """The task that turns the triples of a range of item numbers into partitions."""

    number: int
    staging: Staging
    snapshot: Snapshot | None
    first_item: int
    partition_triples: int
    ingest: int
    born: int
    replaces: bool
    """Whether the input replaces a run.

    If so, the stored triples that the input contains again are staged.
    """
    labels_differ: bool
    """Whether different labels always denote different derivations, as in rows of a warehouse."""

    def run(self) -> GatheredRange:
        """Write the range's partitions, and its placements, dependencies and assertions."""
        staging, number = self.staging, self.number
        parts = staging.range_rows.all(number)
        read = pa.concat_tables(map(read_stream, parts), promote_options="default")
        found = distinct(coded(read), labels_differ=self.labels_differ)
        rows, further = found.rows, found.more
        report_progress(0.55)
        asserted, new, following = 0, np.ones(rows.num_rows, bool), NO_WAYS
        if self.snapshot:
            stored = find_stored(self.snapshot, found, self.first_item)
            new, following = stored.places < 0, stored.following
            brought = repeats(stored, np.asarray(rows[ORIGIN], dtype=np.int64), further)
            if self.replaces:
                write_stream(staging.repeats(number), brought)
            asserting = new_assertions(self.snapshot, brought)
            write_stream(staging.new_assertions(number), asserting)
            asserted = asserting.num_rows
            rows, further = rows.filter(pa.array(new)), further.of(new)
        rows = _with_ways(rows, found.derivations[new], following)
        sets = _Sets(staging, self.snapshot)
        dst_sets = sets.of(ItemNumbers(np.asarray(rows[DST])))
        bounds, placements = partition(dst_sets, self.partition_triples)
        self._write_partitions(rows, bounds)
        write_stream(staging.placements(number), placements)
        write_stream(staging.dependencies(number), _dependencies(rows, dst_sets, sets))
        write_stream(staging.workflow(number), _workflow(rows))
        more = _within(bounds, further)
        write_stream(staging.more_origins(number), more)
        derived = int((~plain(rows, DESCRIPTION)).sum())
        return GatheredRange(tuple(np.diff(bounds).tolist()), asserted + more.num_rows, derived)

    def _write_partitions(self, rows: pa.Table, bounds: I64) -> None:
        described = [name for name in DESCRIPTION if name in rows.column_names]
        kept = rows.select([SRC, DST, OP, ATTRIBUTES, ORIGIN, *described])
        ingest, born = (
            pa.repeat(pa.scalar(value, pa.int32()), len(kept)) for value in (self.ingest, self.born)
        )
        kept = kept.append_column(INGEST, ingest)
        kept = kept.append_column(BORN, rows[BORN] if BORN in rows.column_names else born)
        for number, (start, end) in enumerate(pairwise(bounds.tolist())):
            path = self.staging.partitions(self.number, number)
            write_partition(decoded(kept.slice(start, end - start)), path)
            reach("partition staged")
            report_progress(0.7 + 0.15 * end / len(rows))


def _with_ways(rows: pa.Table, derivation: I64, following: NextWays) -> pa.Table:
    """Return the rows, with the column ``WAY`` if any row is part of a derivation."""
    if not (derivation >= 0).any():
        return rows
    way = ways(np.asarray(rows[DST], dtype=np.int64), derivation, following)
    return rows.append_column(WAY, pa.array(way, pa.int32(), mask=way < 0))


class _Sets:
    """A look-up of the sets of stored and new items."""

    def __init__(self, staging: Staging, snapshot: Snapshot | None) -> None:
        new = read_stream(staging.sets)
        ids, firsts = np.asarray(new[SET]), np.asarray(new[FIRST])
        if snapshot:
            ids = np.concatenate([snapshot.set_ids, ids])
            firsts = np.concatenate([snapshot.set_firsts, firsts])
        self._ids, self._firsts = SetIds(ids), ItemNumbers(firsts)

    def of(self, items: ItemNumbers) -> SetIds:
        return SetIds(self._ids[np.searchsorted(self._firsts, items, "right") - 1])


def partition(dst_sets: I64, limit: int) -> tuple[I64, pa.Table]:
    """Cut sorted triples into partitions of at most ``limit`` triples.

    A set of at most ``limit`` triples is never divided.

    Returns an array and a table. The array has the first row of each partition, followed by the
    number of rows. The table has the placements: set, partition (from 0) and number of triples.
    """
    starts = np.flatnonzero(np.diff(dst_sets, prepend=-1) != 0)
    sizes = np.diff(np.append(starts, len(dst_sets)))
    owner, part, triples = _fill(sizes.astype(np.int64), limit)
    count = int(part[-1]) + 1 if len(part) else 0
    rows = np.bincount(part, triples, minlength=count).astype(np.int64)
    bounds = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    placements = pa.table({SET: dst_sets[starts[owner]], PARTITION: part, TRIPLES: triples})
    return bounds, placements


def _within(bounds: I64, further: MoreOrigins) -> pa.Table:
    """Return a row for each further origin of a triple, with three columns.

    The columns are the partition (from 0), the row in the partition, and the origin.
    """
    partition = np.searchsorted(bounds, further.rows, "right") - 1
    return pa.table(
        {PARTITION: partition, ROW: further.rows - bounds[partition], ORIGIN: further.origins}
    )


@compiled()
def _fill(sizes: I64, limit: int) -> tuple[I64, I64, I64]:
    """Return the placements of sets with the given sizes, as three arrays.

    The arrays have, for each placement, the index of the set, the partition (from 0) and the number
    of triples.
    """
    pieces = 0
    for size in sizes:
        # A set that does not fit begins a new partition, so it has at most this many pieces.
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


def _dependencies(rows: pa.Table, dst_sets: SetIds, sets: _Sets) -> pa.Table:
    """Return a row for each pair of sets, with the number and the ops of triples between them."""
    src_sets = sets.of(ItemNumbers(np.asarray(rows[SRC])))
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
    """Return a row for each pair of tables, with the number and ops of triples between them.

    Tables are given by their numbers.
    """
    return _counted(rows.select([SRC_TABLE, DST_TABLE, OP]), [SRC_TABLE, DST_TABLE])


def _counted(rows: pa.Table, keys: list[str]) -> pa.Table:
    by_op = rows.group_by([*keys, OP], use_threads=False).aggregate([([], "count_all")])
    pairs = (
        decoded(by_op)
        .group_by(keys, use_threads=False)
        .aggregate([("count_all", "sum"), (OP, "list")])
    )
    pairs = pairs.rename_columns([*keys, TRIPLES, OPS])
    few = pc.list_slice(pairs[OPS], 0, OPS_KEPT, return_fixed_size_list=False)
    return pairs.set_column(pairs.column_names.index(OPS), OPS, few)
