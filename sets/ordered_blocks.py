"""Sets of a component whose tables give no way to cut it: blocks of an order.

In an order where each item follows those it derives from, blocks of neighbours depend on earlier
blocks only, never in circles. The order is depth first, from the deepest items, so that an item is
close to what it derives from. Items that very many derive from would still tie all blocks together:
they and all that they derive from, the core, are cut apart from the rest, which falls into pieces
that depend on the core and not on each other.

How many children make an item part of the core, and how large blocks are, is tried out. Of the cuts
that are small enough once they are packed, the one is kept that samples read least of.
"""

from collections.abc import Iterator

import numpy as np
from numba import njit

from provhouse.model.arrays import I32, I64, Bools

from .components import Edges, dense, flatten, join_within
from .contraction import Packed
from .depths import depths, neighbours
from .distinct import distinct_pairs
from .forest import Forest
from .ordering import parents_first
from .sampling import UNBOUNDED, Reader

CHILDREN = (1 << 30, 8, 2)
"""An item with more children than this is part of the core; none is at first."""
SMALLEST = 8
"""Blocks of fewer items are not tried: there would be too many."""
NEAR_SMALLEST = 2
"""Where no way is small enough, how many times the smallest graph of sets may still be taken."""
GROWTH = 8
"""Where nothing helps, how many times larger sets may be in each round."""


def blocks(
    src: Edges, dst: Edges, theta: int, cycle: I32, packed: Packed, reader: Reader
) -> tuple[I32, int]:
    """The set of each item, as one of its items, where samples read least; how much that is.

    If no way is small enough it is one that is not much larger than it must be, and what is read
    counts as unbounded: any cut that is small enough is better.
    """
    graph = Ordered(src, dst, cycle, theta)
    sizes = [theta - 1]
    while sizes[-1] >= 2 * SMALLEST:
        sizes.append(sizes[-1] // 2)
    best, least, coarsest = None, UNBOUNDED, 0
    for core in graph.cores():
        below, above = coarsest, len(sizes)
        while below < above:  # smaller blocks read less, as long as they are few enough
            middle = (below + above) // 2
            roots = graph.cut(core, sizes[middle])
            sets = packed(roots, True)
            if sets is None:
                above = middle
                continue
            below, coarsest = middle + 1, middle
            read = reader.read(Forest.holding(sets), least)
            if read < least:
                best, least = roots, read
    return _compromise(graph, reader) if best is None else best, least


def _compromise(graph: "Ordered", reader: Reader) -> I32:
    """Sets joined until they are large, or large blocks that are hardly more and read less."""
    joined = graph.joined()
    most = NEAR_SMALLEST * graph.size(joined)
    ways = [joined, *(graph.cut(core, graph.theta - 1) for core in graph.cores())]
    few = [way for way in ways if graph.size(way) <= most]
    return min(few, key=lambda way: reader.read(Forest.holding(dense(way)[0])))


class Ordered:
    """Edges and the order of items; ``cycle`` numbers those derived from each other."""

    def __init__(self, src: Edges, dst: Edges, cycle: I32, theta: int) -> None:
        self._src, self._dst, self._cycle, self.theta = src, dst, cycle, theta
        self._count = int(cycle.max()) + 1
        across = cycle[src] != cycle[dst]
        from_, to = cycle[src[across]], cycle[dst[across]]
        self._parents = neighbours(self._count, to, from_)
        depth = depths(self._count, from_, to)
        self._order = parents_first(np.argsort(-depth, kind="stable"), *self._parents)
        rank = np.empty(self._count, np.int64)
        rank[self._order] = np.arange(self._count)
        self._items = np.argsort(rank[cycle], kind="stable")

    def cores(self) -> Iterator[Bools]:
        """Which items are part of the core, ever more; at first none is."""
        children = np.bincount(self._src, minlength=len(self._cycle))
        before = -1
        for most in CHILDREN:
            chosen = np.zeros(self._count, bool)
            chosen[self._cycle[children > most]] = True
            _add_parents(self._order, *self._parents, chosen)
            size = int(np.count_nonzero(chosen))
            if before < size < self._count:
                before = size
                yield chosen[self._cycle]

    def cut(self, core: Bools, size: int) -> I32:
        """The set of each item, in blocks of at most about this size."""
        src, dst = self._src, self._dst
        piece = np.arange(len(core), dtype=np.int32)
        join_within(piece, src, dst, np.zeros_like(piece), core.astype(np.int32))
        flatten(piece)
        block = _fill(self._items, piece, size)
        inside = (piece[src] == piece[dst]) & (block[src] == block[dst])
        forest = self._begun()
        forest.join_some(src[inside], dst[inside], self.theta - 1)
        return forest.roots()

    def joined(self) -> I32:
        """The set of each item, all as large as can be."""
        forest, largest = self._begun(), 1
        while largest < self.theta - 1:
            largest = min(largest * GROWTH, self.theta - 1)
            forest.join_some(self._src, self._dst, largest)
        return forest.roots()

    def size(self, roots: I32) -> int:
        """How many sets and dependencies these are."""
        sets = np.count_nonzero(roots == np.arange(len(roots)))
        return int(sets) + len(distinct_pairs(roots[self._dst], roots[self._src])[0])

    def _begun(self) -> Forest:
        """Items that are derived from each other are joined."""
        forest = Forest.of(len(self._cycle))
        together = self._cycle[self._src] == self._cycle[self._dst]
        forest.join_some(self._src[together], self._dst[together], self.theta - 1)
        return forest


@njit(cache=True)
def _add_parents(order: I64, at: I64, heads: I32, chosen: Bools) -> None:
    for node in order[::-1]:
        if chosen[node]:
            for edge in range(at[node], at[node + 1]):
                chosen[heads[edge]] = True


@njit(cache=True)
def _fill(items: I64, piece: I32, size: int) -> I32:
    """The number of each item's block among those of its piece, by the order of ``items``."""
    filled = np.zeros(len(piece), np.int32)
    block = np.empty(len(piece), np.int32)
    for item in items:
        block[item] = filled[piece[item]] // size
        filled[piece[item]] += 1
    return block
