"""Read partitions of triples, and keep them as blocks for all questions and generations.

A block is taken from this process if it was used recently, otherwise from a temporary file on this
machine, and otherwise from its partition. This process itself reads a few partitions; if there are
many, Spark reads them in as many tasks as it has slots. Entire blocks are read and kept, because
selecting rows first would take longer.

Only an erasure changes a partition; ``clear`` is then called to drop all blocks. A stale block does
no harm, because every answer leaves out the triples of all items that have been erased.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
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
from provhouse.runtime.spark.session import working
from provhouse.runtime.spark.workers import freeze_imports
from provhouse.runtime.storage import bring

from ..tables.partitions import partition_path, read_partition, unless_damaged
from ..tables.snapshot import Snapshot
from .block_files import BlockFiles
from .fetched import Fetched
from .shared_reads import Blocks, Read, SharedReads
from .triple_blocks import DESCRIBED, SENT, as_block

if TYPE_CHECKING:
    from pyspark import SparkContext

MEGABYTE = 1 << 20
FEW = 256
"""The maximum number of partitions that this process reads itself; it takes up to two seconds."""
BLOCKS_PER_JOB = 256
"""The maximum number of blocks that one Spark job sends; they are in memory until the job ends."""
Context = Callable[[Stopwatch], "SparkContext"]
"""A function that returns Spark's context, and starts Spark if it is not running."""


class PartitionCache:
    """The blocks of one warehouse, for all questions of this process.

    Recently used blocks stay mapped in this process, up to ``hot_mb`` megabytes. ``schema`` names
    the columns of the blocks.
    """

    def __init__(self, settings: Settings, schema: pa.Schema = SENT) -> None:
        self._settings = settings
        self._schema = schema
        self._hot: LRUCache[Path, pa.Table] = LRUCache(settings.hot_mb * MEGABYTE, _size)
        self._files = BlockFiles()
        self._lock = Lock()
        self._reads = SharedReads()

    @cached_property
    def described(self) -> "PartitionCache":
        """A second cache, whose blocks include the columns of derivations.

        The first cache does not include them, because most questions do not need them.
        """
        return PartitionCache(self._settings, DESCRIBED)

    def partitions(self, context: Context, snapshot: Snapshot) -> "Partitions":
        """Return the visible partitions of a snapshot; each is read when it is first needed."""
        return Partitions(
            self, context, snapshot.folder("triples"), snapshot.partitions, self._schema
        )

    def tables(
        self, partitions: Sequence[Path], context: Context, watch: Stopwatch
    ) -> dict[Path, pa.Table]:
        """Return the triples of partitions, by path. Raises TooSlow when the watch's time is up.

        Questions that need the same partition at the same time share a read.
        """
        files = self._files
        found = {path: self._kept(path, files) for path in partitions}
        missing = [path for path, rows in found.items() if rows is None]
        for path, block in self._read(missing, context, watch, FEW):
            found[path] = self._hotter(path, files.keep(path, block), files)
        return {path: rows for path, rows in found.items() if rows is not None}

    def fill(self, partitions: Sequence[Path], context: Context) -> None:
        """Let Spark read those partitions that are not in a file yet, and keep their blocks."""
        files = self._files
        missing = [path for path in partitions if path not in files]
        for path, block in self._read(missing, context, Stopwatch(), 0):
            files.keep(path, block)

    def missing(self, partitions: Iterable[Path]) -> list[bool]:
        """Return, for each partition, whether its block is still missing in the files."""
        files = self._files
        return [path not in files for path in partitions]

    def _kept(self, path: Path, files: BlockFiles) -> pa.Table | None:
        with self._lock:
            if (rows := self._hot.get(path)) is not None:
                return rows
        rows = files.find(path)
        return rows if rows is None else self._hotter(path, rows, files)

    def _hotter(self, path: Path, rows: pa.Table, files: BlockFiles) -> pa.Table:
        """Keep the triples of a partition in this process, unless all blocks were dropped."""
        with self._lock, suppress(ValueError):  # raised if the partition is larger than the cache
            if files is self._files:
                self._hot[path] = rows
        return rows

    def _read(
        self, paths: Sequence[Path], context: Context, watch: Stopwatch, few: int
    ) -> Iterator[tuple[Path, bytes]]:
        """Yield the blocks of partitions; if there are more than ``few``, Spark reads them."""
        if not paths:
            return
        read: Read = partial(_read_here, self._schema)
        cancel: Callable[[str], None] = _finish
        if len(paths) > few:
            spark = context(watch)
            read, cancel = partial(_read_by_spark, self._schema, spark), spark.cancelJobGroup
        for start in range(0, len(paths), BLOCKS_PER_JOB):
            some = paths[start : start + BLOCKS_PER_JOB]
            yield from self._reads.blocks(some, read, cancel, watch).items()

    def release(self) -> None:
        """Drop all blocks, and do not read any more."""
        self._reads.close()
        self.clear()
        if "described" in vars(self):
            self.described.release()

    def clear(self) -> None:
        """Drop all blocks. Questions that have already read some of them still work."""
        with self._lock:
            files, self._files = self._files, BlockFiles()
            self._hot.clear()
        files.remove()
        if "described" in vars(self):
            self.described.clear()


