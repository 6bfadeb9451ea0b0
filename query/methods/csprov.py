"""CSProv: walk the connected sets, then read only their triples.

This is algorithm 2 of the CSProv paper. The walk is a closure over set dependencies in Neo4j. The
placements of the walked sets then show which partitions have their triples, and how many triples
these are. No triple has been read until then.

There are three deviations from the paper:

- The set dependencies are in Neo4j instead of an RDD.
- The triples of a set are in known partitions, instead of under a hash of the set.
- A downstream question follows the same dependencies in reverse. This is correct because a triple
  is stored with the set of its dst, which depends on the set of its src.
"""

import numpy as np

from provhouse.model.answer import Read
from provhouse.model.arrays import ItemNumber, ItemNumbers
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction
from provhouse.store.cache.fetched import Fetched
from provhouse.store.tables.snapshot import Snapshot

from ..recurse import recurse
from ..spark_triples import SparkTriples
from ..verify import check_sets
from ..walk import Walk
from .method import MethodResult


class CSProv:
    """The method that reads only the connected sets of a walk from the item."""

    def __init__(
        self, snapshot: Snapshot, spark: SparkTriples, watch: Stopwatch, walk: Walk
    ) -> None:
        self._snapshot = snapshot
        self._spark = spark
        self._watch = watch
        self._walk = walk

    def find(self, item: ItemNumber, direction: Direction, depth: int | None) -> MethodResult:
        """Return what ``item`` reaches, from the triples of the walked sets."""
        walk = self._walk
        with self._watch.step("fetch"):
            triples = self._fetch(walk)
        with self._watch.step("recurse"):
            check_sets(self._snapshot, walk, triples, direction)
            read = Read(len(walk.sets), len(walk.partitions), len(triples))
            triples.drop(self._snapshot.deaths, walk.partitions)
            dst, src = triples.dst, triples.src
            near, far = (dst, src) if direction == "upstream" else (src, dst)
            reached = recurse(near, far, item, depth)
            order = np.argsort(reached.triples)
            kept = triples.take(reached.triples[order])
        return MethodResult(
            ItemNumbers(reached.items),
            reached.depths,
            kept,
            reached.near_depths[order],
            ItemNumbers(reached.unexpanded),
            read,
        )

    def _fetch(self, walk: Walk) -> Fetched:
        ranges = self._snapshot.item_ranges(walk.sets)
        return self._spark.partitions.fetch(walk.partitions, *ranges, self._watch)
