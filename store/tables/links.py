"""Find the triples that touch given items, and count what an erasure left of them.

A triple of an erased item becomes a link: it keeps its row but loses op and attributes. So
questions still reach what the item led to, and everything that refers to rows by their places stays
valid.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Bools, ItemNumbers, PartitionNumbers, SetPositions, among
from provhouse.model.columns import ATTRIBUTES, DST, OP, SRC

from .partitions import read_partition
from .ranges import places
from .snapshot import Snapshot


def touching(rows: pa.Table, items: ItemNumbers) -> Bools:
    """Return which triples lead from or to one of the given items, which must be ordered."""
    if not len(items):
        return np.zeros(rows.num_rows, bool)
    src, dst = (np.asarray(rows[end], dtype=np.int64) for end in (SRC, DST))
    found: Bools = among(src, items) | among(dst, items)
    return found


def partitions_touching(snapshot: Snapshot, items: ItemNumbers) -> PartitionNumbers:
    """Return all partitions that may have triples from or to the given items.

    A triple is stored with the set of its dst. So these are the partitions of the items' own sets
    and of the sets that derive from those sets.
    """
    own = np.unique(snapshot.set_rows(items))
    parents, children = snapshot.dependents
    sets = SetPositions(np.union1d(own, children[among(parents, own)]))
    placed = snapshot.placements
    rows, _ = placed.rows(snapshot.ids_of(sets))
    return PartitionNumbers(np.unique(placed.partitions[rows]))


def duplicate_links(snapshot: Snapshot, erased: ItemNumbers) -> int:
    """Count the live links of erased items that repeat another link between the same two items.

    Triples that differed in op or attributes become equal links when their item is erased.
    """
    if not len(erased):
        return 0
    ends = []
    for partition in partitions_touching(snapshot, erased).tolist():
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST))
        living = ~snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
        rows = rows.filter(pa.array(living & touching(rows, erased)))
        ends.append(np.stack([np.asarray(rows[SRC]), np.asarray(rows[DST])]))
    pairs = np.concatenate([np.empty((2, 0), np.int64), *ends], axis=1)
    return int(pairs.shape[1] - np.unique(pairs, axis=1).shape[1])


def count_described(rows: pa.Table) -> int:
    """Return the number of triples that have an op or attributes."""
    says = pc.or_(pc.not_equal(rows[OP], ""), pc.not_equal(rows[ATTRIBUTES], ""))
    return int(pc.sum(says).as_py() or 0)
