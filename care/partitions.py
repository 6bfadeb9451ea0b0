"""Every triple: it lies with the set of its dst, and the set of its src is one that it may need."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from provhouse.model.arrays import I64, among
from provhouse.model.columns import DERIVES_FROM, DST, SET, SRC
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.store.partitions import partition_path, read_partition
from provhouse.store.snapshot import Snapshot

from .report import Damage
from .tables import BACKUP, pair_codes


def partition_damages(
    snapshot: Snapshot, progress: Progress, counts: Counter[str]
) -> Iterator[Damage]:
    """Read all partitions, one at a time, and hold them against the tables."""
    pairs = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    ends = (np.asarray(pairs[name], dtype=np.int64) for name in (SET, DERIVES_FROM))
    known = np.unique(pair_codes(snapshot, *ends))
    counts["partitions"] += len(snapshot.partitions)
    for done, partition in enumerate(snapshot.partitions.tolist()):
        yield from _partition(snapshot, partition, known)
        progress.advance(done + 1, len(snapshot.partitions))


def _partition(snapshot: Snapshot, partition: int, known: I64) -> Iterator[Damage]:
    where = f"partition {partition}"
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    try:
        rows = read_partition(partition_path(folder, partition))
    except Damaged as error:
        yield Damage(where, error.wanted, error.found, error.remedy)
        return
    src, dst = (np.asarray(rows[name], dtype=np.int64) for name in (SRC, DST))
    if (np.diff(dst) < 0).any():
        yield Damage(where, "Triples should be in the order of their dst", "Some are not", BACKUP)
        return
    src_set, dst_set = _sets(snapshot, src), _sets(snapshot, dst)
    if (src_set < 0).any() or (dst_set < 0).any():
        lost = int(src[src_set < 0][0] if (src_set < 0).any() else dst[dst_set < 0][0])
        wanted = "Every triple should lead from and to an item that is held"
        yield Damage(where, wanted, f"One names the number {lost}", BACKUP)
        return
    yield from _placed(snapshot, partition, dst_set)
    across = src_set != dst_set
    pairs = np.unique(dst_set[across] * len(snapshot.set_ids) + src_set[across])
    missing = pairs[~among(pairs, known)]
    if len(missing):
        child, parent = (
            int(snapshot.set_ids[at]) for at in divmod(int(missing[0]), len(snapshot.set_ids))
        )
        wanted = f"The tables should tell that set {child} depends on set {parent}"
        yield Damage(where, wanted, f"{len(missing):,} dependencies are missing", BACKUP)


def _sets(snapshot: Snapshot, items: I64) -> I64:
    """Positions of the sets of items, -1 for an item that none has."""
    at = np.searchsorted(snapshot.set_firsts, items, "right") - 1
    inside = items < snapshot.set_firsts[at] + snapshot.set_items[at]
    return np.where(inside & (at >= 0), at, -1)


def _placed(snapshot: Snapshot, partition: int, dst_set: I64) -> Iterator[Damage]:
    """As many triples of each set lie there as the placements say."""
    placed = snapshot.placements
    here = placed.partitions == partition
    sets, counts = np.unique(dst_set, return_counts=True)
    told = snapshot.rows_of_sets(np.sort(placed.sets[here]))
    order = np.argsort(placed.sets[here])
    if not (np.array_equal(told, sets) and np.array_equal(placed.triples[here][order], counts)):
        wanted = "Sets should have as many triples there as the placements say"
        yield Damage(f"partition {partition}", wanted, "Some have others", BACKUP)
