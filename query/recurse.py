"""The recursion over triples in memory: which items an item reaches, and at what depth.

This is the last step of every method (CSProv, algorithms 1 and 2, ``Recursive-Query``): breadth
first over sorted arrays, in a compiled kernel, since lineage may be thousands of levels deep.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from provhouse.model.arrays import I32, I64

NEVER = -1


@dataclass(frozen=True)
class Reached:
    """What an item reaches among some triples."""

    items: I64
    """Items in no particular order; the asked one only if a cycle leads back to it."""
    depths: I32
    """Fewest hops to each of ``items``."""
    triples: I64
    """Rows of the triples whose near end was reached, in no particular order."""
    near: I32
    """The depth of the near end of each of ``triples``."""
    more: I64
    """Items, in order, whose own triples the depth limit left out."""


def recurse(near: I64, far: I64, item: int, limit: int | None = None) -> Reached:
    """Follow triples from ``item``, from their near end to their far end, at most ``limit`` hops.

    Upstream the near end of a triple is its dst, downstream its src. Triples are kept whose near
    end is the item (depth 0) or was reached at a depth below the limit.
    """
    order = np.argsort(near, kind="stable")
    heads, starts = np.unique(near[order], return_index=True)
    nodes = np.unique(np.concatenate([heads, far, np.array([item], np.int64)]))
    ends = np.append(starts, len(near))
    at = np.zeros(len(nodes) + 1, np.int64)
    at[1:][np.searchsorted(nodes, heads)] = np.diff(ends)
    np.cumsum(at, out=at)
    targets = np.searchsorted(nodes, far[order]).astype(np.int32)
    start = int(np.searchsorted(nodes, item))
    most = np.iinfo(np.int32).max if limit is None else limit
    depth, via = _levels(at, targets, start, most)
    found = np.flatnonzero(depth != NEVER)
    kept = np.flatnonzero(via != NEVER)
    level = depth.copy()
    level[start] = 0
    more = nodes[(level >= most) & (np.diff(at) > 0)]  # NEVER is below every limit
    return Reached(nodes[found], depth[found], order[kept], via[kept], more)


@njit(cache=True)
def _levels(at: I64, targets: I32, start: int, limit: int) -> tuple[I32, I32]:
    """The depth of each node, and of the near end of each triple; NEVER where not reached."""
    depth = np.full(len(at) - 1, NEVER, np.int32)
    via = np.full(len(targets), NEVER, np.int32)
    queue = np.empty(len(at), np.int32)
    queue[0], filled, taken = start, 1, 0
    while taken < filled:
        node = queue[taken]
        level = depth[node] if taken else 0
        taken += 1
        if level >= limit:
            break
        for edge in range(at[node], at[node + 1]):
            via[edge] = level
            target = targets[edge]
            if depth[target] == NEVER:
                depth[target] = level + 1
                if target != start:
                    queue[filled] = target
                    filled += 1
    return depth, via
