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
from provhouse.store.snapshot import Snapshot

from .question import Direction


@dataclass(frozen=True)
class Walk:
    """The sets that a question needs and where their triples lie."""

    sets: I64
    """Positions of the sets in the snapshot, in order."""
    partitions: I64
    """Partitions to be read, in order."""
    triples: int
    """How many triples will be read."""


class Walks:
    """The walks of one generation; the last ones stay, up to so many bytes.

    ``graph`` gives the Neo4j that holds the generation.
    """

    def __init__(self, snapshot: Snapshot, graph: Callable[[], Graph], kept: int) -> None:
        self._snapshot = snapshot
        self._graph = graph
        self._kept: LRUCache[tuple[int, Direction], Walk] = LRUCache(kept, getsizeof=_size)
        self._lock = Lock()

    def of(self, item: int, direction: Direction) -> Walk:
        """The sets reached from the item's own, and what they hold.

        Raises Damaged if Neo4j does not know the item's set.
        """
        own = int(self._snapshot.set_rows(np.array([item]))[0])
        with self._lock:
            held = self._kept.get((own, direction))
        if held:
            return held
        walk = self._walked(own, direction)
        with self._lock:
            if _size(walk) <= self._kept.maxsize:
                self._kept[own, direction] = walk
        return walk

    def _walked(self, own: int, direction: Direction) -> Walk:
        snapshot = self._snapshot
        closure = self._graph().closure(int(snapshot.set_ids[own]), direction)
        if not closure and snapshot.set_nodes[own]:
            raise Damaged(
                f"Neo4j should hold set {snapshot.set_ids[own]}",
                "It does not",
                "Bring Neo4j's folder back from a backup, or ingest into a new warehouse",
            )
        named = snapshot.rows_of_sets(np.array(closure, np.int64))
        rows = np.union1d(named, [own])
        places = snapshot.placements
        chosen = places.rows(snapshot.set_ids[rows])[0]
        return Walk(rows, np.unique(places.partitions[chosen]), int(places.triples[chosen].sum()))


def _size(walk: Walk) -> int:
    return int(walk.sets.nbytes + walk.partitions.nbytes) + 100
