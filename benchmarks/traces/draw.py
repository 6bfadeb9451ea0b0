"""Draw random items whose lineage or impact has a given size.

Few items derive from thousands of other items, so hundreds of thousands of items are tried. A
compiled function computes the size of the answer for each, from all triples in memory. It shares no
code with the measured methods, so it also checks the number of items that these methods find.
"""

import numpy as np
import pyarrow as pa
from numba import njit

from provhouse.model.arrays import I64
from provhouse.model.question import Direction
from provhouse.query.methods.method import near_and_far


class Graph:
    """The graph of all triples in one direction. Items are numbers below ``count``."""

    def __init__(self, triples: pa.Table, direction: Direction, count: int) -> None:
        near, far = near_and_far(triples, direction)
        self._far = far[np.argsort(near, kind="stable")]
        self._at = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(near, minlength=count), out=self._at[1:])

    def draw(self, items: I64, least: int, most: int, wanted: int) -> tuple[I64, int]:
        """Return the first ``wanted`` of ``items`` that reach ``least`` to ``most`` items each.

        Also returns how many of ``items`` were tried until enough were found.
        """
        chosen, tried = _fitting(self._at, self._far, items, least, most, wanted)
        return chosen, tried

    def sizes(self, items: I64) -> I64:
        """Return how many items each of ``items`` reaches."""
        return _sizes(self._at, self._far, items)


@njit(cache=True)
def _sizes(at: I64, far: I64, items: I64) -> I64:
    sizes = np.empty(len(items), np.int64)
    seen = np.full(len(at), -1, np.int64)
    queue = np.empty(len(at) + 2, np.int64)
    for mark, item in enumerate(items):
        sizes[mark] = _reached(at, far, item, len(at), seen, mark, queue)
    return sizes


@njit(cache=True)
def _fitting(at: I64, far: I64, items: I64, least: int, most: int, wanted: int) -> tuple[I64, int]:
    chosen = np.empty(wanted, np.int64)
    found = tried = 0
    seen = np.full(len(at), -1, np.int64)
    queue = np.empty(most + 2, np.int64)
    for item in items:
        if found == wanted:
            break
        reached = _reached(at, far, item, most, seen, tried, queue)
        tried += 1
        if least <= reached <= most:
            chosen[found] = item
            found += 1
    return chosen[:found], tried


@njit(cache=True)
def _reached(at: I64, far: I64, item: int, most: int, seen: I64, mark: int, queue: I64) -> int:
    """Return the number of items that ``item`` reaches, or ``most + 1`` if there are more.

    The item itself counts if a cycle leads back to it. Each item reached gets the number ``mark``
    in ``seen``, so every search that shares ``seen`` needs a different ``mark``.
    """
    queue[0] = item
    filled, taken = 1, 0
    while taken < filled:
        node = queue[taken]
        taken += 1
        for place in range(at[node], at[node + 1]):
            if seen[far[place]] != mark:
                seen[far[place]] = mark
                queue[filled] = far[place]
                filled += 1
                if filled == most + 2:
                    return most + 1
    return filled - 1
