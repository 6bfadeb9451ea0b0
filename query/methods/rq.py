"""RQ: search all triples recursively, level by level (section III-A of the CSProv paper).

For lineage, the cached triples are hash-partitioned on dst, as in the paper; for impact, a second
copy is hash-partitioned on src. The items that the last level reached are the frontier. Each level
is one Spark job. It reads only the partitions to which the items of the frontier hash.
"""

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Read
from provhouse.model.arrays import ItemNumber, ItemNumbers, minus, union, unique
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction
from provhouse.runtime.spark.time_limits import limited
from provhouse.store.cache.triple_blocks import SENT
from provhouse.store.tables.snapshot import Snapshot

from ..reading.spark_triples import SparkTriples
from .method import MethodResult, near_and_far
from .written_out import Fetch, fetch_written_out


class RQ:
    """The method that searches all triples, level by level."""

    def __init__(self, snapshot: Snapshot, spark: SparkTriples, watch: Stopwatch) -> None:
        self._snapshot = snapshot
        self._spark = spark
        self._watch = watch

    def find(self, item: ItemNumber, direction: Direction, depth: int | None) -> MethodResult:
        """Return the items and triples that ``item`` reaches, with one job for each level."""
        with self._watch.step("fetch"):
            hashed = self._spark.hashed(direction, self._watch)
        with self._watch.step("recurse"), limited(hashed.context, self._watch):
            fetch = fetch_written_out(hashed.triples_of, self._snapshot.groups, direction)
            return level_by_level(fetch, item, direction, depth)


def level_by_level(
    fetch: Fetch, item: ItemNumber, direction: Direction, limit: int | None
) -> MethodResult:
    """Return the items and triples that ``item`` reaches, fetching one frontier at a time.

    ``fetch`` returns the triples whose near ends are the given items, and the number of partitions
    that it read. The result's ``read`` has the total numbers of triples and partitions over all
    jobs.
    """
    frontier = ItemNumbers(np.array([item], np.int64))
    asked = frontier
    items, depths, parts, near = (
        [frontier[:0]],
        [frontier[:0]],
        [SENT.empty_table()],
        [frontier[:0]],
    )
    level = partitions = 0
    while len(frontier) and (limit is None or level < limit):
        triples, read = fetch(frontier)
        partitions += read
        parts.append(triples)
        near.append(np.full(triples.num_rows, level))
        level += 1
        reached = minus(near_and_far(triples, direction)[1], np.concatenate(items))
        items.append(reached)
        depths.append(np.full(len(reached), level))
        frontier = ItemNumbers(minus(reached, asked))
        asked = ItemNumbers(union(asked, frontier))
    beyond = fetch(frontier)[0] if len(frontier) else SENT.empty_table()
    triples = pa.concat_tables(parts).combine_chunks()
    return MethodResult(
        ItemNumbers(np.concatenate(items)),
        np.concatenate(depths).astype(np.int32),
        triples,
        np.concatenate(near).astype(np.int32),
        ItemNumbers(unique(near_and_far(beyond, direction)[0])),
        Read(0, partitions, triples.num_rows),
    )
