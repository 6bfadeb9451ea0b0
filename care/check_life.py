"""Check that deaths and assertions name existing triples and known origins."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, minus
from provhouse.model.columns import ORIGIN, PARTITION, ROW, ROWS
from provhouse.store.tables.partitions import UNKNOWN_ORIGIN
from provhouse.store.tables.snapshot import Snapshot

from .damage_report import RESTORE_FOLDER, Damage


def life_damages(snapshot: Snapshot, counts: Counter[str]) -> Iterator[Damage]:
    """Yield a `Damage` for missing triples, missing origins, and triples that were ended twice."""
    counts["deaths"] += len(snapshot.deaths)
    died, asserted = snapshot.rows("deaths"), snapshot.rows("assertions")
    for name, rows in (("deaths", died), ("assertions", asserted)):
        outside = _count_outside(snapshot, rows)
        if outside:
            wanted = f"The table {name} names triples that no partition has"
            yield Damage(f"table {name}", wanted, f"{outside:,} of its rows do", RESTORE_FOLDER)
    if repeated := snapshot.deaths.overlapping:
        wanted = "A triple can end only once"
        found = f"{repeated:,} rows end a triple that has already ended"
        yield Damage("table deaths", wanted, found, RESTORE_FOLDER)
    unknown = minus(np.asarray(asserted[ORIGIN]), known_origins(snapshot))
    if len(unknown):
        wanted = f"Origin {unknown[0]}, which asserts triples, is unknown"
        found = f"{len(unknown):,} origins are missing in the table origins"
        yield Damage("table assertions", wanted, found, RESTORE_FOLDER)


def known_origins(snapshot: Snapshot) -> I64:
    """Return all origins that triples may name, including the number for an unknown origin."""
    return np.append(
        np.asarray(snapshot.rows("origins", [ORIGIN])[ORIGIN], np.int64), UNKNOWN_ORIGIN
    )


def _count_outside(snapshot: Snapshot, rows: pa.Table) -> int:
    """Count the rows of a table that refer to a triple that no partition contains."""
    placed = snapshot.placements
    partitions, at = np.unique(placed.partitions, return_inverse=True)
    rows_in = np.bincount(at, placed.triples, len(partitions)).astype(np.int64)
    partition, first, count = (np.asarray(rows[name]) for name in (PARTITION, ROW, ROWS))
    place = np.minimum(np.searchsorted(partitions, partition), max(len(partitions) - 1, 0))
    if not len(partitions):
        return len(partition)
    there = partitions[place] == partition
    inside = there & (first >= 0) & (count > 0) & (first + count <= rows_in[place])
    return int((~inside).sum())
