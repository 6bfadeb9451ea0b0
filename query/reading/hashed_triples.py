"""Cache all triples of a snapshot in Spark, hash-partitioned on one end, for RQ and CCProv.

As long as no triple has died, Spark reads the Delta table. Otherwise, Spark tasks read the
partition files directly, because a death is recorded with the row's position in its file, and Delta
does not show positions. In a session that another program created, tasks also read the files,
because the session may lack Delta.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import ItemNumbers, PartitionNumbers, unique
from provhouse.model.columns import ATTRIBUTES, DST, INGEST, OP, SRC, TRIPLE
from provhouse.runtime.spark.pyspark_internals import map_in_arrow
from provhouse.runtime.spark.session import is_own, working
from provhouse.store.cache.triple_blocks import SENT, as_block, from_block, joined, run_on
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.ranges import Ranges, places
from provhouse.store.tables.snapshot import Snapshot

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext
    from pyspark.sql import DataFrame, SparkSession

BUCKET = "bucket"
SCHEMA = "src long, dst long, op string, attributes string"


class HashedTriples:
    """Triples in blocks, hash-partitioned on one end and sorted by that end, cached in Spark."""

    def __init__(self, blocks: "RDD[bytes]", key: str, count: int, storage: str) -> None:
        from pyspark import StorageLevel

        self._key = key
        self.partition_count = count
        self._storage = storage
        self._blocks = blocks.persist(getattr(StorageLevel, storage))
        try:
            with working():
                # Counting also fills the cache, which all queries share.
                self.triple_count = sum(self._blocks.map(_row_count).collect())
        except BaseException:
            self.release()
            raise

    @classmethod
    def load(
        cls, session: "SparkSession", snapshot: Snapshot, key: str, storage: str
    ) -> "HashedTriples":
        """Read the triples with Spark, shuffle them once by the hash of the key, and cache them."""
        from pyspark.sql import functions as f

        count = max(len(snapshot.partitions), session.sparkContext.defaultParallelism)
        direct = len(snapshot.deaths) or not is_own(session)
        rows = (_live if direct else _visible)(session, snapshot)
        spread = rows.select(*TRIPLE, (f.col(key) % count).cast("int").alias(BUCKET))
        shuffled = spread.repartitionById(count, BUCKET)
        blocks = map_in_arrow(shuffled, partial(_to_block, key), "block binary")
        return cls(blocks.rdd.map(_bytes), key, count, storage)

    def triples_of(self, items: ItemNumbers) -> tuple[pa.Table, int]:
        """Return the triples whose key is one of the items, and the number of partitions read.

        ``items`` are in ascending order. One Spark job reads only the partitions to which the items
        hash.
        """
        chosen = unique(items % self.partition_count)
        blocks = run_on(
            self._blocks.context,
            self._blocks,
            partial(_rows_with_keys, self._key, items),
            chosen.tolist(),
        )
        return joined(blocks), len(chosen)

    def in_ranges(self, first: ItemNumbers, last: ItemNumbers) -> "HashedTriples":
        """Read all partitions, and return the triples whose dst is in one of the ranges."""
        blocks = self._blocks.mapPartitions(
            partial(_keep_ranges, first, last), preservesPartitioning=True
        )
        return HashedTriples(blocks, self._key, self.partition_count, self._storage)

    @property
    def context(self) -> "SparkContext":
        """The Spark context in which the triples are cached."""
        return self._blocks.context

    def release(self) -> None:
        """Release the memory; does nothing if Spark has already stopped."""
        with suppress(Exception):
            self._blocks.unpersist()


def _visible(session: "SparkSession", snapshot: Snapshot) -> "DataFrame":
    """Return only the rows of the Delta table of triples that visible ingests wrote."""
    from pyspark.sql import functions as f

    commit = snapshot.commit
    reader = session.read.format("delta").option("versionAsOf", commit.tables["triples"])
    shown = f.lit(False)
    for first, last in commit.visible:
        shown = shown | f.col(INGEST).between(first, last)
    # without the scheme, Spark would look in HDFS if that is the cluster's default file system
    return reader.load(f"file:{snapshot.layout.table(commit.base, 'triples')}").where(shown)


def _live(session: "SparkSession", snapshot: Snapshot) -> "DataFrame":
    """Return the live visible triples: src, dst, op, attributes."""
    numbers = snapshot.partitions
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    read = _PartitionReader(folder, numbers, snapshot.deaths)
    return map_in_arrow(session.range(0, len(numbers), 1, len(numbers)), read, SCHEMA)


@dataclass(frozen=True)
class _PartitionReader:
    """A function that reads partitions in Spark tasks; an index in ``partitions`` selects each."""

    folder: Path
    partitions: PartitionNumbers
    dead: Ranges

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for partition in self.partitions[np.asarray(batch.column(0))].tolist():
                rows = read_partition(partition_path(self.folder, partition), TRIPLE)
                dead = self.dead.has(places(partition, np.arange(rows.num_rows)))
                yield from rows.filter(pa.array(~dead)).cast(SENT).to_batches()


def _to_block(key: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield all rows of a partition as one sorted block."""
    parts = list(batches)
    if not parts:
        return
    rows = pa.Table.from_batches(parts).select([SRC, DST, OP, ATTRIBUTES])
    rows = rows.take(pa.array(np.argsort(np.asarray(rows[key]), kind="stable")))
    yield pa.record_batch([pa.array([as_block(rows)], pa.binary())], ["block"])


def _bytes(row: "tuple[bytearray]") -> bytes:
    return bytes(row[0])


def _row_count(block: bytes) -> int:
    return int(from_block(block).num_rows)


def _keep_ranges(first: ItemNumbers, last: ItemNumbers, blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        rows = from_block(block)
        dst = np.asarray(rows[DST])
        inside = np.searchsorted(first, dst, "right") - 1
        keep = (inside >= 0) & (dst <= last[inside])
        yield as_block(rows.filter(pa.array(keep)))


def _rows_with_keys(key: str, items: ItemNumbers, rows: pa.Table) -> pa.Table:
    """Return the rows whose key is one of the items. Both the rows and the items are sorted."""
    keys = np.asarray(rows[key])
    low, high = np.searchsorted(keys, items, "left"), np.searchsorted(keys, items, "right")
    hits = np.flatnonzero(high > low)
    if not len(hits):
        return rows.slice(0, 0)
    return rows.take(pa.array(np.concatenate([np.arange(low[i], high[i]) for i in hits])))
