"""Partitions equal what was written, whether a Spark job or this process reads them."""

from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from helpers.spark import wait_for_listeners
from provhouse.model.arrays import I64, ItemNumbers, PartitionNumber, PartitionNumbers
from provhouse.model.errors import TooSlow
from provhouse.model.progress import Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.spark.pyspark_internals import cached_rows
from provhouse.store.cache.partition_cache import PartitionCache, Partitions
from provhouse.store.cache.triple_blocks import SENT, as_block, from_block
from provhouse.store.tables.partitions import partition_path, write_partition

EVERYTHING = (ItemNumbers(np.array([0])), ItemNumbers(np.array([2**62])))


def rows(dst: I64, texts: int, most: int = 1000) -> pa.Table:
    """Return triples with the given dst and with up to ``texts`` distinct strings."""
    random = np.random.default_rng(len(dst))
    named = [f"t{n}" for n in random.integers(0, texts, len(dst))]
    return pa.table(
        {"src": random.integers(0, most, len(dst)), "dst": dst, "op": named, "attributes": named}
    ).cast(SENT)


@pytest.mark.parametrize("texts", [1, 127, 129, 40_000])
@pytest.mark.parametrize("most", [1000, 2**31 - 1, 2**31, 2**40])
def test_a_block_returns_the_triples_put_in(texts: int, most: int) -> None:
    given = rows(np.sort(np.arange(50_000) + most - 50_000), texts, most)
    assert from_block(as_block(given)).cast(SENT).equals(given)


def test_a_block_may_be_empty() -> None:
    assert from_block(as_block(SENT.empty_table())).cast(SENT).equals(SENT.empty_table())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three partitions: two are from one ingest, and one is from another."""
    for number in (3, 4, 9):
        path = partition_path(tmp_path, PartitionNumber(number))
        write_partition(rows(np.arange(100) + 100 * number, 5), path)
    return tmp_path


def opened(spark: SparkSession, folder: Path, hot_mb: int) -> Partitions:
    cached = PartitionCache(Settings(hot_mb=hot_mb))
    first, second, third = (partition_path(folder, PartitionNumber(p)) for p in (3, 4, 9))
    context = spark.sparkContext
    parts = [cached._of_ingest(context, group) for group in ([first, second], [third])]
    return Partitions(cached, context.union(parts), folder, PartitionNumbers(np.array([3, 4, 9])))


def jobs(spark: SparkSession, partitions: Partitions, chosen: list[int]) -> int:
    """Return the number of jobs that are needed to fetch all rows of some partitions."""
    ask = spark.sparkContext.statusTracker().getJobIdsForGroup
    reads = id(partitions._cached._reads)
    before = sum(len(ask(f"fetch {reads} {n}")) for n in range(9))
    found = partitions.fetch(PartitionNumbers(np.array(chosen)), *EVERYTHING)
    wait_for_listeners(spark.sparkContext)
    assert found.dst.tolist() == [100 * p + n for p in chosen for n in range(100)]
    return sum(len(ask(f"fetch {reads} {n}")) for n in range(9)) - before


def test_recently_read_partitions_need_no_job(spark: SparkSession, folder: Path) -> None:
    hot, cold = opened(spark, folder, 1), opened(spark, folder, 0)
    assert [jobs(spark, hot, [3, 9]), jobs(spark, hot, [9]), jobs(spark, hot, [3, 4])] == [1, 0, 1]
    assert [jobs(spark, cold, [3, 9]), jobs(spark, cold, [3, 9])] == [1, 1]


def test_only_triples_in_the_ranges_are_returned(spark: SparkSession, folder: Path) -> None:
    found = opened(spark, folder, 0).fetch(
        PartitionNumbers(np.array([3, 9])),
        ItemNumbers(np.array([310, 390, 950])),
        ItemNumbers(np.array([311, 905, 951])),
    )
    assert found.dst.tolist() == [310, 311, *range(390, 400), *range(900, 906), 950, 951]


def test_a_job_is_cancelled_when_its_only_reader_times_out(
    spark: SparkSession, folder: Path
) -> None:
    context = spark.sparkContext

    def slow(path: str) -> bytes:
        import time

        time.sleep(100)
        return b""

    cached = PartitionCache(Settings())
    blocks = context.parallelize(["x"], 1).map(slow)
    began = monotonic()
    with pytest.raises(TooSlow):
        cached.read(blocks, {partition_path(folder, PartitionNumber(3)): 0}, Stopwatch(0.5))
    while context.statusTracker().getActiveJobsIds() and monotonic() < began + 90:
        sleep(0.02)
    assert monotonic() < began + 90
    cached.release()


def test_cached_rows_of_many_partitions_come_in_order(spark: SparkSession) -> None:
    kept = spark.sparkContext.parallelize([bytes([n]) for n in range(100)], 100).persist()
    wanted = [99, 0, 50, *range(10, 40)]
    assert cached_rows(kept, wanted) == [bytes([n]) for n in wanted]
    kept.unpersist()


def test_take_returns_the_chosen_rows(spark: SparkSession, folder: Path) -> None:
    found = opened(spark, folder, 0).fetch(PartitionNumbers(np.array([3, 4, 9])), *EVERYTHING)
    every = found.take(np.arange(len(found)))
    assert every["dst"].to_pylist() == found.dst.tolist()
    assert every["src"].to_pylist() == found.src.tolist()
    places = np.sort(np.random.default_rng(1).permutation(len(found))[:150])
    assert found.take(places).equals(every.take(pa.array(places)))
    assert found.take(places[:0]).equals(every.slice(0, 0))
