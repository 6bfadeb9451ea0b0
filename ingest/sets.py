"""Algorithm 3 of CSProv (section IV): large pieces are cut into connected sets below theta.

The paper cuts along splits that a person names and stops where those end. Here a piece that is
still too large is always cut on: by the splits that were given, then by splits that are found in
the workflow (``contraction``), then in two halves by depth, at last by place, and each time the
weakly connected components of what was cut are taken. Any cut is right
(``docs/decisions/0004-tables.md``), so none of this needs to be certain, only good.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit

from provhouse.model.arrays import I32, I64, Bools

from .components import Edges, dense, flatten, join_within
from .contraction import find_splits
from .depths import depths


def cut(
    piece: I32, src: Edges, dst: Edges, table: I32, theta: int, splits: Sequence[I32] = ()
) -> tuple[I32, int]:
    """Cut connected pieces into sets below ``theta`` items.

    ``piece`` numbers the connected piece of each item from 0; ``src`` and ``dst`` are the edges
    within pieces; ``table`` is each item's table; ``splits`` come from ``split_codes``. Returns the
    set of each item, numbered from 0, and how many there are.
    """
    sets = piece.copy()
    large = np.bincount(piece)[piece] >= theta
    if not large.any():
        return sets, int(piece.max(initial=-1)) + 1
    place = np.cumsum(large, dtype=np.int32) - np.int32(1)
    inside = large[src]
    labels = _cut_large(
        dense_values(piece[large]),
        place[src[inside]],
        place[dst[inside]],
        table[large],
        theta,
        splits,
    )
    sets[large] = labels + np.int32(piece.max() + 1)
    sets = dense_values(sets)
    return sets, int(sets.max(initial=-1)) + 1


def _cut_large(
    label: I32, src: Edges, dst: Edges, table: I32, theta: int, splits: Sequence[I32]
) -> I32:
    for level in splits:
        large = np.bincount(label)[label] >= theta
        label = _relabel(label, src, dst, np.where(large, level[table], -2).astype(np.int32))
    label = _along_the_workflow(label, src, dst, table, theta)
    return _by_halves(label, src, dst, theta)


def _along_the_workflow(label: I32, src: Edges, dst: Edges, table: I32, theta: int) -> I32:
    """Cut pieces that are too large along the splits that are found for each."""
    large = np.bincount(label)[label] >= theta
    inside = large[src] & (label[src] == label[dst])
    place = np.cumsum(large, dtype=np.int32) - np.int32(1)
    split = np.zeros(len(label), np.int32)
    split[large] = find_splits(
        label[large], place[src[inside]], place[dst[inside]], table[large], theta
    )
    return _relabel(label, src, dst, split)


def _by_halves(label: I32, src: Edges, dst: Edges, theta: int) -> I32:
    """Cut pieces that are still too large in two, by depth, or by place where all depths agree."""
    large = np.bincount(label)[label] >= theta
    depth = np.zeros(len(label), np.int32)
    depth[large] = _depths_within(label, src, dst, large)
    place = np.arange(len(label), dtype=np.int32)
    level = np.zeros(len(label), bool)
    while large.any():
        side, stuck = _halve(label, np.where(level, place, depth), large)
        level |= stuck
        label = _relabel(label, src, dst, side)
        large = np.bincount(label)[label] >= theta
    return label


def _relabel(label: I32, src: Edges, dst: Edges, side: I32) -> I32:
    """The weakly connected components of each side of each piece."""
    parent = np.arange(len(label), dtype=np.int32)
    join_within(parent, src, dst, label, side)
    flatten(parent)
    return dense(parent)[0]


def _depths_within(label: I32, src: Edges, dst: Edges, chosen: Bools) -> I32:
    """The depth of the chosen items, each within its own piece."""
    place = np.cumsum(chosen, dtype=np.int32) - np.int32(1)
    inside = chosen[src] & chosen[dst] & (label[src] == label[dst])
    return depths(int(chosen.sum()), place[src[inside]], place[dst[inside]])


def _halve(label: I32, key: I32, large: Bools) -> tuple[I32, Bools]:
    """The side of each item, 0 or 1, and whether its piece has but one key and cannot be halved."""
    rows = np.flatnonzero(large)
    order = rows[np.lexsort((key[rows], label[rows]))]
    side = np.zeros(len(label), np.int32)
    stuck = np.zeros(len(label), np.bool_)
    _mark(order, label, key, side, stuck)
    return side, stuck


@njit(cache=True)
def _mark(order: I64, label: I32, key: I32, side: I32, stuck: Bools) -> None:
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and label[order[end]] == label[order[start]]:
            end += 1
        middle = key[order[start + (end - start) // 2]]
        low = start
        while key[order[low]] < middle:
            low += 1
        high = low
        while high < end and key[order[high]] == middle:
            high += 1
        half = (start + end) // 2
        if low == start and high == end:
            for row in range(start, end):
                stuck[order[row]] = True
        else:
            before = low > start and (high == end or half - low <= high - half)
            for row in range(low if before else high, end):
                side[order[row]] = 1
        start = end


def dense_values(labels: I32) -> I32:
    """Any labels from 0 up, numbered anew without gaps, in their order."""
    used = np.zeros(int(labels.max(initial=-1)) + 1, bool)
    used[labels] = True
    rank = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return rank[labels]
