"""Every triple: it lies with the set of its dst, and the set of its src is one that it may need."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, among
from provhouse.model.columns import DERIVES_FROM, DST, ORIGIN, SET, SRC, TRIPLE
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.store.tables.links import count_described, touching
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.placements import Placements
from provhouse.store.tables.snapshot import Snapshot

from .check_life import known_origins
from .check_names import FORGET
from .check_tables import BACKUP, pair_codes
from .report import Damage


def partition_damages(
    snapshot: Snapshot, progress: Progress, counts: Counter[str]
) -> Iterator[Damage]:
    """Read all partitions, one at a time, and hold them against the tables."""
    pairs = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    ends = (np.asarray(pairs[name], dtype=np.int64) for name in (SET, DERIVES_FROM))
    known = np.unique(pair_codes(snapshot, *ends))
    counts["partitions"] += len(snapshot.partitions)
    placed = snapshot.placements.take(snapshot.placements.order_by_partition())
    origins = known_origins(snapshot)
    for done, partition in enumerate(snapshot.partitions.tolist()):
        yield from _partition(snapshot, partition, known, placed, origins)
        progress.advance(done + 1, len(snapshot.partitions))


def _partition(
    snapshot: Snapshot, partition: int, known: I64, placed: Placements, origins: I64
) -> Iterator[Damage]:
    where = f"partition {partition}"
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    try:
        rows = read_partition(partition_path(folder, partition), (*TRIPLE, ORIGIN))
    except Damaged as error:
        yield Damage(where, error.wanted, error.found, error.remedy)
        return
    src, dst = (np.asarray(rows[name], dtype=np.int64) for name in (SRC, DST))
    if (np.diff(dst) < 0).any():
        yield Damage(where, "Triples should be in the order of their dst", "Some are not", BACKUP)
        return
    src_set, dst_set = snapshot.known_set_rows(src), snapshot.known_set_rows(dst)
    if (src_set < 0).any() or (dst_set < 0).any():
        lost = int(src[src_set < 0][0] if (src_set < 0).any() else dst[dst_set < 0][0])
        wanted = "Every triple should lead from and to an item that is held"
        yield Damage(where, wanted, f"One names the number {lost}", BACKUP)
        return
    low, high = np.searchsorted(placed.partitions, [partition, partition + 1])
    sets, held = np.unique(snapshot.set_ids[dst_set], return_counts=True)
    same = np.array_equal(placed.sets[low:high], sets)
    if not (same and np.array_equal(placed.triples[low:high], held)):
        wanted = "Sets should have as many triples there as the placements say"
        yield Damage(where, wanted, "Some have others", BACKUP)
    unknown = np.setdiff1d(rows[ORIGIN], origins)
    if len(unknown):
        wanted = f"The origin {unknown[0]}, which triples name, should be known"
        yield Damage(where, wanted, f"{len(unknown):,} are not", BACKUP)
    says = count_described(rows.filter(pa.array(touching(rows, snapshot.names.erased))))
    if says:
        wanted = "Triples of items that were erased should have neither op nor attributes"
        yield Damage(where, wanted, f"{says:,} have", FORGET)
    across = src_set != dst_set
    pairs = np.unique(dst_set[across] * len(snapshot.set_ids) + src_set[across])
    missing = pairs[~among(pairs, known)]
    if len(missing):
        child, parent = (
            int(snapshot.set_ids[at]) for at in divmod(int(missing[0]), len(snapshot.set_ids))
        )
        wanted = f"The tables should tell that set {child} depends on set {parent}"
        yield Damage(where, wanted, f"{len(missing):,} dependencies are missing", BACKUP)
