"""CCProv: filter the triples of the item's component, then run RQ on them.

This is algorithm 1 of the CSProv paper. Triples have no column for their component. The component
follows from the sets: the items of each set are a range of numbers, and a triple belongs to the
component of its dst. The filter reads every cached partition once and preserves the hash
partitioning, as in the paper.
"""

from dataclasses import replace

from provhouse.model.answer import Read
from provhouse.model.arrays import ItemNumber
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction
from provhouse.runtime.spark.time_limits import limited
from provhouse.store.tables.snapshot import Snapshot

from ..reading.spark_triples import SparkTriples
from ..reading.verify import check_component
from ..reading.walk import component_sets
from .method import MethodResult
from .rq import level_by_level
from .written_out import fetch_written_out


class CCProv:
    """The method that searches the triples of the item's component, level by level."""

    def __init__(self, snapshot: Snapshot, spark: SparkTriples, watch: Stopwatch) -> None:
        self._snapshot = snapshot
        self._spark = spark
        self._watch = watch

    def find(self, item: ItemNumber, direction: Direction, depth: int | None) -> MethodResult:
        """Return the items and triples that ``item`` reaches, level by level in its component."""
        snapshot = self._snapshot
        with self._watch.step("walk"):
            sets = component_sets(snapshot, item)
        with self._watch.step("fetch"):
            hashed = self._spark.hashed(direction, self._watch)
            with limited(hashed.context, self._watch):
                component = hashed.in_ranges(*snapshot.item_ranges(sets))
        try:
            check_component(snapshot, sets, component.triple_count)
            with self._watch.step("recurse"), limited(hashed.context, self._watch):
                fetch = fetch_written_out(component.triples_of, snapshot.groups, direction)
                found = level_by_level(fetch, item, direction, depth)
        finally:
            component.release()
        read = Read(len(sets), component.partition_count, component.triple_count)
        return replace(found, read=read)
