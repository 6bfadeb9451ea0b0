"""Divide the items of an ingest into groups of components, to cut one group at a time.

The groups are stored in files. As in a cut in memory, union-find over all items finds the
components. But here, the arrays of union-find are memory-mapped files of 32 bytes for each item and
8 bytes for each edge, so that the memory needed does not grow with the number of items.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32, I64, ItemNumbers, among, union
from provhouse.runtime.storage import Array, create_array, open_array
from provhouse.sets.component_groups import (
    Groups,
    Weights,
    by_group,
    count_edges,
    count_items,
    divide,
    edges_by_group,
    settle,
)
from provhouse.sets.components import flatten, join
from provhouse.sets.item_graph import ItemGraph, StoredSets
from provhouse.store.tables.snapshot import Snapshot

from ..staging import CHUNK, Staging


class GroupPart(NamedTuple):
    """A group of components of an ingest, and the places of their new items."""

    graph: ItemGraph
    new_places: I64


@dataclass(frozen=True)
class GroupSource:
    """The items and edges of an ingest, and the stored sets that the ingest adds to."""

    staging: Staging
    snapshot: Snapshot | None

    @property
    def stored(self) -> I64:
        """The stored number of the item at each place, or -1 for a new item."""
        return np.asarray(open_array(self.staging.stored))

    @property
    def tables(self) -> I32:
        """The table of the item at each place."""
        return np.asarray(open_array(self.staging.tables))

    def whole(self) -> GroupPart:
        """Return all components of the ingest, with the arrays of their items in memory."""
        stored = self.stored
        is_new = stored < 0
        graph = ItemGraph(
            is_new,
            self.tables[is_new],
            self.staging.edge_chunks,
            lambda: self.stored_sets(stored[~is_new]),
        )
        return GroupPart(graph, graph.new_places)

    def stored_sets(self, items: I64) -> StoredSets:
        """Return the stored sets to which the stored ``items`` belong."""
        snapshot, none = self.snapshot, np.empty(0, np.int64)
        if snapshot is None:
            return StoredSets(none, none, lambda: none)
        sets, of_item = np.unique(snapshot.set_rows(ItemNumbers(items)), return_inverse=True)
        components = snapshot.set_components[sets]
        return StoredSets(of_item, components, lambda: _items_of(components, snapshot))

    def stored_components(self) -> I64:
        """Return the ids of the components of all stored items, in order."""
        found = np.empty(0, np.int64)
        for rows in _blocks(len(self.stored)):
            stored = self.stored[rows]
            more = self.stored_sets(stored[stored >= 0]).components
            found = union(found, more)
        return found


class GroupedItems:
    """The items of an ingest, in groups of complete components, the largest components first."""

    def __init__(self, source: GroupSource, weights: Weights) -> None:
        staging = source.staging
        self._source = source
        nodes, new, count = _nodes(source, staging.cut_nodes)
        parent = _roots(staging, nodes, count)
        group_of, self.groups = _groups(staging, nodes, parent, new, weights)
        homes, filled = _homes(staging, nodes, parent, group_of, len(self))
        self._starts = np.append(0, np.cumsum(filled))
        self._edge_starts = np.append(0, np.cumsum(self.groups.edges))
        self._places = _created(staging.cut_places, np.int32, len(nodes))
        by_group(homes, self._starts, self._places)
        self._edges = _created(staging.cut_edges, np.int32, 2, int(self._edge_starts[-1]))
        free = self._edge_starts.copy()
        for src, dst in staging.edge_chunks():
            edges_by_group(src, dst, homes, free, self._edges)

    def __len__(self) -> int:
        return len(self.groups.weights)

    def part(self, number: int) -> GroupPart:
        """Return a group.

        Arrays of its items are in memory; its edges are read from a file on each pass.
        """
        places = self._places[self._starts[number] : self._starts[number + 1]]
        first, end = self._edge_starts[number : number + 2]
        stored = self._source.stored[places]
        is_new = stored < 0
        new_places = places[is_new].astype(np.int64)

        def edges() -> Iterator[tuple[I32, I32]]:
            for start in range(first, end, CHUNK):
                src, dst = self._edges[:, start : min(start + CHUNK, end)]
                yield src, dst

        graph = ItemGraph(
            is_new,
            self._source.tables[new_places],
            edges,
            lambda: self._source.stored_sets(stored[~is_new]),
        )
        return GroupPart(graph, new_places)


def _items_of(components: I64, snapshot: Snapshot) -> I64:
    """Return, for each of ``components``, the number of items in all of its sets."""
    ids, place = np.unique(components, return_inverse=True)
    found = np.zeros(len(ids), np.int64)
    for rows in _blocks(len(snapshot.set_components)):
        of_set = snapshot.set_components[rows]
        inside = among(of_set, ids)
        np.add.at(found, np.searchsorted(ids, of_set[inside]), snapshot.set_items[rows][inside])
    return found[place]


def _nodes(source: GroupSource, path: Path) -> tuple[I32, int, int]:
    """Return the node of each place, the number of new items, and the number of nodes.

    The first nodes are the new items. They are followed by one node for each component of stored
    items.
    """
    stored, components = source.stored, source.stored_components()
    blocks = _blocks(len(stored))
    new = sum(int((stored[rows] < 0).sum()) for rows in blocks)
    nodes = _created(path, np.int32, len(stored))
    at = 0
    for rows in blocks:
        is_new = stored[rows] < 0
        found = at + np.cumsum(is_new) - 1
        at += int(is_new.sum())
        if not is_new.all():
            sets = source.stored_sets(stored[rows][~is_new])
            ids = sets.components[sets.of_place]
            found[~is_new] = new + np.searchsorted(components, ids)
        nodes[rows] = found
    return nodes, new, new + len(components)


def _roots(staging: Staging, nodes: I32, count: int) -> I32:
    """Return, for each node, the root of its component."""
    parent = _created(staging.cut_roots, np.int32, count)
    for rows in _blocks(count):
        parent[rows] = np.arange(rows.start, rows.stop)
    for src, dst in staging.edge_chunks():
        join(parent, nodes[src], nodes[dst])
    flatten(parent)
    return parent


def _groups(
    staging: Staging, nodes: I32, parent: I32, new: int, weights: Weights
) -> tuple[I32, Groups]:
    """Return the group of each component, and the groups.

    The first result is an array with an entry for each node: the entry for the root of a component
    has the number of the component's group.
    """
    items = _created(staging.cut_items, np.int32, len(parent))
    edges = _created(staging.cut_counts, np.int64, len(parent))
    count_items(parent, items, new)
    for src, _ in staging.edge_chunks():
        count_edges(parent, edges, nodes[src])
    groups = divide(parent, items, edges, weights)
    return items, groups


def _homes(
    staging: Staging, nodes: I32, parent: I32, group_of: I32, groups: int
) -> tuple[I32, I64]:
    """Return each place's group and its position there, and the number of places in each group."""
    homes = _created(staging.cut_homes, np.int32, len(nodes), 2)
    filled = np.zeros(groups, np.int64)
    settle(nodes, parent, group_of, filled, homes)
    return homes, filled


def _created(path: Path, dtype: npt.DTypeLike, *shape: int) -> Array:
    return np.asarray(create_array(path, dtype, shape))


def _blocks(count: int) -> list[slice]:
    return [slice(start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
