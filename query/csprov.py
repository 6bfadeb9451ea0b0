"""CSProv: walk the connected sets, then read only their triples (CSProv, algorithm 2).

The walk is a closure over set dependencies in Neo4j. With the placements it tells which partitions
hold the triples and how many there are, before anything is read. Deviations from the paper: the
set dependencies lie in Neo4j instead of an RDD; a set's triples lie in known partitions instead of
under a hash of the set; and the downstream question walks the dependencies the other way over the
same triples, which is right since a triple lies with the set of its dst, and that set depends on
the set of its src.
"""

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.progress import Stopwatch
from provhouse.store.snapshot import Snapshot

from .answer import Read
from .bulk import Bulk
from .found import Found, ends
from .question import Direction
from .recurse import recurse
from .trust import check_sets
from .walk import Walk


class CSProv:
    """Answers from the connected sets that a walk has named, for the item that it began with."""

    def __init__(self, snapshot: Snapshot, bulk: Bulk, watch: Stopwatch, walk: Walk) -> None:
        self._snapshot = snapshot
        self._bulk = bulk
        self._watch = watch
        self._walk = walk

    def find(self, item: int, direction: Direction, depth: int | None) -> Found:
        """What ``item`` reaches, from the triples of those sets."""
        walk = self._walk
        with self._watch.step("fetch"):
            triples = self._fetch(walk)
        with self._watch.step("recurse"):
            check_sets(self._snapshot, walk.sets, triples, direction)
            near, far = ends(triples, direction)
            reached = recurse(near, far, item, depth)
            kept = triples.take(pa.array(reached.triples))
        read = Read(len(walk.sets), len(walk.partitions), triples.num_rows)
        return Found(reached.items, reached.depths, kept, reached.near, reached.more, read)

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
