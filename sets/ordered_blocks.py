"""Cut a component that cannot be cut by its tables into blocks of ordered items.

In an order in which each item follows the items that it derives from, a block of consecutive items
depends only on earlier blocks, so there are no cycles. The order is depth first, from the deepest
items, so that an item is close to the items that it derives from. Items with very many children
would still connect all blocks. These items, and all items that they derive from, are called the
core. The core is cut off from the other items. These then form pieces that depend on the core but
not on each other.

The module tries several core sizes and block sizes, and packs the resulting sets. Of the cuts that
are small enough after packing, it keeps the one from which the samples read the fewest triples.

If the samples still read very many triples, the module also cuts each table separately into
windows. A window consists of items that are neighbors in the order. Windows help with the history
of versions of many things, such as a repository whose folders are tables. There, a version derives
from recent versions of few other things, but at any time all things are connected.
"""

from collections.abc import Iterator

import numpy as np

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.compiled import compiled

from .components import Edges, dense, flatten, join_within
from .contraction import Packed
from .depths import depths, neighbours
from .distinct import distinct_pairs
from .forest import Forest
from .ordering import parents_first
from .sampling import UNBOUNDED, SampleReader, SetGraph

CHILDREN = (1 << 30, 8, 2)
"""The limits to try for the core, which contains all items with more children than the limit.

No item exceeds the first limit, so that the first core is empty.
"""
SMALLEST = 8
"""The least number of items in the blocks that are tried; smaller blocks would be too many."""
NEAR_SMALLEST = 2
"""The largest size of a set graph that is compared if no cut is small enough.

It is given as a multiple of the size of the smallest set graph.
"""
MUCH = 10_000
"""The number of triples that a sampled question must read, on average, for windows to be tried."""
WINDOWS = (4096, 1024, 256, 64, 16)
"""The window sizes, in items. They are tried in this order until there are too many windows."""
GROWTH = 8
"""The factor by which the maximum size of sets grows from one round of joining to the next."""


