"""Check that triples are stored with the set of their dst, and that no dependency is missing."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import (
    I64,
    ItemNumbers,
    PartitionNumber,
    SetIds,
    SetPositions,
    among,
    minus,
    unique,
)
from provhouse.model.columns import (
    DERIVES_FROM,
    DESCRIPTION,
    DST,
    KIND,
    ORIGIN,
    ROLE,
    SET,
    SRC,
    TRIPLE,
)
from provhouse.model.derivations import KINDS, ROLES
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.store.tables.group_counts import triples_beyond, without_texts
from provhouse.store.tables.lost_derivations import in_ways, ways_of
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.placements import Placements
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import count_described, touching

from .check_life import known_origins
from .check_tables import pair_codes
from .damage_report import ERASE_AGAIN, RESTORE_FOLDER, Damage


def partition_damages(
    snapshot: Snapshot, progress: Progress, counts: Counter[str]
) -> Iterator[Damage]:
    """Compare each partition, one at a time, with the tables; yield a `Damage` for each fault."""
    pairs = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    ends = (SetIds(np.asarray(pairs[name], np.int64)) for name in (SET, DERIVES_FROM))
    known = unique(pair_codes(snapshot, *ends))
    counts["partitions"] += len(snapshot.partitions)
    placed = snapshot.placements.take(snapshot.placements.order_by_partition())
    origins, silent = known_origins(snapshot), without_texts(snapshot)
    for done, partition in enumerate(snapshot.partitions.tolist()):
        yield from _partition_damages(snapshot, partition, known, placed, origins, silent)
        progress.advance(done + 1, len(snapshot.partitions))
    yield from _group_damages(snapshot)


def _group_damages(snapshot: Snapshot) -> Iterator[Damage]:
    """Yield a `Damage` for a group without a set, or for a wrong count of groups' triples."""
    if (snapshot.known_set_rows(snapshot.groups) < 0).any():
        wanted = "A group of a shared derivation is in no set"
        yield Damage("table groups", wanted, "Its number is unknown", RESTORE_FOLDER)
        return
    expected, found = snapshot.commit.beyond.total, triples_beyond(snapshot, snapshot.groups)
    if found != expected:
        wanted = f"Shared derivations should stand for {expected:,} triples more than are stored"
        yield Damage("table groups", wanted, f"They stand for {found:,} more", RESTORE_FOLDER)


def _partition_damages(
    snapshot: Snapshot,
    partition: PartitionNumber,
    known: I64,
    placed: Placements,
    origins: I64,
    silent: ItemNumbers,
) -> Iterator[Damage]:
    where = f"partition {partition}"
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    try:
        columns = (*TRIPLE, ORIGIN, *(DESCRIPTION if snapshot.derived else ()))
        rows = read_partition(partition_path(folder, partition), columns)
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
    yield from _content_damages(where, rows, origins, silent)
    yield from _missing_dependencies(snapshot, where, known, dst_set, src_set)
    if snapshot.derived:
        yield from _derivation_damages(snapshot, partition, rows)


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
    where: str, rows: pa.Table, origins: I64, silent: ItemNumbers
) -> Iterator[Damage]:
    """Yield a `Damage` for unknown origins, and for ops or attributes of erased items.

    ``silent`` are the items whose triples must not have any op or attributes.
    """
    unknown = minus(rows[ORIGIN], origins)
    if len(unknown):
        wanted = f"Origin {unknown[0]}, which triples name, is unknown"
        found = f"{len(unknown):,} origins are missing in the table origins"
        yield Damage(where, wanted, found, RESTORE_FOLDER)
    described = count_described(rows.filter(pa.array(touching(rows, silent))))
    if described:
        wanted = "Triples of erased items still have an op or attributes"
        yield Damage(where, wanted, f"{described:,} triples do", ERASE_AGAIN)


def _derivation_damages(
    snapshot: Snapshot, partition: PartitionNumber, rows: pa.Table
) -> Iterator[Damage]:
    """Yield a `Damage` for unknown kinds or roles, and for derivations without a needed input."""
    where = f"partition {partition}"
    for name, codes in ((KIND, KINDS), (ROLE, ROLES)):
        unknown = minus(rows[name].drop_null(), [*codes.values()])
        if len(unknown):
            wanted = f"The {name} {unknown[0]}, which triples have, is unknown"
            yield Damage(where, wanted, f"{len(unknown):,} such codes occur", RESTORE_FOLDER)
    dead = snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
    if not dead.any():
        return
    joint = np.asarray(rows[KIND].fill_null(-1)) == KINDS["all"]
    lost = ways_of(rows.filter(pa.array(dead & joint)))
    halves = int((in_ways(rows, lost) & joint & ~dead).sum())
    if halves:
        wanted = "Derivations that need all their inputs have lost only some of them"
        yield Damage(where, wanted, f"{halves:,} triples of them still live", RESTORE_FOLDER)


def _missing_dependencies(
    snapshot: Snapshot, where: str, known: I64, dst_set: SetPositions, src_set: SetPositions
) -> Iterator[Damage]:
    """Yield a `Damage` if triples lead from one set to another without a stored dependency."""
    across = src_set != dst_set
    pairs = unique(dst_set[across] * len(snapshot.set_ids) + src_set[across])
    missing = pairs[~among(pairs, known)]
    if len(missing):
        child, parent = (
            int(snapshot.set_ids[at]) for at in divmod(int(missing[0]), len(snapshot.set_ids))
        )
        wanted = f"The tables lack the dependency of set {child} on set {parent}"
        yield Damage(where, wanted, f"{len(missing):,} dependencies are missing", RESTORE_FOLDER)
