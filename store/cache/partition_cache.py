"""Cache partitions of triples in Spark, to be shared by all generations that show them.

Only an erasure changes a partition; ``clear`` is then called to drop the whole cache. A stale
partition does no harm, since every answer leaves out the triples of items erased by then. A read is
one Spark job on exactly the requested partitions. The job returns whole partitions as Spark stores
them: selecting rows in a Python worker first would take longer than sending all rows.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from cachetools import LRUCache

from provhouse.model.arrays import ItemNumbers, PartitionNumbers
from provhouse.model.progress import Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.spark.pyspark_internals import cached_rows
from provhouse.runtime.spark.session import working

from ..tables.partitions import partition_path, read_partition, unless_damaged
from ..tables.snapshot import Snapshot
from .fetched import Fetched
from .shared_reads import Blocks, SharedReads
from .triple_blocks import DESCRIBED, SENT, as_block, discard_blocks, from_block

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

MEGABYTE = 1 << 20


class PartitionCache:
    """The cached partitions of one warehouse, for all questions of this process.

    Recently used partitions also stay in this process, decoded, up to ``hot_mb`` megabytes, so that
    they can be read again without a Spark job. ``schema`` names the columns that are cached.
    """

    def __init__(self, settings: Settings, schema: pa.Schema = SENT) -> None:
        self._settings = settings
        self._schema = schema
        self._storage = settings.spark_storage
        self._ingests: dict[Path, RDD[bytes]] = {}
        self._hot: LRUCache[Path, pa.Table] = LRUCache(settings.hot_mb * MEGABYTE, _size)
        self._lock = Lock()
        self._reads = SharedReads()
        self.loaded: set[Path] = set()
        """The partitions that Spark was made to cache. Spark may have evicted some since then."""

    @cached_property
    def described(self) -> "PartitionCache":
        """A second cache, of partitions with the columns of derivations.

        The first cache does not have these columns, because most questions need none of them.
        """
        return PartitionCache(self._settings, DESCRIBED)

    def partitions(self, context: "SparkContext", snapshot: Snapshot) -> "Partitions":
        """Return the visible partitions of a snapshot; each is read when it is first needed."""
        folder = snapshot.folder("triples")
        parts = [
            self._of_ingest(context, [partition_path(folder, p) for p in partitions])
            for partitions in snapshot.partitions_by_ingest()
            if partitions
        ]
        # After a rollback of the first ingest, a generation has no partitions.
        blocks = context.union(parts) if parts else context.parallelize([], 1)
        return Partitions(self, blocks, folder, snapshot.partitions, self._schema)

    def _of_ingest(self, context: "SparkContext", paths: Sequence[Path]) -> "RDD[bytes]":
        from pyspark import StorageLevel

        with self._lock:
            if paths[0] not in self._ingests:
                names = [str(path) for path in paths]
                blocks = context.parallelize(names, len(names)).map(partial(_load, self._schema))
                self._ingests[paths[0]] = blocks.persist(getattr(StorageLevel, self._storage))
            return self._ingests[paths[0]]

    def hot(self, paths: Sequence[Path]) -> dict[Path, pa.Table]:
        """Return, by path, the given partitions that this process keeps decoded in memory."""
        with self._lock:
            return {path: self._hot[path] for path in paths if path in self._hot}

    def keep(self, path: Path, rows: pa.Table) -> None:
        """Keep a decoded partition in this process until it is evicted as least recently used."""
        with self._lock, suppress(ValueError):  # raised if the partition is larger than the cache
            self._hot[path] = rows

    def read(
        self, blocks: "RDD[bytes]", at: dict[Path, int], watch: Stopwatch
    ) -> dict[Path, bytes]:
        """Return, by path, the encoded triples of the partitions in ``at``.

        ``at`` has the position of each partition in ``blocks``. Questions that need the same
        partition at the same time share a Spark job.
        """
        read = partial(_read, blocks, at)
        found = self._reads.blocks(list(at), read, blocks.context.cancelJobGroup, watch)
        self.loaded |= found.keys()
        return found

    def release(self) -> None:
        """Free the memory of the cache in this process, and in Spark if it is still running."""
        self._reads.close()
        self.clear()
        if "described" in vars(self):
            self.described.release()

    def clear(self) -> None:
        """Drop all cached partitions.

        ``Partitions`` objects that are in use still work, but Spark no longer caches the blocks
        that they read.
        """
        with self._lock:
            ingests = list(self._ingests.values())
            self._ingests.clear()
            self._hot.clear()
            self.loaded = set()
        for blocks in ingests:
            with suppress(Exception):
                blocks.unpersist()
        if "described" in vars(self):
            self.described.clear()


class Partitions:
    """The visible partitions of one generation."""

    def __init__(
        self,
        cached: PartitionCache,
        blocks: "RDD[bytes]",
        folder: Path,
        partitions: PartitionNumbers,
        schema: pa.Schema = SENT,
    ) -> None:
        self._schema = schema
        self._cached = cached
        self._blocks = blocks
        self._folder = folder
        self._partitions = partitions

    def fetch(
        self,
        partitions: PartitionNumbers,
        first: ItemNumbers,
        last: ItemNumbers,
        watch: Stopwatch | None = None,
    ) -> Fetched:
        """Return those triples of some partitions whose dst is in one of several ranges of items.

        ``first`` and ``last`` have, at the same position, the first and the last item of each
        range; both belong to the range. Runs at most one Spark job. The job has one task for each
        partition that is neither in this process nor being read for another question. Raises
        TooSlow when the time of ``watch`` is up.
        """
        at = self._places(partitions)
        tables = self._cached.hot(list(at))
        missing = {path: place for path, place in at.items() if path not in tables}
        for path, block in self._cached.read(self._blocks, missing, watch or Stopwatch()).items():
            tables[path] = from_block(block)
            self._cached.keep(path, tables[path])
        return Fetched([tables[path] for path in at], first, last, self._schema)

    def missing(self) -> PartitionNumbers:
        """Return the visible partitions that have not been read into the cache yet."""
        at = self._places(self._partitions)
        read = self._cached.loaded
        unread = [path not in read for path in at]
        return PartitionNumbers(self._partitions[np.array(unread, bool)])

    def warm(self, partitions: PartitionNumbers) -> None:
        """Make Spark cache some partitions, without returning them."""
        at = self._places(partitions)
        if at:
            with unless_damaged(at), working():
                self._blocks.context.runJob(self._blocks, discard_blocks, list(at.values()))
            self._cached.loaded |= at.keys()

    def _places(self, partitions: PartitionNumbers) -> dict[Path, int]:
        places = np.searchsorted(self._partitions, partitions).tolist()
        paths = (partition_path(self._folder, p) for p in partitions.tolist())
        return dict(zip(paths, places, strict=True))


def _read(blocks: "RDD[bytes]", at: dict[Path, int], group: str, paths: Sequence[Path]) -> Blocks:
    with unless_damaged(paths), working():
        blocks.context.setJobGroup(group, group, interruptOnCancel=True)
        rows = cached_rows(blocks, [at[path] for path in paths])
    return dict(zip(paths, rows, strict=True))


def _load(schema: pa.Schema, path: str) -> bytes:
    return as_block(read_partition(Path(path), schema.names), schema)


def _size(rows: pa.Table) -> int:
    return int(rows.nbytes)
