"""Every triple: it lies with the set of its dst, and the set of its src is one that it may need."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, among
from provhouse.model.columns import DERIVES_FROM, DST, ORIGIN, SET, SRC, TRIPLE
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.store.tables.links import spoken, touching
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.snapshot import Placements, Snapshot

from .check_life import known_origins
from .check_tables import pair_codes
from .report import ERASE_AGAIN, RESTORE_FOLDER, Damage


def partition_damages(
    snapshot: Snapshot, progress: Progress, counts: Counter[str]
) -> Iterator[Damage]:
    """Read all partitions, one at a time, and hold them against the tables."""
    pairs = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    ends = (np.asarray(pairs[name], dtype=np.int64) for name in (SET, DERIVES_FROM))
    known = np.unique(pair_codes(snapshot, *ends))
    counts["partitions"] += len(snapshot.partitions)
    placed = _ordered_by_partition(snapshot.placements)
    origins = known_origins(snapshot)
    for done, partition in enumerate(snapshot.partitions.tolist()):
        yield from _partition_damages(snapshot, partition, known, placed, origins)
        progress.advance(done + 1, len(snapshot.partitions))


def _ordered_by_partition(placed: Placements) -> Placements:
    """The same by partition, then set."""
    order = np.lexsort((placed.sets, placed.partitions))
    return Placements(placed.sets[order], placed.partitions[order], placed.triples[order])


def _partition_damages(
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
        yield Damage(
            where, "Triples should be in the order of their dst", "Some are not", RESTORE_FOLDER
        )
        return
    src_set, dst_set = snapshot.held_rows(src), snapshot.held_rows(dst)
    if (src_set < 0).any() or (dst_set < 0).any():
        lost = int(src[src_set < 0][0] if (src_set < 0).any() else dst[dst_set < 0][0])
        wanted = "Every triple should lead from and to an item that is held"
        yield Damage(where, wanted, f"One names the number {lost}", RESTORE_FOLDER)
        return
    yield from _count_damages(snapshot, partition, placed, dst_set)
    yield from _content_damages(snapshot, where, rows, origins)
    yield from _missing_dependencies(snapshot, where, known, dst_set, src_set)


def _count_damages(
    snapshot: Snapshot, partition: int, placed: Placements, dst_set: I64
) -> Iterator[Damage]:
    low, high = np.searchsorted(placed.partitions, [partition, partition + 1])
    sets, held = np.unique(snapshot.set_ids[dst_set], return_counts=True)
    same = np.array_equal(placed.sets[low:high], sets)
    if not (same and np.array_equal(placed.triples[low:high], held)):
        wanted = "Sets should have as many triples there as the placements say"
        yield Damage(f"partition {partition}", wanted, "Some have others", RESTORE_FOLDER)


def _content_damages(
    snapshot: Snapshot, where: str, rows: pa.Table, origins: I64
) -> Iterator[Damage]:
    """Triples name known origins, and those of erased items neither ops nor attributes."""
    unknown = np.setdiff1d(rows[ORIGIN], origins)
    if len(unknown):
        wanted = f"The origin {unknown[0]}, which triples name, should be known"
        yield Damage(where, wanted, f"{len(unknown):,} are not", RESTORE_FOLDER)
    says = spoken(rows.filter(pa.array(touching(rows, snapshot.names.erased))))
    if says:
        wanted = "Triples of items that were erased should have neither op nor attributes"
        yield Damage(where, wanted, f"{says:,} have", ERASE_AGAIN)


def _missing_dependencies(
    snapshot: Snapshot, where: str, known: I64, dst_set: I64, src_set: I64
) -> Iterator[Damage]:
    """Every triple between two sets has its dependency in the tables."""
    across = src_set != dst_set
    pairs = np.unique(dst_set[across] * len(snapshot.set_ids) + src_set[across])
    missing = pairs[~among(pairs, known)]
    if len(missing):
        child, parent = (
            int(snapshot.set_ids[at]) for at in divmod(int(missing[0]), len(snapshot.set_ids))
        )
        wanted = f"The tables should tell that set {child} depends on set {parent}"
        yield Damage(where, wanted, f"{len(missing):,} dependencies are missing", RESTORE_FOLDER)
