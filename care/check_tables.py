"""Check that the files of the tables are complete, and that the tables agree with each other."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, PartitionNumber, SetIds, among, minus, unique
from provhouse.model.columns import DERIVES_FROM, SET, TRIPLES
from provhouse.runtime.packages import Deferred
from provhouse.store.tables.partitions import partition_path
from provhouse.store.tables.snapshot import Snapshot

from .damage_report import RESTORE_FOLDER, Damage

if TYPE_CHECKING:
    import deltalake
else:
    deltalake = Deferred("deltalake")


def file_damages(snapshot: Snapshot, counts: Counter[str]) -> Iterator[Damage]:
    """Yield a `Damage` for each file in a table's log that is missing or has the wrong size."""
    for name, version in snapshot.commit.tables.items():
        folder = snapshot.layout.table(snapshot.commit.base, name)
        try:
            logged = deltalake.DeltaTable(folder, version=version).get_add_actions(flatten=True)
        except Exception as error:  # a broken log may raise anything
            wanted = f"The log of the table {name} cannot be read at version {version}"
            yield Damage(f"table {name}", wanted, str(error).splitlines()[0], RESTORE_FOLDER)
            continue
        sizes = zip(logged["path"].to_pylist(), logged["size_bytes"].to_pylist(), strict=True)
        for file, size in sizes:
            counts["files"] += 1
            yield from _file_damages(name, folder / file, size)


def _file_damages(table: str, path: Path, size: int) -> Iterator[Damage]:
    wanted = f"{path} must be a file of {size:,} bytes"
    try:
        found = path.stat().st_size
    except OSError as error:
        yield Damage(
            f"table {table}", wanted, f"It cannot be read: {error.strerror}", RESTORE_FOLDER
        )
        return
    if found != size:
        yield Damage(f"table {table}", wanted, f"It has {found:,}", RESTORE_FOLDER)


def table_damages(snapshot: Snapshot, counts: Counter[str]) -> Iterator[Damage]:
    """Yield a `Damage` where tables disagree with each other or with the commit's totals."""
    yield from _set_damages(snapshot)
    yield from _placement_damages(snapshot)
    yield from _dependency_damages(snapshot)
    totals = snapshot.commit.totals
    for name in ("triples", "items", "sets"):
        counts[name] += getattr(totals, name)
    found = {
        "sets": len(snapshot.set_ids),
        "items": int(snapshot.set_items.sum()) - len(snapshot.groups),
        "components": len(unique(snapshot.set_components)),
        "partitions": len(snapshot.partitions),
        "triples": int(snapshot.placements.triples.sum()) - len(snapshot.deaths),
    }
    for name, number in found.items():
        expected = getattr(totals, name)
        if expected != number:
            wanted = f"Generation {snapshot.commit.generation} should have {expected:,} {name}"
            yield Damage("tables", wanted, f"The tables have {number:,}", RESTORE_FOLDER)


def _set_damages(snapshot: Snapshot) -> Iterator[Damage]:
    """Yield a `Damage` unless each item is in exactly one set.

    Also yields a `Damage` unless the ids of sets increase in the order of the sets' items.
    """
    first, after = snapshot.set_firsts, snapshot.set_firsts + snapshot.set_items
    spans = sorted((span.first, span.first + span.items) for span in snapshot.spans if span.items)
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    gaps = first[1:] != after[:-1]
    inside = np.isin(first[1:][gaps], starts) & np.isin(after[:-1][gaps], ends)
    wrong = np.flatnonzero(gaps)[~inside]
    if len(wrong):
        one = snapshot.set_ids[wrong[0]]
        wanted = f"The items of the set after set {one} do not begin where those of set {one} end"
        found = f"{len(wrong):,} sets leave out items or share items"
        yield Damage("table sets", wanted, found, RESTORE_FOLDER)
    if (np.diff(snapshot.set_ids) <= 0).any():
        wanted = "Sets are repeated, or not in the order of their items"
        found = "Some set ids are not above the id before"
        yield Damage("table sets", wanted, found, RESTORE_FOLDER)


def _placement_damages(snapshot: Snapshot) -> Iterator[Damage]:
    """Yield a `Damage` if placements name unknown sets or disagree with the partitions' files."""
    placed = snapshot.placements
    unknown = unique(placed.sets[~among(placed.sets, snapshot.set_ids)])
    if len(unknown):
        wanted = f"Set {unknown[0]}, which has triples, is not among the sets"
        found = f"{len(unknown):,} such sets are missing"
        yield Damage("table placements", wanted, found, RESTORE_FOLDER)
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    order = np.argsort(placed.partitions, kind="stable")
    partitions, starts = np.unique(placed.partitions[order], return_index=True)
    sums = np.add.reduceat(placed.triples[order], starts) if len(starts) else starts
    for partition in minus(snapshot.partitions, partitions).tolist():
        wanted = f"Partition {partition} has no placements"
        yield Damage("table placements", wanted, "No set has triples in it", RESTORE_FOLDER)
    for partition, expected in zip(partitions.tolist(), sums.tolist(), strict=True):
        yield from _row_damages(partition_path(folder, partition), partition, expected)


def _row_damages(path: Path, partition: PartitionNumber, expected: int) -> Iterator[Damage]:
    try:
        rows = pq.read_metadata(path).num_rows
    except Exception as error:
        wanted = f"The partition {path} cannot be read"
        yield Damage(f"partition {partition}", wanted, str(error).splitlines()[0], RESTORE_FOLDER)
        return
    if rows != expected:
        wanted = f"Partition {partition} should have the {expected:,} triples of its placements"
        yield Damage(f"partition {partition}", wanted, f"It has {rows:,}", RESTORE_FOLDER)


def _dependency_damages(snapshot: Snapshot) -> Iterator[Damage]:
    pairs = snapshot.rows("set_dependencies", [SET, DERIVES_FROM, TRIPLES])
    child, parent = (SetIds(np.asarray(pairs[name], np.int64)) for name in (SET, DERIVES_FROM))
    for ends in (child, parent):
        unknown = unique(ends[~among(ends, snapshot.set_ids)])
        if len(unknown):
            wanted = f"Set {unknown[0]}, which a dependency names, is not among the sets"
            found = f"{len(unknown):,} such sets are missing"
            yield Damage("table set_dependencies", wanted, found, RESTORE_FOLDER)
            return
    distinct = len(unique(pair_codes(snapshot, child, parent)))
    expected = snapshot.commit.totals.set_dependencies
    if distinct != expected:
        wanted = (
            f"Generation {snapshot.commit.generation} should have {expected:,} set dependencies"
        )
        yield Damage("table set_dependencies", wanted, f"It has {distinct:,}", RESTORE_FOLDER)


def pair_codes(snapshot: Snapshot, child: SetIds, parent: SetIds) -> I64:
    """Return a unique number for each pair of set ids. All ids must exist in the snapshot."""
    ids = snapshot.set_ids
    places = [np.minimum(np.searchsorted(ids, ends), len(ids) - 1) for ends in (child, parent)]
    codes: I64 = places[0] * len(ids) + places[1]
    return codes
