"""Tiny sets are packed into larger ones where that makes no closure grow by more than their items.

The paper leaves many sets of a few items. Two rules are free or nearly so, measured in
``docs/decisions/0006-sets.md``: a set that is the only child of its only parent joins it, and sets
with the same parents and the same children join each other. Rules that merge sets with different
parents close cycles in the set graph and ruin deep traces.
"""

import numpy as np
from numba import njit

from provhouse.model.arrays import I32, I64, U64

from .depths import neighbours


def pack(sets: int, items: I64, child: I32, parent: I32, group: I32, limit: int) -> I32:
    """Pack sets into sets of at most ``limit`` items; the new set of each, without gaps.

    ``items`` are the sizes of the first ``sets`` sets, which may be packed; higher numbers in the
    dependencies ``child`` and ``parent`` (distinct pairs) are sets that stay as they are. ``group``
    is each set's component: sets of different ones are never packed.
    """
    label = np.arange(sets, dtype=np.int32)
    if limit < 2 or sets < 2:
        return label
    nodes = max(sets, int(child.max(initial=-1)) + 1, int(parent.max(initial=-1)) + 1)
    chained = _chains(nodes, sets, items, child, parent, limit)
    label, items, group = _merged(chained, items, group)
    child, parent = _carried(child, parent, label, sets)
    alike = _alike(nodes, len(items), items, child, parent, group, limit)
    return alike[label]


def _merged(label: I32, items: I64, group: I32) -> tuple[I32, I64, I32]:
    """Dense labels with the items and the group of each."""
    first, dense = np.unique(label, return_index=True, return_inverse=True)[1:]
    return dense.astype(np.int32), np.bincount(dense, items).astype(np.int64), group[first]


def _carried(child: I32, parent: I32, label: I32, sets: int) -> tuple[I32, I32]:
    """The dependencies between packed sets; those that stay keep a number above all others."""

    def renamed(ends: I32) -> I64:
        inside = ends < sets
        return np.where(inside, label[np.where(inside, ends, 0)], ends.astype(np.int64))

    width = np.int64(1) << 32
    pairs = np.unique(renamed(child) * width + renamed(parent))
    one, other = np.divmod(pairs, width)
    across = one != other
    return one[across].astype(np.int32), other[across].astype(np.int32)


def _chains(nodes: int, sets: int, items: I64, child: I32, parent: I32, limit: int) -> I32:
    """Rule 1: the only child of an only parent joins it."""
    parents = np.bincount(child, minlength=nodes)
    children = np.bincount(parent, minlength=nodes)
    link = (parents[child] == 1) & (children[parent] == 1) & (child < sets) & (parent < sets)
    below = np.full(sets, -1, np.int32)
    below[parent[link]] = child[link]
    head = np.ones(sets, bool)
    head[child[link]] = False
    result: I32 = _follow(np.flatnonzero(head), below, items, limit)
    return result


@njit(cache=True)
def _follow(heads: I64, below: I32, items: I64, limit: int) -> I32:
    label = np.arange(len(below)).astype(np.int32)
    for head in heads:  # a ring of sets has no head and stays as it is
        leader, size, at = head, items[head], below[head]
        while at >= 0:
            if size + items[at] > limit:
                leader, size = at, 0
            label[at] = leader
            size += items[at]
            at = below[at]
    return label


def _alike(
    nodes: int, sets: int, items: I64, child: I32, parent: I32, group: I32, limit: int
) -> I32:
    """Rule 2: sets with the same parents and the same children join, unless they have neither.

    Neighbours are compared by a 64-bit sum of mixed numbers; if two differ and agree in it, the sets
    are packed all the same, which reads more and is still right.
    """
    signature = _sums(child, parent, nodes, 1) ^ _sums(parent, child, nodes, 2)
    mine = signature[:sets]
    single = np.flatnonzero(mine != 0)
    order = single[np.lexsort((single, mine[single], group[single]))]
    result: I32 = _fill(order, mine, group, items, limit)
    return np.unique(result, return_inverse=True)[1].astype(np.int32)


def _sums(node: I32, neighbour: I32, nodes: int, salt: int) -> U64:
    at, heads = neighbours(nodes, node, neighbour)
    result: U64 = _mix(at, heads, np.uint64(salt))
    return result


@njit(cache=True)
def _mix(at: I64, heads: I32, salt: np.uint64) -> U64:
    sums = np.zeros(len(at) - 1, np.uint64)
    for node in range(len(sums)):
        for edge in range(at[node], at[node + 1]):
            x = (np.uint64(heads[edge]) + salt * np.uint64(0x9E3779B97F4A7C15)) + np.uint64(1)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            sums[node] += x ^ (x >> np.uint64(31))
    return sums


@njit(cache=True)
def _fill(order: I64, signature: U64, group: I32, items: I64, limit: int) -> I32:
    label = np.arange(len(items)).astype(np.int32)
    leader, size = -1, 0
    for row in order:
        alike = (
            leader >= 0
            and signature[row] == signature[leader]
            and group[row] == group[leader]
            and size + items[row] <= limit
        )
        if not alike:
            leader, size = row, 0
        label[row] = leader
        size += items[row]
    return label
