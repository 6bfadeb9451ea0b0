"""The tables: their files are there and whole, and what each says agrees with the others."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from deltalake import DeltaTable

from provhouse.model.arrays import I64, among
from provhouse.model.columns import DERIVES_FROM, SET, TRIPLES
from provhouse.store.tables.partitions import partition_path
from provhouse.store.tables.snapshot import Snapshot

from .report import RESTORE_FOLDER, Damage


def file_damages(snapshot: Snapshot, counts: Counter[str]) -> Iterator[Damage]:
    """Every file that a table's log names is there, as long as it was written."""
    for name, version in snapshot.commit.tables.items():
        folder = snapshot.layout.table(snapshot.commit.base, name)
        try:
            logged = DeltaTable(folder, version=version).get_add_actions(flatten=True)
        except Exception as error:  # whatever a log may be made of
            wanted = f"The log of the table {name} should be readable at version {version}"
            yield Damage(f"table {name}", wanted, str(error).splitlines()[0], RESTORE_FOLDER)
            continue
        sizes = zip(logged["path"].to_pylist(), logged["size_bytes"].to_pylist(), strict=True)
        for file, size in sizes:
            counts["files"] += 1
            yield from _file_damages(name, folder / file, size)


def _file_damages(table: str, path: Path, size: int) -> Iterator[Damage]:
    wanted = f"{path} should be a file of {size:,} bytes"
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
    """What the small tables say agrees with each other and with the commit's totals."""
    yield from _set_damages(snapshot)
    yield from _placement_damages(snapshot)
    yield from _dependency_damages(snapshot)
    totals = snapshot.commit.totals
    for name in ("triples", "items", "sets"):
        counts[name] += getattr(totals, name)
    found = {
        "sets": len(snapshot.set_ids),
        "items": int(snapshot.set_items.sum()),
        "components": len(np.unique(snapshot.set_components)),
        "partitions": len(snapshot.partitions),
        "triples": int(snapshot.placements.triples.sum()) - len(snapshot.deaths),
    }
    for name, number in found.items():
        told = getattr(totals, name)
        if told != number:
            wanted = f"Generation {snapshot.commit.generation} should hold {told:,} {name}"
            yield Damage("tables", wanted, f"The tables tell of {number:,}", RESTORE_FOLDER)


def _set_damages(snapshot: Snapshot) -> Iterator[Damage]:
    """The items of all sets are those of all ingests, each in one set; ids go with items."""
    first, after = snapshot.set_firsts, snapshot.set_firsts + snapshot.set_items
    spans = sorted((span.first, span.first + span.items) for span in snapshot.spans if span.items)
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    gaps = first[1:] != after[:-1]
    inside = np.isin(first[1:][gaps], starts) & np.isin(after[:-1][gaps], ends)
    wrong = np.flatnonzero(gaps)[~inside]
    if len(wrong):
        one = snapshot.set_ids[wrong[0]]
        wanted = f"The items after those of set {one} should be those of the next set"
        found = f"{len(wrong):,} sets leave items out, or have some twice"
        yield Damage("table sets", wanted, found, RESTORE_FOLDER)
    if (np.diff(snapshot.set_ids) <= 0).any():
        wanted = "Every set should stand once, in the order of its items"
        yield Damage("table sets", wanted, "Some do not", RESTORE_FOLDER)


def _placement_damages(snapshot: Snapshot) -> Iterator[Damage]:
    """Placed triples are those of known sets, as many as each partition's file has."""
    placed = snapshot.placements
    unknown = np.unique(placed.sets[~among(placed.sets, snapshot.set_ids)])
    if len(unknown):
        wanted = f"Set {unknown[0]}, in which triples lie, should be among the sets"
        yield Damage("table placements", wanted, f"{len(unknown):,} sets are not", RESTORE_FOLDER)
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    order = np.argsort(placed.partitions, kind="stable")
    partitions, starts = np.unique(placed.partitions[order], return_index=True)
    sums = np.add.reduceat(placed.triples[order], starts) if len(starts) else starts
    for partition in np.setdiff1d(snapshot.partitions, partitions).tolist():
        wanted = f"The triples of partition {partition} should lie in sets"
        yield Damage("table placements", wanted, "No set has any there", RESTORE_FOLDER)
    for partition, told in zip(partitions.tolist(), sums.tolist(), strict=True):
        yield from _row_damages(partition_path(folder, partition), partition, told)


def _row_damages(path: Path, partition: int, told: int) -> Iterator[Damage]:
    try:
        rows = pq.read_metadata(path).num_rows
    except Exception as error:
        wanted = f"The partition {path} should be readable"
        yield Damage(f"partition {partition}", wanted, str(error).splitlines()[0], RESTORE_FOLDER)
        return
    if rows != told:
        wanted = f"Partition {partition} should hold the {told:,} triples that lie in its sets"
        yield Damage(f"partition {partition}", wanted, f"It holds {rows:,}", RESTORE_FOLDER)


def _dependency_damages(snapshot: Snapshot) -> Iterator[Damage]:
    pairs = snapshot.rows("set_dependencies", [SET, DERIVES_FROM, TRIPLES])
    child, parent = (np.asarray(pairs[name], dtype=np.int64) for name in (SET, DERIVES_FROM))
    for ends in (child, parent):
        unknown = np.unique(ends[~among(ends, snapshot.set_ids)])
        if len(unknown):
            wanted = f"Set {unknown[0]}, which a dependency names, should be among the sets"
            found = f"{len(unknown):,} sets are not"
            yield Damage("table set_dependencies", wanted, found, RESTORE_FOLDER)
            return
    distinct = len(np.unique(pair_codes(snapshot, child, parent)))
    told = snapshot.commit.totals.set_dependencies
    if distinct != told:
        wanted = f"Generation {snapshot.commit.generation} should hold {told:,} dependencies"
        yield Damage("table set_dependencies", wanted, f"It holds {distinct:,}", RESTORE_FOLDER)


def pair_codes(snapshot: Snapshot, child: I64, parent: I64) -> I64:
    """One number for each pair of set ids, which are all known."""
    ids = snapshot.set_ids
    places = [np.minimum(np.searchsorted(ids, ends), len(ids) - 1) for ends in (child, parent)]
    codes: I64 = places[0] * len(ids) + places[1]
    return codes
