"""Deaths and assertions: they tell of triples that are there, and of origins that are known."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.columns import ORIGIN, PARTITION, ROW, ROWS
from provhouse.store.tables.partitions import UNKNOWN
from provhouse.store.tables.snapshot import Snapshot

from .report import RESTORE_FOLDER, Damage


def life_damages(snapshot: Snapshot, counts: Counter[str]) -> Iterator[Damage]:
    """No triple dies twice, and nothing is said of a triple or by an origin that is not there."""
    counts["deaths"] += len(snapshot.deaths)
    died, asserted = snapshot.rows("deaths"), snapshot.rows("assertions")
    for name, rows in (("deaths", died), ("assertions", asserted)):
        outside = _count_outside(snapshot, rows)
        if outside:
            wanted = f"The table {name} should tell of rows that partitions have"
            yield Damage(f"table {name}", wanted, f"{outside:,} of its rows do not", RESTORE_FOLDER)
    if again := snapshot.deaths.overlapping:
        wanted = "Every triple should die at most once"
        yield Damage("table deaths", wanted, f"{again:,} rows tell of one that did", RESTORE_FOLDER)
    unknown = np.setdiff1d(np.asarray(asserted[ORIGIN]), known_origins(snapshot))
    if len(unknown):
        wanted = f"The origin {unknown[0]}, which asserts triples, should be known"
        yield Damage("table assertions", wanted, f"{len(unknown):,} are not", RESTORE_FOLDER)


def known_origins(snapshot: Snapshot) -> I64:
    """All that triples may name, that of older triples among them."""
    return np.append(np.asarray(snapshot.rows("origins", [ORIGIN])[ORIGIN], np.int64), UNKNOWN)


def _count_outside(snapshot: Snapshot, rows: pa.Table) -> int:
    """How many rows of a table tell of more than the partitions hold."""
    placed = snapshot.placements
    partitions, at = np.unique(placed.partitions, return_inverse=True)
    held = np.bincount(at, placed.triples, len(partitions)).astype(np.int64)
    partition, first, count = (np.asarray(rows[name]) for name in (PARTITION, ROW, ROWS))
    place = np.minimum(np.searchsorted(partitions, partition), max(len(partitions) - 1, 0))
    if not len(partitions):
        return len(partition)
    there = partitions[place] == partition
    inside = there & (first >= 0) & (count > 0) & (first + count <= held[place])
    return int((~inside).sum())
