"""Pack tiny sets into larger sets while the set graph is too large to walk.

The paper's algorithm leaves many sets of only a few items. Four rules pack such sets. The rules are
applied one after the other until sets and dependencies are few enough;
``docs/decisions/0006-sets.md`` measures them.

1. A set that is the only child of its only parent joins that parent. 2. Sets with the same parents
and the same children join each other. 3. Sets without parents join each other, as long as the
joined set has at most twice as many children as the first set had. 4. Sets with the same parents
join each other.

Rules 1 and 2 enlarge a closure only by the joined items. Rule 3 costs nothing upstream, since no
path continues from sets without parents; downstream, its cost is bounded. Rule 4 costs hardly more
upstream than rule 2, but a walk downstream continues from all joined sets. Other rules that were
tried joined sets with different parents. This closed cycles in the set graph and made queries of
deep traces very slow.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32, I64, U64
from provhouse.model.compiled import compiled

from .depths import neighbours
from .distinct import distinct_pairs


@dataclass(frozen=True)
class Packing:
    """The packed set that each set is in, and the number of sets and dependencies that remain."""

    label: I32
    size: int


def pack(
    sets: int, items: I64, child: I32, parent: I32, group: I32, limit: int, enough: int
) -> I32:
    """Pack sets up to ``limit`` items; return the packed set of each set, numbered without gaps.

    Applies rules while more than ``enough`` sets and dependencies remain. ``packings`` describes
    the other arguments.
    """
    for packing in packings(sets, items, child, parent, group, limit):
        if packing.size <= enough:
            break
    return packing.label


def packings(
    sets: int, items: I64, child: I32, parent: I32, group: I32, limit: int
) -> Iterator[Packing]:
    """Yield the sets as they are, then as they are after each rule, numbered without gaps.

    ``items`` has the sizes of the sets that may be packed, which are the first ``sets`` sets.
    ``child`` and ``parent`` are the dependencies, as distinct pairs; higher numbers in them are
    fixed sets, which are not packed. ``group`` is each set's component, and only sets of one
    component are packed together. No rule is applied to fewer than two sets, or if ``limit`` is
    below 2.
    """
    label = np.arange(sets, dtype=np.int32)
    fixed = max(sets, int(child.max(initial=-1)) + 1, int(parent.max(initial=-1)) + 1) - sets
    yield Packing(label, sets + len(child))
    for rule in RULES:
        count = len(items)
        if limit < 2 or count < 2:
            return
        packed = rule(count + fixed, items, child, parent, group, limit)
        child, parent = _carried(packed, count, child, parent)
        first, dense = np.unique(packed, return_index=True, return_inverse=True)[1:]
        items, group = np.bincount(dense, items).astype(np.int64), group[first]
        label = dense.astype(np.int32)[label]
        yield Packing(label, len(items) + len(child))


def _carried(packed: I32, count: int, child: I32, parent: I32) -> tuple[I32, I32]:
    """Return the dependencies after packing.

    Fixed sets are renumbered, so that their numbers again follow those of the packed sets.
    """
    dense = np.unique(packed, return_inverse=True)[1]
    fewer = count - (int(dense.max(initial=-1)) + 1)

    def renamed(ends: I32) -> I32:
        inside = ends < count
        return np.where(inside, dense[np.where(inside, ends, 0)], ends - fewer).astype(np.int32)

    return distinct_pairs(renamed(child), renamed(parent))


def _chains(nodes: int, items: I64, child: I32, parent: I32, group: I32, limit: int) -> I32:
    """Apply rule 1 (only child of an only parent); return the set that each set joins."""
    sets = len(items)
    parents = np.bincount(child, minlength=nodes)
    children = np.bincount(parent, minlength=nodes)
    link = (parents[child] == 1) & (children[parent] == 1) & (child < sets) & (parent < sets)
    below = np.full(sets, -1, np.int32)
    below[parent[link]] = child[link]
    head = np.ones(sets, bool)
    head[child[link]] = False
    result: I32 = _follow(np.flatnonzero(head), below, items, limit)
    return result


@compiled(nogil=True)
def _follow(heads: I64, below: I32, items: I64, limit: int) -> I32:
    label = np.arange(len(below)).astype(np.int32)
    for head in heads:  # sets on a cycle have no head and stay as they are
        leader, size, at = head, items[head], below[head]
        while at >= 0:
            if size + items[at] > limit:
                leader, size = at, 0
            label[at] = leader
            size += items[at]
            at = below[at]
    return label


def _alike(nodes: int, items: I64, child: I32, parent: I32, group: I32, limit: int) -> I32:
    """Apply rule 2 (same parents, same children); return the set that each set joins.

    Sets without neighbours are not packed. Neighbours are compared by a 64-bit sum of mixed
    numbers. Sets that have different neighbours but the same sum are packed too. Queries then read
    more, but answers stay right.
    """
    signature = _sums(child, parent, nodes, 1) ^ _sums(parent, child, nodes, 2)
    return _joined_alike(signature[: len(items)], items, group, limit)


def _siblings(nodes: int, items: I64, child: I32, parent: I32, group: I32, limit: int) -> I32:
    """Apply rule 4 (same parents) to sets with parents.

    Parents are compared by sums, as in rule 2.
    """
    return _joined_alike(_sums(child, parent, nodes, 1)[: len(items)], items, group, limit)


def _joined_alike(mine: U64, items: I64, group: I32, limit: int) -> I32:
    """Join sets that have the same component and the same sum in ``mine``, unless the sum is 0."""
    single = np.flatnonzero(mine != 0)
    order = single[np.lexsort((single, mine[single], group[single]))]
    result: I32 = _fill(order, mine, group, items, limit)
    return result


def _sums(node: I32, neighbour: I32, nodes: int, salt: int) -> U64:
    at, heads = neighbours(nodes, node, neighbour)
    result: U64 = _mix(at, heads, np.uint64(salt))
    return result


@compiled(nogil=True)
def _mix(at: I64, heads: I32, salt: np.uint64) -> U64:
    sums = np.zeros(len(at) - 1, np.uint64)
    for node in range(len(sums)):
        for edge in range(at[node], at[node + 1]):  # SplitMix64, so that sums rarely collide
            x = (np.uint64(heads[edge]) + salt * np.uint64(0x9E3779B97F4A7C15)) + np.uint64(1)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            sums[node] += x ^ (x >> np.uint64(31))
    return sums


@compiled(nogil=True)
def _fill(order: I64, signature: U64, group: I32, items: I64, limit: int) -> I32:
    label = np.arange(len(items)).astype(np.int32)
    leader, size = -1, 0
    for row in order:  # sets with the same signature follow each other
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


def _sources(nodes: int, items: I64, child: I32, parent: I32, group: I32, limit: int) -> I32:
    """Apply rule 3 (sets without parents). Sets with common children are tried successively."""
    at, children = neighbours(nodes, parent, child)
    chosen = np.bincount(child, minlength=nodes)[: len(items)] == 0
    sources = np.flatnonzero(chosen & (np.diff(at)[: len(items)] > 0))
    first = children[at[sources]]  # pairs are sorted by child, so this is the smallest child
    last = children[at[sources + 1] - 1]
    order = sources[np.lexsort((last, first, group[sources]))]
    result: I32 = _share(order, at, children, group, items, limit)
    return result


@compiled(nogil=True)
def _share(order: I64, at: I64, children: I32, group: I32, items: I64, limit: int) -> I32:
    """Return the leader of each row.

    Rows share a leader while their items fit into ``limit``, and their children are at most twice
    the leader's.
    """
    label = np.arange(len(items)).astype(np.int32)
    leader_of = np.full(children.max() + 1 if len(children) else 0, -1, np.int64)
    leader, size, shared = -1, 0, 0
    for row in order:
        more = 0
        for edge in range(at[row], at[row + 1]):
            more += leader_of[children[edge]] != leader
        fits = (
            leader >= 0
            and group[row] == group[leader]
            and size + items[row] <= limit
            and shared + more <= 2 * (at[leader + 1] - at[leader])
        )
        if not fits:
            leader, size, shared, more = row, 0, 0, at[row + 1] - at[row]
        for edge in range(at[row], at[row + 1]):
            leader_of[children[edge]] = leader
        label[row] = leader
        size += items[row]
        shared += more
    return label


RULES: tuple[Callable[[int, I64, I32, I32, I32, int], I32], ...] = (
    _chains,
    _alike,
    _sources,
    _siblings,
)
