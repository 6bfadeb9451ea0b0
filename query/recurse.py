"""Find which items an item reaches along triples in memory, and at what depth.

This is the last step of every method (``Recursive-Query`` in algorithms 1 and 2 of the CSProv
paper). It is a breadth-first search over sorted arrays. It is compiled, since lineage may be
thousands of levels deep.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from provhouse.model.arrays import I32, I64

NEVER = -1


@dataclass(frozen=True)
class Reached:
    """The items that an item reaches among some triples, and the triples that lead to them."""

    items: I64
    """The items in no particular order, with the start item only if a cycle leads back to it."""
    depths: I32
    """The fewest hops to each of ``items``."""
    triples: I64
    """Rows of the triples whose near end was reached, in no particular order."""
    near_depths: I32
    """The depth of the near end of each of ``triples``."""
    unexpanded: I64
    """The items, in order, that have more triples, left out because of the depth limit."""


def recurse(near: I64, far: I64, item: int, limit: int | None = None) -> Reached:
    """Follow triples from ``item``, each from its near end to its far end, up to ``limit`` hops.

    The near end of a triple is its dst upstream and its src downstream. The result has the triples
    whose near end is the item (depth 0) or was reached at a depth below the limit.
    """
    order: I64 | None = None
    if (near[1:] < near[:-1]).any():  # upstream, the triples of one partition are in order
        order = np.argsort(near, kind="stable")
        near, far = near[order], far[order]
    first = np.flatnonzero(np.append(True, near[1:] != near[:-1])[: len(near)])
    at = np.append(first, len(near))
    heads = near[first]
    most = np.iinfo(np.int32).max if limit is None else limit
    rows, depths, left = _levels(heads, at, far, item, most)
    items, places = np.unique(far[rows], return_index=True)  # the first visit is the nearest
    kept = rows if order is None else order[rows]
    return Reached(items, depths[places] + 1, kept, depths, np.sort(heads[left]))


@njit(cache=True)
def _levels(heads: I64, at: I64, far: I64, item: int, limit: int) -> tuple[I64, I32, I64]:
    """Return the rows of triples reached, the depths of their near ends, and the heads left out.

    Rows are in order of depth. ``heads`` are the distinct near ends, in order. The triples of head
    ``h`` are in the rows from ``at[h]`` to ``at[h+1] - 1``. A head is left out if its depth has
    reached the limit.
    """
    queue = np.empty(len(heads) + 1, np.int64)
    level = np.full(len(heads), NEVER, np.int32)
    rows = np.empty(len(far), np.int64)
    depths = np.empty(len(far), np.int32)
    filled = taken = found = 0
    head = np.searchsorted(heads, item)
    if head < len(heads) and heads[head] == item:
        queue[0], level[head], filled = head, 0, 1
    while taken < filled:
        head = queue[taken]
        depth = level[head]
        if depth >= limit:
            break
        taken += 1
        for row in range(at[head], at[head + 1]):
            rows[found], depths[found] = row, depth
            found += 1
            target = np.searchsorted(heads, far[row])
            if target < len(heads) and heads[target] == far[row] and level[target] == NEVER:
                level[target] = depth + 1
                queue[filled] = target
                filled += 1
    return rows[:found], depths[:found], queue[taken:filled]
