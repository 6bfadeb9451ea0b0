"""The walk: the connected sets that an item needs, by the closure over set dependencies in Neo4j.

With the placements it tells which partitions hold their triples and how many there are, before
anything is read (CSProv, algorithm 2, ``Find-Set-Lineage``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import numpy as np
from cachetools import LRUCache

from provhouse.cypher.graph import Graph
from provhouse.model.arrays import I64
from provhouse.model.errors import Damaged
from provhouse.model.question import Direction
from provhouse.store.tables.snapshot import Snapshot, rows_of

from .recurse import recurse

WARMING = 300
"""From about so many sets."""


@dataclass(frozen=True)
class Walk:
    """The sets that a question needs and where their triples lie."""

    sets: I64
    """Positions of the sets in the snapshot, in order."""
    partitions: I64
    """Partitions to be read, in order."""
    triples: int
    """How many triples will be read."""
    source_sets: I64
    """Sets that those triples may come from, in order; one from another shows that a set lacks."""


class WalkCache:
    """The walks of one generation; the last ones stay, up to so many bytes."""

    def __init__(self, snapshot: Snapshot, max_bytes: int) -> None:
        self._snapshot = snapshot
        self._cache: LRUCache[tuple[int, Direction], Walk] = LRUCache(max_bytes, getsizeof=_size)
        self._lock = Lock()

    def walk(self, item: int, direction: Direction, graph: Callable[[], Graph]) -> Walk:
        """The sets reached from the item's own, and what they hold.

        ``graph`` gives the Neo4j that was found to hold all of the generation. It is asked for even
        where no walk is needed, so that one that lacks something is told; a kept walk needs none.
        Raises Damaged if Neo4j does not know the item's set.
        """
        own = set_of(self._snapshot, item)
        with self._lock:
            cached = self._cache.get((own, direction))
        if cached:
            return cached
        walk = self._walk(own, direction, graph())
        with self._lock:
            if _size(walk) <= self._cache.maxsize:
                self._cache[own, direction] = walk
        return walk

    def warm(self, graph: Graph) -> None:
        """Walk from some sets: Neo4j takes 10 ms until it has done it often, and then 3."""
        linked = np.flatnonzero(~self._snapshot.alone)
        for own in linked[:: max(len(linked) // WARMING, 1)].tolist():
            graph.closure(int(self._snapshot.set_ids[own]), "upstream")

    def _walk(self, own: int, direction: Direction, graph: Graph) -> Walk:
        snapshot = self._snapshot
        if snapshot.alone[own]:
            return _walk_of_sets(snapshot, np.array([own]))
        closure = graph.closure(int(snapshot.set_ids[own]), direction)
        if not closure:
            raise Damaged(
                f"Neo4j should hold set {snapshot.set_ids[own]}",
                "It does not",
                "Run `provhouse repair`, which loads Neo4j from the tables",
            )
        named = snapshot.rows_of_sets(np.array(closure, np.int64))
        return _walk_of_sets(snapshot, np.union1d(named, [own]))


def walk_between(snapshot: Snapshot, source: int, walk: Walk) -> Walk:
    """The sets of an upstream walk that lie on a way from an item's own; none where there is none.

    A triple lies with the set of its dst. So all triples on ways from that item to the one at which
    the walk began lie in these sets. The table of dependencies tells the way: to walk downstream in
    Neo4j from an item that much derives from would take longer than to read the lineage.
    """
    own = set_of(snapshot, source)
    parents, children = snapshot.dependents
    rows = rows_of(parents, walk.sets)[0]
    reached = recurse(parents[rows], children[rows], own).items
    sets = np.intersect1d(np.append(reached, own), walk.sets)
    return _walk_of_sets(snapshot, sets, walk.sets)


def set_of(snapshot: Snapshot, item: int) -> int:
    """The position in the snapshot of an item's set."""
    return int(snapshot.set_rows(np.array([item]))[0])


def component_sets(snapshot: Snapshot, item: int) -> I64:
    """The positions in the snapshot of all sets in an item's component, in order."""
    components = snapshot.set_components
    return np.flatnonzero(components == components[set_of(snapshot, item)])


def _walk_of_sets(snapshot: Snapshot, sets: I64, source_sets: I64 | None = None) -> Walk:
    places = snapshot.placements
    chosen = places.rows(snapshot.set_ids[sets])[0]
    partitions, triples = np.unique(places.partitions[chosen]), int(places.triples[chosen].sum())
    return Walk(sets, partitions, triples, sets if source_sets is None else source_sets)


def _size(walk: Walk) -> int:
    return int(walk.sets.nbytes + walk.partitions.nbytes) + 100
