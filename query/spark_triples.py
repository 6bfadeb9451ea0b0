"""The triples of a snapshot in Spark: by partition for CSProv, by hash for RQ and CCProv.

All of it is filled when first asked for, and kept while the process lives.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.columns import ATTRIBUTES, DST, INGEST, OP, SRC, TRIPLE
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.spark.session import Starting, working
from provhouse.store.cache.blocks import as_block, from_block, joined, run_on
from provhouse.store.cache.partition_cache import PartitionCache, Partitions
from provhouse.store.tables.partitions import partition_path, unless_damaged
from provhouse.store.tables.snapshot import Snapshot

from .live_triples import living
from .verify import check_all

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext
    from pyspark.sql import DataFrame, SparkSession

    from provhouse.model.question import Direction

BUCKET = "bucket"


class Bulk:
    """Starts Spark when the first triple is needed, and not before.

    What is cached by partition may be shared with other generations, and then outlives this one.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: Settings,
        progress: Progress,
        cached: PartitionCache | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._settings = settings
        self._progress = progress
        self._cached = cached or PartitionCache(settings)
        self._own = cached is None
        self._hashed: dict[str, Hashed] = {}

    @cached_property
    def starting(self) -> Starting:
        """Spark on its way, so that something else can be done meanwhile."""
        return Starting(self._settings, self._snapshot.layout.logs)

    @property
    def session(self) -> "SparkSession":
        """The Spark session."""
        self._progress.begin("Start Spark")
        return self.starting.session()

    @cached_property
    def partitions(self) -> Partitions:
        """All visible partitions, each read when first asked for."""
        return self._cached.partitions(self.session.sparkContext, self._snapshot)

    def hashed(self, direction: "Direction") -> "Hashed":
        """All visible triples, hash-partitioned on dst (upstream) or src (downstream)."""
        key = DST if direction == "upstream" else SRC
        if key not in self._hashed:
            session = self.session
            self._progress.begin(f"Cache all triples by {key}")
            with unless_damaged(self._paths()), working():
                hashed = Hashed.load(session, self._snapshot, key, self._settings.spark_storage)
            try:
                check_all(self._snapshot, hashed.triples)
            except Damaged:
                hashed.release()
                raise
            self._hashed[key] = hashed
        return self._hashed[key]

    def holds(self, direction: "Direction") -> bool:
        """Whether all triples are in memory as ``hashed`` gives them."""
        return (DST if direction == "upstream" else SRC) in self._hashed

    def _paths(self) -> Iterator[Path]:
        folder = self._snapshot.layout.table(self._snapshot.commit.base, "triples")
        return (partition_path(folder, p) for p in self._snapshot.partitions.tolist())

    def release(self) -> None:
        """Give Spark's memory back."""
        if self._own:
            self._cached.release()
        for hashed in self._hashed.values():
            hashed.release()


class Hashed:
    """Triples in blocks, hash-partitioned on one end and sorted by it, cached in Spark."""

    def __init__(self, blocks: "RDD[bytes]", key: str, count: int, storage: str) -> None:
        from pyspark import StorageLevel

        self.key = key
        self.count = count
        self._storage = storage
        self._blocks = blocks.persist(getattr(StorageLevel, storage))
        with working():
            self.triples = sum(self._blocks.map(_rows).collect())  # filled now, for all queries

    @classmethod
    def load(cls, session: "SparkSession", snapshot: Snapshot, key: str, storage: str) -> "Hashed":
        """Read the triples with Spark, shuffle them once by the key's hash, and cache them."""
        from pyspark.sql import functions as f

        count = max(len(snapshot.partitions), session.sparkContext.defaultParallelism)
        rows = (living if len(snapshot.deaths) else _visible)(session, snapshot)
        spread = rows.select(*TRIPLE, (f.col(key) % count).cast("int").alias(BUCKET))
        blocks = (
            spread.repartitionById(count, BUCKET)
            .mapInArrow(partial(_to_block, key), "block binary")
            .rdd.map(_bytes)
        )
        return cls(blocks, key, count, storage)

    def of_items(self, items: I64) -> tuple[pa.Table, int]:
        """The triples whose key is one of these items (sorted), and how many partitions were read.

        One job on only the partitions that the items hash to.
        """
        chosen = np.unique(items % self.count)
        blocks = run_on(
            self._blocks.context, self._blocks, partial(_of_items, self.key, items), chosen.tolist()
        )
        return joined(blocks), len(chosen)

    def within(self, first: I64, last: I64) -> "Hashed":
        """The same, but only triples whose dst is in one of the ranges; reads every partition."""
        blocks = self._blocks.mapPartitions(
            partial(_filtered, first, last), preservesPartitioning=True
        )
        return Hashed(blocks, self.key, self.count, self._storage)

    @property
    def context(self) -> "SparkContext":
        """The Spark that holds them."""
        return self._blocks.context

    def release(self) -> None:
        """Give the memory back; quiet where Spark has ended, which gives it back too."""
        with suppress(Exception):
            self._blocks.unpersist()


def _visible(session: "SparkSession", snapshot: Snapshot) -> "DataFrame":
    """All rows of the Delta table that visible ingests brought."""
    from pyspark.sql import functions as f

    commit = snapshot.commit
    reader = session.read.format("delta").option("versionAsOf", commit.tables["triples"])
    shown = f.lit(False)
    for first, last in commit.visible:
        shown = shown | f.col(INGEST).between(first, last)
    return reader.load(str(snapshot.layout.table(commit.base, "triples"))).where(shown)


def _to_block(key: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All rows of a partition as one sorted block."""
    parts = list(batches)
    if not parts:
        return
    rows = pa.Table.from_batches(parts).select([SRC, DST, OP, ATTRIBUTES])
    rows = rows.take(pa.array(np.argsort(np.asarray(rows[key]), kind="stable")))
    yield pa.record_batch([pa.array([as_block(rows)], pa.binary())], ["block"])


def _bytes(row: "tuple[bytearray]") -> bytes:
    return bytes(row[0])


def _rows(block: bytes) -> int:
    return int(from_block(block).num_rows)


def _filtered(first: I64, last: I64, blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        rows = from_block(block)
        dst = np.asarray(rows[DST])
        inside = np.searchsorted(first, dst, "right") - 1
        keep = (inside >= 0) & (dst <= last[inside])
        yield as_block(rows.filter(pa.array(keep)))


def _of_items(key: str, items: I64, rows: pa.Table) -> pa.Table:
    """The rows, sorted by key, whose key is one of the items."""
    keys = np.asarray(rows[key])
    low, high = np.searchsorted(keys, items, "left"), np.searchsorted(keys, items, "right")
    hits = np.flatnonzero(high > low)
    if not len(hits):
        return rows.slice(0, 0)
    return rows.take(pa.array(np.concatenate([np.arange(low[i], high[i]) for i in hits])))
