"""Check that each triple is stored with the set of its dst, and its set dependency in a table."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, ItemNumbers, PartitionNumber, SetIds, SetPositions, among
from provhouse.model.columns import DERIVES_FROM, DST, ORIGIN, SET, SRC, TRIPLE
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.store.tables.links import count_described, touching
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.placements import Placements
from provhouse.store.tables.snapshot import Snapshot

from .check_life import known_origins
from .check_tables import pair_codes
from .report import ERASE_AGAIN, RESTORE_FOLDER, Damage


def partition_damages(
    snapshot: Snapshot, progress: Progress, counts: Counter[str]
) -> Iterator[Damage]:
    """Compare all partitions with the tables, one at a time; yield a `Damage` for each fault."""
    pairs = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    ends = (SetIds(np.asarray(pairs[name], np.int64)) for name in (SET, DERIVES_FROM))
    known = np.unique(pair_codes(snapshot, *ends))
    counts["partitions"] += len(snapshot.partitions)
    placed = snapshot.placements.take(snapshot.placements.order_by_partition())
    origins = known_origins(snapshot)
    for done, partition in enumerate(snapshot.partitions.tolist()):
        yield from _partition_damages(snapshot, partition, known, placed, origins)
        progress.advance(done + 1, len(snapshot.partitions))


def _partition_damages(
    snapshot: Snapshot, partition: PartitionNumber, known: I64, placed: Placements, origins: I64
) -> Iterator[Damage]:
    where = f"partition {partition}"
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    try:
        rows = read_partition(partition_path(folder, partition), (*TRIPLE, ORIGIN))
    except Damaged as error:
        yield Damage(where, error.wanted, error.found, error.remedy)
        return
    src, dst = (ItemNumbers(np.asarray(rows[name], dtype=np.int64)) for name in (SRC, DST))
    if (np.diff(dst) < 0).any():
        yield Damage(
            where,
            "Triples are not in order",
            "Some triples have a lower dst than the triple before",
            RESTORE_FOLDER,
        )
        return
    src_set, dst_set = snapshot.known_set_rows(src), snapshot.known_set_rows(dst)
    if (src_set < 0).any() or (dst_set < 0).any():
        lost = int(src[src_set < 0][0] if (src_set < 0).any() else dst[dst_set < 0][0])
        wanted = "A triple leads from or to an item that is in no set"
        yield Damage(where, wanted, f"Its number is {lost}", RESTORE_FOLDER)
        return
    yield from _count_damages(snapshot, partition, placed, dst_set)
    yield from _content_damages(snapshot, where, rows, origins)
    yield from _missing_dependencies(snapshot, where, known, dst_set, src_set)


def _count_damages(
    snapshot: Snapshot, partition: PartitionNumber, placed: Placements, dst_set: SetPositions
) -> Iterator[Damage]:
    low, high = np.searchsorted(placed.partitions, [partition, partition + 1])
    sets, triples = np.unique(snapshot.ids_of(dst_set), return_counts=True)
    same = np.array_equal(placed.sets[low:high], sets)
    if not (same and np.array_equal(placed.triples[low:high], triples)):
        wanted = "Sets do not have as many triples in the partition as their placements"
        found = "The sets, or their numbers of triples, differ"
        yield Damage(f"partition {partition}", wanted, found, RESTORE_FOLDER)


def _content_damages(
    snapshot: Snapshot, where: str, rows: pa.Table, origins: I64
) -> Iterator[Damage]:
    """Yield a `Damage` for unknown origins, and for ops or attributes of erased items."""
    unknown = np.setdiff1d(rows[ORIGIN], origins)
    if len(unknown):
        wanted = f"Origin {unknown[0]}, which triples name, is unknown"
        found = f"{len(unknown):,} origins are missing in the table origins"
        yield Damage(where, wanted, found, RESTORE_FOLDER)
    described = count_described(rows.filter(pa.array(touching(rows, snapshot.names.erased))))
    if described:
        wanted = "Triples of erased items still have an op or attributes"
        yield Damage(where, wanted, f"{described:,} triples do", ERASE_AGAIN)


def _missing_dependencies(
    snapshot: Snapshot, where: str, known: I64, dst_set: SetPositions, src_set: SetPositions
) -> Iterator[Damage]:
    """Yield a `Damage` if triples lead from one set to another without a stored dependency."""
    across = src_set != dst_set
    pairs = np.unique(dst_set[across] * len(snapshot.set_ids) + src_set[across])
    missing = pairs[~among(pairs, known)]
    if len(missing):
        child, parent = (
            int(snapshot.set_ids[at]) for at in divmod(int(missing[0]), len(snapshot.set_ids))
        )
        wanted = f"The tables lack the dependency of set {child} on set {parent}"
        yield Damage(where, wanted, f"{len(missing):,} dependencies are missing", RESTORE_FOLDER)
