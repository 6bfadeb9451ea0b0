"""Triples that touch erased items: links without op and attributes, between numbers.

Their rows stay, so that what an erased item led to is still reached, and so that all that is said
of rows by their places stays true.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, Bools, ItemNumbers, PartitionNumbers, among
from provhouse.model.columns import ATTRIBUTES, DST, OP, SRC

from .partitions import read_partition
from .ranges import places
from .snapshot import Snapshot


def touching(rows: pa.Table, items: I64) -> Bools:
    """Which triples lead from or to one of some items, which are in order."""
    if not len(items):
        return np.zeros(rows.num_rows, bool)
    src, dst = (np.asarray(rows[end], dtype=np.int64) for end in (SRC, DST))
    found: Bools = among(src, items) | among(dst, items)
    return found


def partitions_touching(snapshot: Snapshot, items: I64) -> PartitionNumbers:
    """All partitions that may have triples from or to some items.

    These lie with the items' own sets, and with those that derive from them.
    """
    own = np.unique(snapshot.set_rows(items))
    parents, children = snapshot.dependents
    sets = np.union1d(own, children[among(parents, own)])
    placed = snapshot.placements
    rows, _ = placed.rows(snapshot.set_ids[sets])
    return PartitionNumbers(np.unique(placed.partitions[rows]))


def duplicate_links(snapshot: Snapshot, erased: ItemNumbers) -> int:
    """How many living links between the same items there are beside the first."""
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
    """How many triples have an op or attributes."""
    says = pc.or_(pc.not_equal(rows[OP], ""), pc.not_equal(rows[ATTRIBUTES], ""))
    return int(pc.sum(says).as_py() or 0)
