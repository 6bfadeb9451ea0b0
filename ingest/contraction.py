"""Splits that nobody has to name: tables are joined as long as their connected sets stay small.

In CSProv (section IV) a person divides the tables of a large component into splits, each weakly
connected in the workflow graph. Here each component finds its own. At first every table is a split.
Then the derivations between tables are taken up, the one with most triples first, and the splits at
both its ends become one if two things hold:

- no connected set of the joined split reaches theta, and
- no other way leads from the one to the other over third splits, so that the splits still follow
  each other in the order in which the workflow derives them. Sets of splits without such an order
  depend on each other in circles, and a walk over circles reads everything.

Heavy derivations inside of splits leave few dependencies between sets. An attempt that fails would
fail for larger splits too, so each derivation is taken up once.
"""

import numpy as np
from numba import njit

from provhouse.model.arrays import I32, I64, Bools

from .components import Edges


def find_splits(piece: I32, src: Edges, dst: Edges, table: I32, theta: int) -> I32:
    """The split of each item, a number that only means something within its piece.

    ``piece`` is the connected piece of each item, ``table`` its table, ``src`` and ``dst`` the
    edges within pieces. A table that derives from itself may have sets of theta items and more.
    """
    vertex = _dense_pairs(piece, table)
    count = int(vertex.max(initial=-1)) + 1
    code = vertex[src].astype(np.int64) * count + vertex[dst]
    order = np.argsort(code, kind="stable")
    pairs, start = np.unique(code[order], return_index=True)
    weight = np.diff([*start, len(code)])
    from_, to = np.divmod(pairs, max(count, 1))
    owner = np.zeros(count, np.int32)
    owner[vertex] = piece
    # Pairs by piece, the heaviest first, so that each piece is a run of them.
    rank = np.lexsort((pairs, -weight, owner[from_]))
    group: I32 = _contract(
        from_[rank],
        to[rank],
        owner[from_[rank]],
        start[rank],
        weight[rank],
        src[order],
        dst[order],
        np.arange(len(piece), dtype=np.int32),
        np.arange(count, dtype=np.int32),
        theta,
    )
    split: I32 = group[vertex]
    return split


def _dense_pairs(piece: I32, table: I32) -> I32:
    """A number for each table of each piece."""
    code = piece.astype(np.int64) * (int(table.max(initial=0)) + 1) + table
    dense: I32 = np.unique(code, return_inverse=True)[1].astype(np.int32)
    return dense


@njit(cache=True)
def _contract(
    from_: I64,
    to: I64,
    owner: I32,
    start: I64,
    weight: I64,
    src: Edges,
    dst: Edges,
    parent: I32,
    group: I32,
    theta: int,
) -> I32:
    size = np.ones(len(parent), np.int32)
    log = np.empty(len(parent), np.int32)
    frozen = np.zeros(len(group), np.bool_)
    reached = np.zeros(len(group), np.bool_)
    low = 0
    while low < len(from_):
        high = low
        while high < len(from_) and owner[high] == owner[low]:
            high += 1
        for pair in range(low, high):  # tables that derive from themselves
            if from_[pair] == to[pair]:
                edges = slice(start[pair], start[pair] + weight[pair])
                joins = _join_below(parent, size, src[edges], dst[edges], log, 0, theta)
                frozen[from_[pair]] = joins < 0
        for pair in range(low, high):
            one, other = group[from_[pair]], group[to[pair]]
            if one == other or frozen[one] or frozen[other]:
                continue
            if _another_way(from_, to, group, low, high, one, other, reached):
                continue
            if _join_splits(
                from_,
                to,
                start,
                weight,
                src,
                dst,
                parent,
                size,
                log,
                group,
                low,
                high,
                one,
                other,
                theta,
            ):
                for p in range(low, high):
                    for end in (from_[p], to[p]):
                        if group[end] == other:
                            group[end] = one
        low = high
    return group


@njit(cache=True)
def _another_way(
    from_: I64, to: I64, group: I32, low: int, high: int, one: int, other: int, reached: Bools
) -> bool:
    """Whether splits lead from one to the other, in either direction, besides directly."""
    for begin, end in ((one, other), (other, one)):
        for p in range(low, high):
            reached[group[from_[p]]] = False
            reached[group[to[p]]] = False
        changed = True
        while changed:
            changed = False
            for p in range(low, high):
                a, b = group[from_[p]], group[to[p]]
                if b == begin or (a == begin and b == end):
                    continue
                if (a == begin or (reached[a] and a != end)) and not reached[b]:
                    reached[b] = True
                    changed = True
        if reached[end]:
            return True
    return False


@njit(cache=True)
def _join_splits(
    from_: I64,
    to: I64,
    start: I64,
    weight: I64,
    src: Edges,
    dst: Edges,
    parent: I32,
    size: I32,
    log: I32,
    group: I32,
    low: int,
    high: int,
    one: int,
    other: int,
    theta: int,
) -> bool:
    """Take in all edges between two splits, unless a set reaches theta: then nothing is changed."""
    joins = 0
    for p in range(low, high):
        a, b = group[from_[p]], group[to[p]]
        if (a == one and b == other) or (a == other and b == one):
            edges = slice(start[p], start[p] + weight[p])
            joins = _join_below(parent, size, src[edges], dst[edges], log, joins, theta)
            if joins < 0:
                return False
    return True


@njit(cache=True)
def _join_below(
    parent: I32, size: I32, src: Edges, dst: Edges, log: I32, joins: int, theta: int
) -> int:
    """Join along edges; how many joins are in the log, or -1 if a set reached theta.

    In that case all joins of the log are undone: the smaller tree goes below the larger one and
    paths stay as they are, so that cutting one link undoes a join.
    """
    for edge in range(len(src)):
        a, b = src[edge], dst[edge]
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a == b:
            continue
        if size[a] < size[b]:
            a, b = b, a
        parent[b] = a
        size[a] += size[b]
        log[joins] = b
        joins += 1
        if size[a] >= theta:
            for undone in range(joins - 1, -1, -1):
                child = log[undone]
                size[parent[child]] -= size[child]
                parent[child] = child
            return -1
    return joins
