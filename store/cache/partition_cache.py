"""The partitions of triples that Spark has cached, shared by all generations that show them.

A partition changes by an erasure only, after which ``forget`` lets all that was cached go. A stale
one does no harm, since every answer leaves out the rows of what was erased by then. Reading is one
Spark job on exactly the partitions that were named. What comes back are whole partitions as Spark
keeps them, since a Python worker that picks rows first takes longer than sending all.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from cachetools import LRUCache

from provhouse.model.arrays import I64
from provhouse.model.progress import Stopwatch
from provhouse.model.settings import Settings
from provhouse.spark.pyspark_internals import cached_rows
from provhouse.spark.session import working

from ..tables.partitions import partition_path, read_partition, unless_damaged
from ..tables.snapshot import Snapshot
from .blocks import as_block, from_block, nothing
from .fetched import Fetched
from .shared_reads import Blocks, Flights

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

MEGABYTE = 1 << 20


class Cached:
    """What is cached of one warehouse, for all who ask in this process.

    The last used partitions stay in this process besides, decoded, up to ``hot_mb`` megabytes, so
    that their next reader needs no job.
    """

    def __init__(self, settings: Settings) -> None:
        self._storage = settings.spark_storage
        self._ingests: dict[Path, RDD[bytes]] = {}
        self._hot: LRUCache[Path, pa.Table] = LRUCache(settings.hot_mb * MEGABYTE, _size)
        self._lock = Lock()
        self._flights = Flights()
        self.read_before: set[Path] = set()
        """What Spark has cached, unless it had to let it go."""

    def partitions(self, context: "SparkContext", snapshot: Snapshot) -> "Partitions":
        """The visible partitions of a snapshot; none is read before it is asked for."""
        folder = snapshot.layout.table(snapshot.commit.base, "triples")
        parts = [
            self._of_ingest(context, [partition_path(folder, p) for p in partitions])
            for partitions in snapshot.partitions_by_ingest()
            if partitions
        ]
        # A generation may show nothing, after a rollback of the first ingest.
        blocks = context.union(parts) if parts else context.parallelize([], 1)
        return Partitions(self, blocks, folder, snapshot.partitions)

    def _of_ingest(self, context: "SparkContext", paths: Sequence[Path]) -> "RDD[bytes]":
        from pyspark import StorageLevel

        with self._lock:
            if paths[0] not in self._ingests:
                names = [str(path) for path in paths]
                blocks = context.parallelize(names, len(names)).map(_load)
                self._ingests[paths[0]] = blocks.persist(getattr(StorageLevel, self._storage))
            return self._ingests[paths[0]]

    def hot(self, paths: Sequence[Path]) -> dict[Path, pa.Table]:
        """Those of these partitions that are here, decoded."""
        with self._lock:
            return {path: self._hot[path] for path in paths if path in self._hot}

    def keep(self, path: Path, rows: pa.Table) -> None:
        """Keep a partition here, until others have been used more lately."""
        with self._lock, suppress(ValueError):  # larger than all that may be kept
            self._hot[path] = rows

    def read(
        self, blocks: "RDD[bytes]", at: dict[Path, int], watch: Stopwatch
    ) -> dict[Path, bytes]:
        """Blocks of partitions, by their places in ``blocks``; each is read by one job only."""
        read = partial(_read, blocks, at)
        found = self._flights.blocks(list(at), read, blocks.context.cancelJobGroup, watch)
        self.read_before |= found.keys()
        return found

    def release(self) -> None:
        """Give the memory back; quiet where Spark has ended, which gives it back too."""
        self._flights.close()
        self.forget()

    def forget(self) -> None:
        """Let all go that was read; partitions that others hold by now are read anew each time."""
        with self._lock:
            ingests = list(self._ingests.values())
            self._ingests.clear()
            self._hot.clear()
            self.read_before = set()
        for blocks in ingests:
            with suppress(Exception):
                blocks.unpersist()


class Partitions:
    """The partitions that one generation shows."""

    def __init__(self, cached: Cached, blocks: "RDD[bytes]", folder: Path, partitions: I64) -> None:
        self._cached = cached
        self._blocks = blocks
        self._folder = folder
        self._partitions = partitions

    def fetch(
        self, partitions: I64, first: I64, last: I64, watch: Stopwatch | None = None
    ) -> Fetched:
        """The triples of these partitions whose dst is in one of the ranges first to last.

        Runs at most one Spark job, with one task for each partition that is neither here nor being
        read for somebody else, and no other. Raises TooSlow when the time of the watch is up.
        """
        at = self._places(partitions)
        tables = self._cached.hot(list(at))
        missing = {path: place for path, place in at.items() if path not in tables}
        for path, block in self._cached.read(self._blocks, missing, watch or Stopwatch()).items():
            tables[path] = from_block(block)
            self._cached.keep(path, tables[path])
        return Fetched([tables[path] for path in at], first, last)

    def missing(self) -> I64:
        """The partitions that nobody has read yet."""
        at = self._places(self._partitions)
        read = self._cached.read_before
        unread = [path not in read for path in at]
        missing: I64 = self._partitions[np.array(unread, bool)]
        return missing

    def warm(self, partitions: I64) -> None:
        """Let Spark cache these partitions; nothing comes back."""
        at = self._places(partitions)
        if at:
            with unless_damaged(at), working():
                self._blocks.context.runJob(self._blocks, nothing, list(at.values()))
            self._cached.read_before |= at.keys()

    def _places(self, partitions: I64) -> dict[Path, int]:
        places = np.searchsorted(self._partitions, partitions).tolist()
        paths = (partition_path(self._folder, p) for p in partitions.tolist())
        return dict(zip(paths, places, strict=True))


def _read(blocks: "RDD[bytes]", at: dict[Path, int], group: str, paths: Sequence[Path]) -> Blocks:
    with unless_damaged(paths), working():
        blocks.context.setJobGroup(group, group, interruptOnCancel=True)
        rows = cached_rows(blocks, [at[path] for path in paths])
    return dict(zip(paths, rows, strict=True))


def _load(path: str) -> bytes:
    return as_block(read_partition(Path(path)))


def _size(rows: pa.Table) -> int:
    return int(rows.nbytes)
