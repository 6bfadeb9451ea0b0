"""Find the connected sets that a question needs, by a closure over set dependencies in Neo4j.

The placements of these sets then show which partitions to read and how many triples, before any
triple is read. This is ``Find-Set-Lineage`` in algorithm 2 of the CSProv paper.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import numpy as np
from cachetools import LRUCache

from provhouse.cypher.graph import Graph
from provhouse.model.arrays import (
    ItemNumber,
    ItemNumbers,
    PartitionNumbers,
    SetId,
    SetIds,
    SetPositions,
    among,
    matching_rows,
    minus,
    union,
    unique,
)
from provhouse.model.errors import Damaged
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction
from provhouse.store.tables.snapshot import Snapshot

from .recurse import recurse

WARMING = 300
"""The approximate number of walks that ``WalkCache.warm`` makes in advance."""


@dataclass(frozen=True)
class Walk:
    """The sets that a question needs, and where their triples are stored."""

    sets: SetPositions
    """The positions of the sets in the snapshot, in order."""
    partitions: PartitionNumbers
    """The partitions to read, in order."""
    triples: int
    """The number of triples that will be read."""
    source_sets: SetPositions
    """The sets that may contain the src of triples to read. A src in any other set means damage."""


class WalkCache:
    """A cache for the latest walks in one generation, which takes at most ``max_bytes``."""

    def __init__(self, snapshot: Snapshot, max_bytes: int) -> None:
        self._snapshot = snapshot
        self._cache: LRUCache[tuple[int, Direction], Walk] = LRUCache(max_bytes, getsizeof=_size)
        self._lock = Lock()

    def walk(
        self,
        item: ItemNumber,
        direction: Direction,
        graph: Callable[[], Graph],
        watch: Stopwatch | None = None,
    ) -> Walk:
        """Return the sets reached from the item's own set.

        ``graph`` checks that Neo4j has the whole generation, and returns a connection. It is called
        for every walk that is not cached, even from a set without dependencies, so that damage is
        always reported. Raises Damaged if the item's set is missing in Neo4j, and TooSlow if the
        time limit of ``watch`` has passed.
        """
        own = set_of(self._snapshot, item)
        with self._lock:
            cached = self._cache.get((own, direction))
        if cached:
            return cached
        walk = self._walk(own, direction, graph(), watch)
        with self._lock:
            if _size(walk) <= self._cache.maxsize:
                self._cache[own, direction] = walk
        return walk

    def warm(self, graph: Graph) -> None:
        """Make walks in advance: Neo4j's first walks take 10 ms each, and later walks 3 ms."""
        linked = np.flatnonzero(~self._snapshot.alone)
        for own in linked[:: max(len(linked) // WARMING, 1)].tolist():
            graph.closure(SetId(int(self._snapshot.set_ids[own])), "upstream")

    def _walk(self, own: int, direction: Direction, graph: Graph, watch: Stopwatch | None) -> Walk:
        snapshot = self._snapshot
        if snapshot.alone[own]:
            return _walk_of_sets(snapshot, SetPositions(np.array([own])))
        closure = graph.closure(SetId(int(snapshot.set_ids[own])), direction, watch)
        if not closure:
            raise Damaged(
                f"Set {snapshot.set_ids[own]} is missing in Neo4j",
                "The tables have it",
                "Run `provhouse check --repair`, which reloads Neo4j from the tables",
            )
        named = snapshot.rows_of_sets(SetIds(np.array(closure, np.int64)))
        return _walk_of_sets(snapshot, SetPositions(union(named, [own])))


def walk_between(snapshot: Snapshot, source: ItemNumber, walk: Walk) -> Walk:
    """Return the sets of an upstream walk that lie on a path from the set of ``source``.

    A triple is stored with the set of its dst, so these sets have all triples on paths from
    ``source`` to the item where the walk began. If there are no such sets, no path exists. The
    table ``set_dependencies`` is searched for the paths, not Neo4j: for an item with a large
    impact, a walk downstream in Neo4j would take longer than reading the lineage.
    """
    own = set_of(snapshot, source)
    parents, children = snapshot.dependents
    rows = matching_rows(parents, walk.sets)[0]
    reached = recurse(parents[rows], children[rows], own).items
    found = union(reached, [own])
    sets = SetPositions(found[among(found, walk.sets)])
    return _walk_of_sets(snapshot, sets, walk.sets)


def walk_downstream(snapshot: Snapshot, sets: SetPositions) -> Walk:
    """Return the sets that can be reached from ``sets``, found in the table ``set_dependencies``.

    One search from all sets takes less time than a walk in Neo4j from each set. The caller must
    check that the table is complete; see ``check_dependencies``.
    """
    parents, children = snapshot.dependents
    found = unique(sets)
    new = found
    while len(new):
        new = minus(children[matching_rows(parents, new)[0]], found)
        found = union(found, new)
    return _walk_of_sets(snapshot, SetPositions(found))


def set_of(snapshot: Snapshot, item: ItemNumber) -> int:
    """Return the position of an item's set in the snapshot."""
    return int(snapshot.set_rows(ItemNumbers(np.array([item])))[0])


def component_sets(snapshot: Snapshot, item: ItemNumber) -> SetPositions:
    """Return the positions of all sets in an item's component in the snapshot, in order."""
    components = snapshot.set_components
    return SetPositions(np.flatnonzero(components == components[set_of(snapshot, item)]))


def _walk_of_sets(
    snapshot: Snapshot, sets: SetPositions, source_sets: SetPositions | None = None
) -> Walk:
    places = snapshot.placements
    chosen = places.rows(snapshot.ids_of(sets))[0]
    partitions = PartitionNumbers(unique(places.partitions[chosen]))
    triples = int(places.triples[chosen].sum())
    return Walk(sets, partitions, triples, sets if source_sets is None else source_sets)


def _size(walk: Walk) -> int:
    return int(walk.sets.nbytes + walk.partitions.nbytes) + 100
