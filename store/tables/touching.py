"""Find the triples that touch given items, and count the strings and duplicates after an erasure.

A triple of an erased item becomes a link: it keeps its row but loses its op and attributes.
Therefore questions still reach the items downstream of the erased item, and all references to rows
by place stay valid.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import (
    Bools,
    ItemNumbers,
    PartitionNumbers,
    SetPositions,
    among,
    matching_rows,
    union,
    unique,
)
from provhouse.model.columns import ATTRIBUTES, DESCRIPTION, DST, KIND, OP, ROLE, SRC, WAY

from .partitions import read_partition
from .ranges import places
from .snapshot import Snapshot

LINK_KEPT = (WAY, KIND, ROLE)
"""The columns that a link keeps, so that no result appears to need fewer inputs than before."""
LINK_CLEARED = tuple(name for name in DESCRIPTION if name not in LINK_KEPT)
"""The columns of derivations that a link does not keep. An erasure makes them null."""


def touching(rows: pa.Table, items: ItemNumbers) -> Bools:
    """Return, for each triple, whether it touches an item of ``items``, which must be ordered."""
    if not len(items):
        return np.zeros(rows.num_rows, bool)
    src, dst = (np.asarray(rows[end], dtype=np.int64) for end in (SRC, DST))
    found: Bools = among(src, items) | among(dst, items)
    return found


def partitions_touching(snapshot: Snapshot, items: ItemNumbers) -> PartitionNumbers:
    """Return all partitions that may have triples from or to the given items.

    A triple is stored with the set of its dst. Therefore the result contains the partitions of the
    items' own sets, and of the sets that derive directly from these sets.
    """
    own = unique(snapshot.set_rows(items))
    parents, children = snapshot.dependents
    sets = SetPositions(union(own, children[matching_rows(parents, own)[0]]))
    placed = snapshot.placements
    rows, _ = placed.rows(snapshot.ids_of(sets))
    return PartitionNumbers(unique(placed.partitions[rows]))


def duplicate_links(snapshot: Snapshot, erased: ItemNumbers) -> int:
    """Count the live triples of erased items that duplicate another triple between the same items.

    Triples that differ only in op, attributes or ``LINK_CLEARED`` become equal when one of their
    items is erased.
    """
    if not len(erased):
        return 0
    ends = []
    for partition in partitions_touching(snapshot, erased).tolist():
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST, *LINK_KEPT))
        living = ~snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
        rows = rows.filter(pa.array(living & touching(rows, erased)))
        kept = (np.asarray(rows[name].fill_null(-1), np.int64) for name in LINK_KEPT)
        ends.append(np.stack([np.asarray(rows[SRC]), np.asarray(rows[DST]), *kept]))
    pairs = np.concatenate([np.empty((2 + len(LINK_KEPT), 0), np.int64), *ends], axis=1)
    return int(pairs.shape[1] - np.unique(pairs, axis=1).shape[1])


def count_described(rows: pa.Table) -> int:
    """Return the number of triples that have an op, attributes, or a value in ``LINK_CLEARED``."""
    says = pc.or_(pc.not_equal(rows[OP], ""), pc.not_equal(rows[ATTRIBUTES], ""))
    for name in LINK_CLEARED:
        if name in rows.column_names:
            says = pc.or_(says, rows[name].is_valid())
    return int(pc.sum(says).as_py() or 0)