class Partitions:
    """The visible partitions of one generation."""

    def __init__(
        self,
        cached: PartitionCache,
        context: Context,
        folder: Path,
        partitions: PartitionNumbers,
        schema: pa.Schema = SENT,
    ) -> None:
        self._schema = schema
        self._cached = cached
        self._context = context
        self._folder = folder
        self._partitions = partitions

    def fetch(
        self,
        partitions: PartitionNumbers,
        first: ItemNumbers,
        last: ItemNumbers,
        watch: Stopwatch | None = None,
    ) -> Fetched:
        """Return the triples of the given partitions whose dst is in one of several item ranges.

        ``first`` and ``last`` contain the first and the last item of each range, at the same
        position; both items belong to the range, and ranges are in ascending order. Raises TooSlow
        when the time of ``watch`` is up.
        """
        paths = self._paths(partitions)
        tables = self._cached.tables(paths, self._context, watch or Stopwatch())
        return Fetched([tables[path] for path in paths], first, last, self._schema)

    def missing(self) -> PartitionNumbers:
        """Return those visible partitions that have not been read yet."""
        unread = self._cached.missing(self._paths(self._partitions))
        return PartitionNumbers(self._partitions[np.array(unread, bool)])

    def warm(self, partitions: PartitionNumbers) -> None:
        """Let Spark read the given partitions, and keep their blocks."""
        self._cached.fill(self._paths(partitions), self._context)

    def _paths(self, partitions: PartitionNumbers) -> list[Path]:
        return [partition_path(self._folder, p) for p in partitions.tolist()]


def _read_here(schema: pa.Schema, _: str, paths: Sequence[Path]) -> Blocks:
    bring(paths)
    return {path: _load(schema, path) for path in paths}


def _finish(_: str) -> None:
    """Do nothing: this process reads at most ``FEW`` partitions, and such a read soon ends."""


def _read_by_spark(
    schema: pa.Schema, context: "SparkContext", group: str, paths: Sequence[Path]
) -> Blocks:
    bring(paths)
    names = [str(path) for path in paths]
    slots = min(len(names), context.defaultParallelism)
    with unless_damaged(paths), working():
        context.setJobGroup(group, group, interruptOnCancel=True)
        read = context.parallelize(names, slots).mapPartitions(partial(_load_all, schema))
        return dict(zip(paths, read.collect(), strict=True))


def _load_all(schema: pa.Schema, paths: Iterable[str]) -> Iterator[bytes]:
    for path in paths:
        yield _load(schema, Path(path))
    freeze_imports()


def _load(schema: pa.Schema, path: Path) -> bytes:
    return as_block(read_partition(path, schema.names), schema)


def _size(rows: pa.Table) -> int:
    return int(rows.nbytes)
