"""CSProv: walk the connected sets, then read only their triples (CSProv, algorithm 2).

The walk is a closure over set dependencies in Neo4j. With the placements it tells which partitions
hold the triples and how many there are, before anything is read. Deviations from the paper: the
set dependencies lie in Neo4j instead of an RDD; a set's triples lie in known partitions instead of
under a hash of the set; and the downstream question walks the dependencies the other way over the
same triples, which is right since a triple lies with the set of its dst, and that set depends on
the set of its src.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.cypher.graph import Graph
from provhouse.model.arrays import I64
from provhouse.model.errors import Damaged
from provhouse.model.progress import Stopwatch
from provhouse.store.snapshot import Snapshot

from .answer import Read
from .bulk import Bulk
from .found import Found, ends
from .question import Direction
from .recurse import recurse
from .trust import check_sets


@dataclass(frozen=True)
class Walk:
    """The sets that a question needs and where their triples lie."""

    sets: I64
    """Positions of the sets in the snapshot, in order."""
    partitions: I64
    """Partitions to be read, in order."""
    triples: int
    """How many triples will be read."""


class CSProv:
    """Answers from the connected sets of a snapshot, over a walk if that was made already."""

    def __init__(
        self,
        snapshot: Snapshot,
        graph: Graph,
        bulk: Bulk,
        watch: Stopwatch,
        walked: Walk | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._graph = graph
        self._bulk = bulk
        self._watch = watch
        self._walked = walked

    def find(self, item: int, direction: Direction, depth: int | None) -> Found:
        """What ``item`` reaches, from the triples of the sets that the walk names."""
        with self._watch.step("walk"):
            walk = self._walked or self.walk(item, direction)
        with self._watch.step("fetch"):
            triples = self._fetch(walk)
        with self._watch.step("recurse"):
            check_sets(self._snapshot, walk.sets, triples, direction)
            near, far = ends(triples, direction)
            reached = recurse(near, far, item, depth)
            kept = triples.take(pa.array(reached.triples))
        read = Read(len(walk.sets), len(walk.partitions), triples.num_rows)
        return Found(reached.items, reached.depths, kept, reached.near, reached.more, read)

    def walk(self, item: int, direction: Direction) -> Walk:
        """The sets reached from the item's own, and what they hold."""
        snapshot = self._snapshot
        own = int(snapshot.set_rows(np.array([item]))[0])
        closure = self._graph.closure(int(snapshot.set_ids[own]), direction)
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

    def _fetch(self, walk: Walk) -> pa.Table:
        first = self._snapshot.set_firsts[walk.sets]
        last = first + self._snapshot.set_items[walk.sets] - 1
        return self._bulk.partitions.fetch(
            walk.partitions, *_joined(first, last), self._watch.left()
        )


def _joined(first: I64, last: I64) -> tuple[I64, I64]:
    """Ranges with those that follow each other joined."""
    gap = np.ones(len(first), bool)
    gap[1:] = first[1:] != last[:-1] + 1
    begins = np.flatnonzero(gap)
    return first[begins], last[np.append(begins[1:] - 1, len(last) - 1)]
