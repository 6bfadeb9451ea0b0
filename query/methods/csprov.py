"""CSProv: walk the connected sets, then read only their triples.

This is algorithm 2 of the CSProv paper. The walk is a closure over set dependencies in Neo4j. The
placements of the walked sets then show which partitions contain triples of these sets, and how
many. Triples are read only after that.

The implementation deviates from the paper in three points:

- The set dependencies are in Neo4j instead of an RDD.
- The triples of a set are in recorded partitions, instead of partitions chosen by a hash of the
  set.
- A downstream question follows the same dependencies in reverse. This is correct because a triple
  is stored with the set of its dst, which depends on the set of its src.
"""

from dataclasses import dataclass, replace

import numpy as np

from provhouse.model.answer import Read
from provhouse.model.arrays import I64, ItemNumber, ItemNumbers, among
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction
from provhouse.store.cache.fetched import Fetched
from provhouse.store.tables.snapshot import Snapshot

from ..reading.level_search import LevelSearch
from ..reading.recurse import Reached, all_reached, recurse
from ..reading.spark_triples import SparkTriples
from ..reading.verify import check_sets
from ..reading.walk import Walk
from .method import MethodResult
from .written_out import without_dead_ends


@dataclass(frozen=True)
class Searched:
    """The triples that were read, and the finished search in these for the complete answer."""

    triples: Fetched
    search: LevelSearch
    read: Read

    def result(self) -> MethodResult:
        """Return the result of the search, with all of its triples as rows."""
        return _result(self.triples, all_reached(self.search), self.read)


class CSProv:
    """The method that reads only the triples of the sets on the walk from the item.

    If ``described`` is true, the triples of its results have all columns of ``DESCRIBED``.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        spark: SparkTriples,
        watch: Stopwatch,
        walk: Walk,
        *,
        described: bool = False,
    ) -> None:
        self._described = described
        self._snapshot = snapshot
        self._spark = spark
        self._watch = watch
        self._walk = walk

    def may_find(self, items: int) -> bool:
        """Return whether ``search`` may find more than ``items`` items, without reading triples.

        In a warehouse with shared derivations, the result is False, because ``search`` cannot
        follow them.
        """
        return self._walk.triples > items and not len(self._snapshot.groups)

    def find(self, item: ItemNumber, direction: Direction, depth: int | None) -> MethodResult:
        """Return the items and triples that ``item`` reaches in the walked sets."""
        triples, read = self.read(direction)
        with self._watch.step("recurse"):
            reached = self._reached(*_near_and_far(triples, direction), item, depth)
            return _result(triples, reached, read)

    def search(self, item: ItemNumber, direction: Direction, depth: int | None) -> Searched:
        """Return a search with the same result as ``find``, which takes less memory."""
        triples, read = self.read(direction)
        with self._watch.step("recurse"):
            search = LevelSearch(*_near_and_far(triples, direction), item, depth)
            triples.drop_ends()
            return Searched(triples, search, read)

    def read(self, direction: Direction) -> tuple[Fetched, Read]:
        """Return the live triples of the walked sets; check that none of them are missing."""
        walk = self._walk
        with self._watch.step("fetch"):
            ranges = self._snapshot.item_ranges(walk.sets)
            stored = self._spark.described if self._described else self._spark.partitions
            triples = stored.fetch(walk.partitions, *ranges, self._watch)
        with self._watch.step("recurse"):
            check_sets(self._snapshot, walk, triples, direction)
            read = Read(len(walk.sets), len(walk.partitions), len(triples))
            triples.drop(self._snapshot.deaths, walk.partitions)
        return triples, read

    def _reached(self, near: I64, far: I64, item: ItemNumber, depth: int | None) -> Reached:
        groups = self._snapshot.groups
        if not len(groups):
            return recurse(near, far, item, depth)
        to_group = among(far, groups)
        kept = np.flatnonzero(without_dead_ends(near, far, to_group))
        reached = recurse(near[kept], far[kept], item, depth, to_group[kept])
        return replace(reached, triples=kept[reached.triples])


def _near_and_far(triples: Fetched, direction: Direction) -> tuple[I64, I64]:
    ends = triples.dst, triples.src
    return ends if direction == "upstream" else ends[::-1]


def _result(triples: Fetched, reached: Reached, read: Read) -> MethodResult:
    order = np.argsort(reached.triples)
    return MethodResult(
        ItemNumbers(reached.items),
        reached.depths,
        triples.take(reached.triples[order]),
        reached.near_depths[order],
        ItemNumbers(reached.unexpanded),
        read,
    )
