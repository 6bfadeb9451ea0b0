"""Find the pieces, set dependencies and components that the edges of new items form.

A stored item keeps its number and its set, so only new items are cut. New items that are connected
by edges between new items form a piece. New edges may also connect stored components, which are
then merged.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from provhouse.model.arrays import I32, I64, Bools

from .components import dense, flatten, join, weak_components
from .distinct import coded, decoded, distinct

APPENDED = 1_000
"""The minimum number of new items with which a piece that joins a large stored component is cut.

This number applies even if theta is higher. If the piece stayed one set, a question about one of
its items would read everything that any of its items derives from, such as the state of all earlier
nights.
"""
_NONE = np.int64(np.iinfo(np.int64).max)
PAIRS = 1 << 22
"""The approximate number of collected dependencies at which duplicates are removed."""


@dataclass(frozen=True)
class StoredSets:
    """The stored sets that an ingest touches, in order of their ids."""

    of_place: I64
    """For each stored item, the index of its set.

    Items are in the order of ``ItemGraph``'s ``is_new``.
    """
    components: I64
    """The id of each set's component."""
    items: Callable[[], I64]
    """A function that reads all stored sets and returns each set's component size in items."""


class ItemGraph:
    """The new and stored items of an ingest, and the edges between them.

    ``is_new`` has an element for each item, which is true for new items; an item's place is its
    position in this array. ``table`` has the table of each new item. ``edges`` is called for every
    pass over the edges. It returns the edges in chunks; a chunk is two arrays of places, src and
    dst. ``stored`` is called once, when the sets of stored items are first needed.
    """

    def __init__(
        self,
        is_new: Bools,
        table: I32,
        edges: Callable[[], Iterable[tuple[I32, I32]]],
        stored: Callable[[], StoredSets],
    ) -> None:
        self._is_new, self._edges, self._load_stored = is_new, edges, stored
        self.table = table
        self.new_places = np.flatnonzero(is_new)

    @cached_property
    def _index(self) -> I32:
        """For the place of each new item, the item's position among only the new items."""
        return np.cumsum(self._is_new, dtype=np.int32) - np.int32(1)

    @cached_property
    def _stored(self) -> StoredSets:
        return self._load_stored()

    def _new_edges(self) -> Iterable[tuple[I32, I32]]:
        if len(self.new_places) == len(self._is_new):
            return self._edges()
        return self._edges_between_new()

    def _edges_between_new(self) -> Iterator[tuple[I32, I32]]:
        for src, dst in self._edges():
            inside = self._is_new[src] & self._is_new[dst]
            yield self._index[src[inside]], self._index[dst[inside]]

    @cached_property
    def _connected(self) -> I32:
        """For each new item, the first item to which edges between new items connect it."""
        return weak_components(len(self.new_places), self._new_edges())

    @cached_property
    def pieces(self) -> I32:
        """The piece of each new item, numbered from 0."""
        return dense(self._connected)[0]

    def bars(self, theta: int) -> I32:
        """Return, for each piece, the minimum number of items with which it is cut into sets.

        This number is ``theta``. But if the piece and a stored component that it joins have at
        least ``theta`` items together, the number is the lower of ``APPENDED`` and ``theta``.
        """
        sizes = np.bincount(self.pieces, minlength=1)
        bars = np.full(len(sizes), theta, np.int32)
        if self._is_new.all() or not ((sizes >= APPENDED) & (sizes < theta)).any():
            return bars
        stored = np.cumsum(~self._is_new, dtype=np.int32) - np.int32(1)
        count = self._stored.items()
        for src, dst in self._edges():
            for near, far in ((src, dst), (dst, src)):
                across = self._is_new[near] & ~self._is_new[far]
                piece = self.pieces[self._index[near[across]]]
                items = count[self._stored.of_place[stored[far[across]]]]
                bars[piece[items + sizes[piece] >= theta]] = min(APPENDED, theta)
        return bars

    def edges_within(self, bars: I32) -> tuple[I32, I32]:
        """Return the edges of the pieces that reach their threshold in ``bars``."""
        large = (np.bincount(self.pieces, minlength=1) >= bars)[self.pieces]
        kept = [(src[large[src]], dst[large[src]]) for src, dst in self._new_edges()]
        none = np.empty(0, np.int32)
        return (
            np.concatenate([none, *(src for src, _ in kept)]),
            np.concatenate([none, *(dst for _, dst in kept)]),
        )

    @cached_property
    def _stored_components(self) -> tuple[I64, I64]:
        """The ids of the stored components, and for each stored set the index of its component."""
        return np.unique(self._stored.components, return_inverse=True)

    @cached_property
    def _roots(self) -> tuple[I32, I32]:
        """The union-find root of each new item, and of each stored component."""
        count = len(self.new_places)
        if count == len(self._is_new):
            return self._connected, np.empty(0, np.int32)
        ids, of_set = self._stored_components
        node = np.empty(len(self._is_new), np.int32)
        node[self.new_places] = np.arange(count, dtype=np.int32)
        node[~self._is_new] = count + of_set[self._stored.of_place]
        parent = np.arange(count + len(ids), dtype=np.int32)
        for src, dst in self._edges():
            join(parent, node[src], node[dst])
        flatten(parent)
        return parent[:count], parent[count:]

    def group_of(self, label: I32, count: int) -> I32:
        """Return the component of each new set. A component is named by its root in ``_roots``."""
        group = np.zeros(count, np.int32)
        group[label] = self._roots[0]
        return group

    def outside(self, bars: I32) -> tuple[I32, I32]:
        """Return distinct pairs of a new item and a stored set that it derives from.

        Pairs are returned only for pieces that are cut. A piece that joins no stored component does
        not have such pairs. ``bars`` has, for each piece, the minimum number of items with which it
        is cut.
        """
        large = (np.bincount(self.pieces, minlength=1) >= bars)[self.pieces]
        parts = [np.empty(0, np.int64)]
        if large.any() and not self._is_new.all():
            stored = np.cumsum(~self._is_new, dtype=np.int32) - np.int32(1)
            for src, dst in self._edges():
                across = ~self._is_new[src] & self._is_new[dst]
                item = self._index[dst[across]]
                sets = self._stored.of_place[stored[src[across]]]
                parts.append(distinct(coded(item[large[item]], sets[large[item]].astype(np.int32))))
        return decoded(distinct(np.concatenate(parts)))

    def dependencies(self, label: I32, count: int) -> tuple[I32, I32]:
        """Return distinct pairs of a set and a set it derives from.

        Stored sets have higher numbers.
        """
        node = np.empty(len(self._is_new), np.int32)
        node[self.new_places] = label
        node[~self._is_new] = count + self._stored.of_place
        parts = [np.empty(0, np.int64)]
        for src, dst in self._edges():
            child, parent = node[dst], node[src]
            across = child != parent
            parts.append(distinct(coded(child[across], parent[across])))
            # It would be slow to sort after every small file.
            if sum(map(len, parts[1:])) > max(PAIRS, len(parts[0])):
                parts = [distinct(np.concatenate(parts))]
        return decoded(distinct(np.concatenate(parts)))

    def components(self, group: I32, first: I64) -> tuple[I64, list[tuple[int, int]], int]:
        """Return each new set's component id, the merges, and the change in the component count.

        ``group`` has the root of each set's component, and ``first`` has each set's first item
        number. A merge is a pair of ids: of a component, and of the component into which it is
        merged.
        """
        ids, roots = self._stored_components[0], self._roots[1]
        size = int(max(group.max(initial=-1), roots.max(initial=-1))) + 1
        component = np.full(size, _NONE)
        np.minimum.at(component, group, first)
        born = component < _NONE
        kept = np.full(size, _NONE)
        np.minimum.at(kept, roots, ids)
        old = kept < _NONE
        component[old] = kept[old]
        merged = np.flatnonzero(kept[roots] != ids)
        merges = list(zip(ids[merged].tolist(), kept[roots[merged]].tolist(), strict=True))
        return component[group], merges, int((born & ~old).sum()) - len(merges)


def with_neighbours(count: int, child: I32, parent: I32) -> Bools:
    """Return a mask of the first ``count`` sets: true for a set whose component has other sets."""
    several = np.zeros(count, bool)
    for ends in (child, parent):
        several[ends[ends < count]] = True
    return several
