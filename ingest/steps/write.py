"""What was staged becomes rows of the Delta tables, and segments of names.

Ids are taken for good before the first file is moved; nothing here is visible before the commit.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.commit.append import Target, append, merged
from provhouse.model.columns import (
    DERIVES_FROM,
    DST_TABLE,
    PARTITION,
    SET,
    SRC_TABLE,
    TABLE,
)
from provhouse.model.faults import reach
from provhouse.runtime.files import sync_file, sync_folder
from provhouse.store.tables.delta import NewFile, append_files
from provhouse.store.tables.partitions import partition_file
from provhouse.store.warehouse.locks import check_lock

from .place import Gathered
from .stage import read_stream


def write_tables(
    folder: Path,
    target: Target,
    gathered: Sequence[Gathered],
    tables: Sequence[str],
    ingest_row: pa.Table,
    life: Mapping[str, pa.Table],
) -> dict[str, int]:
    """Append everything that was staged; the new version of each table that grew."""
    check_lock(target.layout)
    _move_names(folder, target)
    versions = {"triples": _triples(folder, target, gathered)}
    rejects = _rejects(folder, target)
    if rejects is not None:
        versions["rejects"] = rejects
    pairs = merged([read_stream(p) for p in _parts(folder, "dependencies")], SET, DERIVES_FROM)
    for name, rows in (
        ("sets", read_stream(folder / "sets.arrow")),
        ("placements", _placements(folder, target, gathered)),
        ("set_dependencies", pairs),
        ("merges", read_stream(folder / "merges.arrow")),
        ("workflow", _workflow(folder, tables)),
        ("tables", _table_items(folder, tables)),
        *life.items(),
        ("ingests", ingest_row),
    ):
        if rows.num_rows:
            versions[name] = append(target, name, rows)
    return {name: version for name, version in versions.items() if version >= 0}


def _parts(folder: Path, kind: str) -> list[Path]:
    return sorted((folder / kind).glob("*"))


def _triples(folder: Path, target: Target, gathered: Sequence[Gathered]) -> int:
    """Move the partitions to where they stay, under their numbers."""
    table = target.layout.table(target.base, "triples")
    table.mkdir(parents=True, exist_ok=True)
    sizes = [size for part in gathered for size in part.partitions]
    files = []
    for number, (path, size) in enumerate(
        zip(_parts(folder, "partitions"), sizes, strict=True), target.first_partition
    ):
        os.replace(path, table / partition_file(number))
        reach("partition moved")
        files.append(NewFile(partition_file(number), size, {PARTITION: str(number)}))
    reach("partitions moved")
    check_lock(target.layout)
    return append_files(table, "triples", files) if files else -1


def _rejects(folder: Path, target: Target) -> int | None:
    parts = _parts(folder, "rejects")
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


def _move_names(folder: Path, target: Target) -> None:
    names = target.layout.names(target.base)
    names.mkdir(parents=True, exist_ok=True)
    for path in _parts(folder, "segments"):
        sync_file(path)
        os.replace(path, names / path.name)
    sync_folder(names)
    reach("names moved")


def _placements(folder: Path, target: Target, gathered: Sequence[Gathered]) -> pa.Table:
    parts = []
    first = target.first_partition
    for path, part in zip(_parts(folder, "placements"), gathered, strict=True):
        rows = read_stream(path)
        column = rows.column_names.index(PARTITION)
        parts.append(rows.set_column(column, PARTITION, pc.add(rows[PARTITION], first)))
        first += len(part.partitions)
    return pa.concat_tables(parts)


def _workflow(folder: Path, tables: Sequence[str]) -> pa.Table:
    rows = merged([read_stream(p) for p in _parts(folder, "workflow")], SRC_TABLE, DST_TABLE)
    names = pa.array(tables, pa.string())
    for column in (SRC_TABLE, DST_TABLE):
        at = rows.column_names.index(column)
        rows = rows.set_column(at, column, names.take(rows[column].combine_chunks()))
    return rows


def _table_items(folder: Path, tables: Sequence[str]) -> pa.Table:
    """How many new items each table has."""
    codes = np.load(folder / "tables.npy")[np.load(folder / "held.npy") < 0]
    counts = np.bincount(codes, minlength=len(tables))
    there = np.flatnonzero(counts)
    names = pa.array(tables, pa.string()).take(pa.array(there))
    return pa.table({TABLE: names, "items": counts[there]})
