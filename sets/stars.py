"""Cut pieces in which all derived items derive directly from sources, without a search.

A report results in such a piece: each of its rows derives from many rows of its sources. The cut
makes each derived item a set of its own, and puts sources from which the same items derive into one
set. With this cut, a query reads nothing that its answer does not need: a set of sources has no
triples, and an item that derives from one source of a set derives from all of them. So a search
could not find a better cut.
"""

import numpy as np

from provhouse.model.arrays import I32, U64, Bools
from provhouse.model.compiled import compiled

from .components import Edges
from .distinct import distinct_pairs

FEW = 20
"""A piece is cut here if it has at least this many items for each derived item.

Otherwise there would be too many sets, and the search joins derived items with their sources
instead.
"""
SOURCES = 20
"""The largest size of a set of sources, as a multiple of the largest size of a packed set.

A later ingest may use only some items of the set. A question about any of the set's items then
reads the triples of all of them. But reading a few thousand triples takes less time than looking up
the item that a question names.
"""
ALONE = np.int32(-1)
"""The value, instead of a set, for an item that this module does not cut."""


def star_sets(
    label: I32, src: Edges, dst: Edges, table: I32, chosen: Bools, limit: int, enough: int
) -> I32:
    """Return the set of each item, named by one of its items; ``ALONE`` for items that are not cut.

    ``label`` numbers the pieces from 0, and ``chosen`` is a mask of the pieces to cut. No set of
    sources has more than ``limit`` items. A piece stays uncut if it would have more than one set or
    dependency for every ``enough`` items.
    """
    sizes = np.bincount(label)
    derived, source = np.zeros(len(label), bool), np.zeros(len(label), bool)
    derived[dst], source[src] = True, True
    few = np.bincount(label[derived], minlength=len(sizes)) <= sizes // FEW
    chosen = chosen & few
    chosen[label[derived & source]] = False
    if not chosen.any():
        return np.full(len(label), ALONE)
    mine = chosen[label]
    sets = np.where(mine & derived, np.arange(len(label), dtype=np.int32), ALONE)
    _group(src, _signatures(src, dst, table), mine, limit, sets)
    kept = mine[src] & mine[dst]
    child, _ = distinct_pairs(sets[dst[kept]], sets[src[kept]])
    first = np.flatnonzero(sets == np.arange(len(label)))
    count = np.bincount(label[first], minlength=len(sizes))
    count += np.bincount(label[child], minlength=len(sizes))
    sets[(count > sizes // enough)[label]] = ALONE
    return sets


@compiled(nogil=True)
def _signatures(src: Edges, dst: Edges, table: I32) -> U64:
    """Return a number for each item.

    Sources of a table from which the same items derive share a number. Other sources share a number
    only by chance; questions then read more, but answers stay right.
    """
    sums = np.zeros(len(table), np.uint64)
    for item in range(len(table)):
        sums[item] = np.uint64(table[item]) * np.uint64(0xD1B54A32D192ED03)
    for edge in range(len(src)):
        x = (np.uint64(dst[edge]) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        sums[src[edge]] += x ^ (x >> np.uint64(31))
    return sums


@compiled(nogil=True)
def _group(src: Edges, signature: U64, chosen: Bools, limit: int, sets: I32) -> None:
    """Put sources into sets in the order in which edges name them, so that neighbors stay together.

    At first, ``sets`` is ``ALONE`` for each source. ``sets[i]`` becomes the item that stands for
    the set of source i.
    """
    size = 1  # of a hash table at most half full, so that probes are short
    while size < 2 * min(len(sets), len(src)):
        size *= 2
    leader, free = np.full(size, np.int32(-1)), np.zeros(size, np.int64)
    for edge in range(len(src)):
        item = src[edge]
        if sets[item] >= 0 or not chosen[item]:
            continue
        slot = np.int64((signature[item] ^ (signature[item] >> np.uint64(32))) % np.uint64(size))
        while leader[slot] >= 0 and signature[leader[slot]] != signature[item]:
            slot = (slot + 1) % size
        if free[slot] == 0:
            leader[slot], free[slot] = item, limit
        sets[item] = leader[slot]
        free[slot] -= 1
