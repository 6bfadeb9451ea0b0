"""Step 5: append the staged rows to the Delta tables, and add segments of names.

Before it moves the first file, the step reserves numbers for the new items, sets and partitions. No
later ingest uses these numbers, even if this ingest fails. No query sees the new rows before the
commit.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.commit.append import Target, append, merged, merged_ranges
from provhouse.commit.dependencies_again import dependencies_again, pair_codes
from provhouse.commit.ending import life_rows
from provhouse.commit.next_commit import commit_with_ingest, ingest_row
from provhouse.commit.shared_counts import with_shared_counts
from provhouse.model.arrays import PartitionNumber
from provhouse.model.columns import (
    DERIVES_FROM,
    DST_TABLE,
    ITEM,
    PARTITION,
    SET,
    SRC_TABLE,
    TABLE,
)
from provhouse.model.fault_points import reach
from provhouse.runtime.files import sync_file, sync_folder
from provhouse.runtime.storage import open_array, read_stream
from provhouse.store.tables.delta_tables import NewFile, append_files
from provhouse.store.tables.partitions import partition_file
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, Totals
from provhouse.store.warehouse.ids import take_ids
from provhouse.store.warehouse.locks import check_lock

from ..job import Job
from ..staging import CHUNK, Staging
from .cut_components import CutResult
from .number import NumberResult
from .place import PlaceResult
from .place_assertions import assertions
from .place_triples import GatheredRange
from .read import ReadResult


def write(
    job: Job,
    read: ReadResult,
    numbered: NumberResult,
    cut: CutResult,
    placed: PlaceResult,
    described: Mapping[str, pa.Table],
) -> Commit:
    """Append to the Delta tables; return the commit record, which is not stored yet.

    ``described`` has, for each table of descriptions, its new rows.
    """
    ids = job.ids
    taken = replace(
        ids,
        ingest=ids.ingest + 1,
        generation=ids.generation + 1,
        base=max(ids.base, job.base + 1),
        item=ids.item + cut.items,
        set=ids.set + cut.sets,
        partition=ids.partition + placed.partitions,
        origin=max([ids.origin, *(origin.number + 1 for origin in placed.origins)]),
    )
    take_ids(job.layout, taken)
    extended = job.extends or Commit(job.base, 0, "", "", (), {}, Totals())
    commit = commit_with_ingest(extended, ids, job.rolls_back_to)
    row = ingest_row(
        commit,
        ids,
        run=job.inputs.run,
        files=job.inputs.files,
        items=cut.items,
        partitions=placed.partitions,
        triples=placed.triples,
        duplicates=read.rows - placed.triples,
        rejected=read.rejected,
        two_tables=read.two_tables,
        derived=placed.derived,
    )
    target = Target(job.layout, job.base, ids.ingest, ids.partition)
    sizes = [len(part.partitions) for part in placed.ranges]
    asserted = assertions(job.staging, sizes, ids.partition, job.room)
    more = {
        "groups": [pa.table({ITEM: job.staging.new_groups(job.room)})],
        **life_rows(placed.origins, asserted, placed.ended, ids.generation),
        **{table: [rows] for table, rows in described.items()},
    }
    versions = _write_tables(job.staging, target, placed, numbered.tables, row, more)
    tables = {**extended.tables, **versions}
    patterns = read.patterns(job.patterns)
    commit = replace(commit, tables=tables, naming=job.naming, theta=job.theta, patterns=patterns)
    after = job.after(commit)
    new = range(ids.partition, ids.partition + placed.partitions)
    commit = with_shared_counts(job.snapshot(), after, placed.ended.deaths, new)
    return replace(commit, totals=_totals(job, after, cut, placed))


def _totals(job: Job, after: Snapshot, cut: CutResult, placed: PlaceResult) -> Totals:
    before = job.extends.totals if job.extends else Totals()
    return Totals(
        partitions=before.partitions + placed.partitions,
        triples=before.triples + placed.triples - len(placed.ended.deaths),
        items=before.items + cut.items - job.staging.count_new_groups(),
        components=before.components + cut.components,
        sets=before.sets + cut.sets,
        set_dependencies=before.set_dependencies + _new_dependencies(job, after),
    )


def _new_dependencies(job: Job, after: Snapshot) -> int:
    """Return the number of set dependencies that no earlier ingest has added."""
    ends, ingest = [SET, DERIVES_FROM], job.ids.ingest
    mine = after.pieces("set_dependencies", ends, ingest)
    again = dependencies_again(after, mine, ingest, ends)
    pairs = after.room.distinct(pair_codes(after, rows)[0] for rows in again)
    return after.count_rows_of(ingest, "set_dependencies") - len(pairs)


def _write_tables(
    staging: Staging,
    target: Target,
    placed: PlaceResult,
    tables: Sequence[str],
    ingest_row: pa.Table,
    more: Mapping[str, Iterable[pa.Table]],
) -> dict[str, int]:
    """Append all staged rows; return the new version of each Delta table that got new rows."""
    check_lock(target.layout)
    _move_names(staging, target)
    versions = {"triples": _triples(staging, target, placed.ranges)}
    rejects = _rejects(staging, target)
    if rejects is not None:
        versions["rejects"] = rejects
    streams: Mapping[str, Iterable[pa.Table]] = {
        "sets": [read_stream(staging.sets)],
        "placements": _placements(staging, target, placed.ranges),
        "set_dependencies": merged_ranges(map(read_stream, staging.dependencies.all())),
        "merges": [read_stream(staging.merges)],
        "workflow": [_workflow(staging, tables)],
        "tables": [_table_items(staging, tables)],
        **more,
        "ingests": [ingest_row],
    }
    versions |= {name: append(target, name, rows) for name, rows in streams.items()}
    return {name: version for name, version in versions.items() if version >= 0}


def _triples(staging: Staging, target: Target, ranges: Sequence[GatheredRange]) -> int:
    """Move the partitions into the Delta table; return its new version, or -1 if there are none."""
    table = target.layout.table(target.base, "triples")
    table.mkdir(parents=True, exist_ok=True)
    sizes = [size for part in ranges for size in part.partitions]
    files = []
    for number, (path, size) in enumerate(
        zip(staging.partitions.all(), sizes, strict=True), target.first_partition
    ):
        file = partition_file(PartitionNumber(number))
        os.replace(path, table / file)
        reach("partition moved")
        files.append(NewFile(file, size, {PARTITION: str(number)}))
    reach("partitions moved")
    check_lock(target.layout)
    return append_files(table, "triples", files) if files else -1


def _rejects(staging: Staging, target: Target) -> int | None:
    parts = staging.rejects.all()
    if not parts:
        return None
    table = target.layout.table(target.base, "rejects")
    table.mkdir(parents=True, exist_ok=True)
    files = []
    for path in parts:
        name = f"{target.ingest:08d}-{path.name}"
        rows = pq.read_metadata(path).num_rows
        os.replace(path, table / name)
        files.append(NewFile(name, rows))
    return append_files(table, "rejects", files)


def _move_names(staging: Staging, target: Target) -> None:
    names = target.layout.names(target.base)
    names.mkdir(parents=True, exist_ok=True)
    for path in staging.segments.all():
        sync_file(path)
        os.replace(path, names / path.name)
    sync_folder(names)
    reach("names moved")


def _placements(
    staging: Staging, target: Target, ranges: Sequence[GatheredRange]
) -> Iterator[pa.Table]:
    first = target.first_partition
    for path, part in zip(staging.placements.all(), ranges, strict=True):
        rows = read_stream(path)
        column = rows.column_names.index(PARTITION)
        yield rows.set_column(column, PARTITION, pc.add(rows[PARTITION], first))
        first += len(part.partitions)


def _workflow(staging: Staging, tables: Sequence[str]) -> pa.Table:
    rows = merged([read_stream(p) for p in staging.workflow.all()], SRC_TABLE, DST_TABLE)
    names = pa.array(tables, pa.string())
    for column in (SRC_TABLE, DST_TABLE):
        at = rows.column_names.index(column)
        rows = rows.set_column(at, column, names.take(rows[column].combine_chunks()))
    return rows


def _table_items(staging: Staging, tables: Sequence[str]) -> pa.Table:
    """Count the new items of each table."""
    codes, stored = open_array(staging.tables), open_array(staging.stored)
    counts = np.zeros(len(tables), np.int64)
    for start in range(0, len(codes), CHUNK):
        rows = slice(start, start + CHUNK)
        counts += np.bincount(codes[rows][stored[rows] < 0], minlength=len(tables))
    used = np.flatnonzero(counts)
    names = pa.array(tables, pa.string()).take(pa.array(used))
    return pa.table({TABLE: names, "items": counts[used]})