def blocks(
    src: Edges,
    dst: Edges,
    table: I32,
    theta: int,
    cycle: I32,
    packed: Packed,
    reader: SampleReader,
    free: int = 0,
) -> tuple[I32, int]:
    """Return the set of each item, named by one of its items, and the triples that samples read.

    Of the cuts that are small enough, returns the cut from which the samples read the fewest
    triples. All numbers of triples up to ``free`` count as equal; among cuts with equal numbers,
    returns the cut with the smallest set graph. If no cut is small enough, returns a cut whose set
    graph is only a little larger than necessary. Its number of triples is then returned as
    ``UNBOUNDED``, so that the caller prefers any cut that is small enough.
    """
    graph = Ordered(src, dst, cycle, theta)
    sizes = [theta - 1]
    while sizes[-1] >= 2 * SMALLEST:
        sizes.append(sizes[-1] // 2)
    best, coarsest = _Best(packed, reader, free), 0
    for core in graph.cores():
        below, above = coarsest, len(sizes)
        middle = below  # if there are too many of these, so there are of smaller ones
        while below < above:  # smaller blocks read less, if they are few enough
            if best.still_reads(graph.cut(core, sizes[middle])):
                below, coarsest = middle + 1, middle
            else:
                above = middle
            middle = (below + above) // 2
    walks = 2 * len(reader.samples)
    if min(best.read, walks * len(src)) > walks * MUCH:
        for size in WINDOWS:
            if size < theta and not best.still_reads(graph.windows(table, size)):
                break
    return _compromise(graph, reader) if best.roots is None else best.roots, best.read


class _Best:
    """The best cut so far: its roots, and the number of triples that the samples read."""

    def __init__(self, packed: Packed, reader: SampleReader, free: int) -> None:
        self._packed, self._reader, self._free = packed, reader, free
        self._size = 0
        self.roots: I32 | None = None
        self.read = UNBOUNDED

    def still_reads(self, roots: I32) -> bool:
        """Keep a cut if it is the best so far; return whether to try a finer cut.

        A finer cut may be better if this cut is small enough and the samples read more than
        ``free`` triples from this cut.
        """
        sets = self._packed(roots, True)
        if sets is None:
            return False
        read = self._reader.read_sets(sets, max(self.read, self._free))
        if (max(read, self._free), sets.size) < (max(self.read, self._free), self._size):
            self.roots, self.read, self._size = roots, read, sets.size
        return read > self._free


def _compromise(graph: "Ordered", reader: SampleReader) -> I32:
    """Return a cut of a piece for which no cut is small enough.

    Of the candidates, this is the cut from which the samples read the fewest triples. One candidate
    is the cut that ``Ordered.joined`` returns. The other candidates are cuts into the largest
    blocks. Of these, a cut is left out if its set graph is more than ``NEAR_SMALLEST`` times as
    large as the first candidate's.
    """
    joined = graph.joined()
    most = NEAR_SMALLEST * graph.sets(joined).size
    ways = [joined, *(graph.cut(core, graph.theta - 1) for core in graph.cores())]
    few = [way for way in ways if graph.sets(way).size <= most]
    return min(few, key=lambda way: reader.read_sets(graph.sets(way)))


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
        """Yield cores of increasing size, as masks of items. The first core is empty."""
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
        """Cut the core, and the other items, into blocks of up to ``size``; return each item's set.

        Items of a block that are connected share a set. Items that derive from each other also
        share a set, even if they are in several blocks.
        """
        src, dst = self._src, self._dst
        piece = np.arange(len(core), dtype=np.int32)
        join_within(piece, src, dst, np.zeros_like(piece), core.astype(np.int32))
        flatten(piece)
        block = _fill(self._items, piece, size)
        inside = (piece[src] == piece[dst]) & (block[src] == block[dst])
        forest = self._begun()
        forest.join_some(src[inside], dst[inside], self.theta - 1)
        self._join_only_parents(forest, size)
        return forest.roots()

    def _join_only_parents(self, forest: Forest, size: int) -> None:
        """Join each set that has a single parent to its parent, into sets of up to ``size`` items.

        The joins are worthwhile because many items derive only from an item of an earlier block,
        and are not sources of further items. The joins never make sets depend on each other in
        cycles, because every path into a joined set leads through its parent.
        """
        roots = forest.roots()
        child, parent = distinct_pairs(roots[self._dst], roots[self._src])
        only = np.bincount(child, minlength=len(roots))[child] == 1
        forest.join_some(parent[only], child[only], size)

    def windows(self, table: I32, size: int) -> I32:
        """Put up to ``size`` items of a table that are neighbors in the order into one set.

        Items that derive from nothing get separate sets. Such sets have no triples, so reading them
        upstream costs nothing. Returns the set of each item.
        """
        derived = np.zeros(len(table), np.int32)
        derived[self._dst] = 1
        group = (2 * table + derived)[self._items]
        order = np.argsort(group, kind="stable")
        group, items = group[order], self._items[order]
        place = np.arange(len(items))
        first = np.flatnonzero(np.diff(group, prepend=-1))
        since = place - np.repeat(first, np.diff(first, append=len(items)))
        roots = np.empty(len(items), np.int32)
        roots[items] = items[place - since % size]
        return roots

    def joined(self) -> I32:
        """Join sets along edges as far as theta allows; return the set of each item."""
        forest, largest = self._begun(), 1
        while largest < self.theta - 1:
            largest = min(largest * GROWTH, self.theta - 1)
            forest.join_some(self._src, self._dst, largest)
        return forest.roots()

    def sets(self, roots: I32) -> SetGraph:
        """Return the sets of a cut, and the dependencies between them."""
        label = dense(roots)[0]
        return SetGraph(label, *distinct_pairs(label[self._dst], label[self._src]))

    def _begun(self) -> Forest:
        """Return a forest in which only items that derive from each other are joined."""
        forest = Forest.of(len(self._cycle))
        together = self._cycle[self._src] == self._cycle[self._dst]
        forest.join_some(self._src[together], self._dst[together], self.theta - 1)
        return forest


@compiled(nogil=True)
def _add_parents(order: I64, at: I64, heads: I32, chosen: Bools) -> None:
    """Choose all nodes that a chosen node reaches. Heads come before tails in ``order``."""
    for node in order[::-1]:
        if chosen[node]:
            for edge in range(at[node], at[node + 1]):
                chosen[heads[edge]] = True


@compiled(nogil=True)
def _fill(items: I64, piece: I32, size: int) -> I32:
    """Return the block of each item within its piece.

    Blocks are filled in the order of ``items``.
    """
    filled = np.zeros(len(piece), np.int32)
    block = np.empty(len(piece), np.int32)
    for item in items:
        block[item] = filled[piece[item]] // size
        filled[piece[item]] += 1
    return block
