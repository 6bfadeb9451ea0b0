"""Order the items of a component and cut it into blocks, if its tables give no way to cut it.

If each item follows the items it derives from, a block of consecutive items depends on earlier
blocks only, so there are no cycles. The order is depth first, from the deepest items, so that an
item is close to the items it derives from. Items with very many children would still tie all blocks
together. These items and everything they derive from are called the core. The core is separated
from the other items, which fall into pieces that depend on the core and not on each other.

Several core sizes and block sizes are tried, and the resulting sets are packed. Of the cuts that
are then small enough, the cut from which the samples read least is kept.
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
"""Items with more children than this belong to the core. The first value selects no items."""
SMALLEST = 8
"""Blocks with fewer items are not tried: there would be too many blocks."""
NEAR_SMALLEST = 2
"""If no cut is small enough, a set graph may be this many times as large as the smallest."""
GROWTH = 8
"""If no cut is small enough, sets may grow by this factor in each round."""


def blocks(
    src: Edges, dst: Edges, theta: int, cycle: I32, packed: Packed, reader: Reader
) -> tuple[I32, int]:
    """Return the set of each item, as one of its items, and the number of triples the samples read.

    Of the cuts that are small enough, returns the cut from which the samples read least. If no cut
    is small enough, returns a cut that is little larger than necessary, and ``UNBOUNDED`` as the
    number, since any cut that is small enough is better.
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
    """Return sets joined as far as possible, or large blocks if these are few and read less."""
    joined = graph.joined()
    most = NEAR_SMALLEST * graph.size(joined)
    ways = [joined, *(graph.cut(core, graph.theta - 1) for core in graph.cores())]
    few = [way for way in ways if graph.size(way) <= most]
    return min(few, key=lambda way: reader.read(Forest.holding(dense(way)[0])))


class Ordered:
    """The items of a component, ordered so that derived items come later, and their edges.

    Items with the same number in ``cycle`` derive from each other.
    """

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
        """Yield growing cores, each as a mask over items; the first core is empty."""
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
        """Cut into blocks of about ``size`` items at most; return the set of each item."""
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
        """Return the set of each item, joined along edges as far as theta allows."""
        forest, largest = self._begun(), 1
        while largest < self.theta - 1:
            largest = min(largest * GROWTH, self.theta - 1)
            forest.join_some(self._src, self._dst, largest)
        return forest.roots()

    def size(self, roots: I32) -> int:
        """Return the number of sets and dependencies of a cut."""
        sets = np.count_nonzero(roots == np.arange(len(roots)))
        return int(sets) + len(distinct_pairs(roots[self._dst], roots[self._src])[0])

    def _begun(self) -> Forest:
        """Return a forest in which only items that derive from each other are joined."""
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
    """Return the block of each item within its piece, filled in the order of ``items``."""
    filled = np.zeros(len(piece), np.int32)
    block = np.empty(len(piece), np.int32)
    for item in items:
        block[item] = filled[piece[item]] // size
        filled[piece[item]] += 1
    return block
