"""Partitions equal the written rows, whether a Spark job or this process reads them."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pyarrow as pa
import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from helpers.spark import wait_for_listeners
from provhouse.model.arrays import I64, ItemNumbers, PartitionNumber, PartitionNumbers
from provhouse.model.errors import Damaged, TooSlow
from provhouse.model.progress import Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.cache import block_files, partition_cache
from provhouse.store.cache.partition_cache import Context, PartitionCache, Partitions
from provhouse.store.cache.triple_blocks import SENT, as_block, from_block
from provhouse.store.tables.partitions import partition_path, read_partition, write_partition

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
    """A folder with three partitions."""
    for number in (3, 4, 9):
        path = partition_path(tmp_path, PartitionNumber(number))
        write_partition(rows(np.arange(100) + 100 * number, 5), path)
    return tmp_path


def opened(folder: Path, hot_mb: int, context: Context) -> Partitions:
    cached = PartitionCache(Settings(hot_mb=hot_mb))
    return Partitions(cached, context, folder, PartitionNumbers(np.array([3, 4, 9])))


def no_spark(_: Stopwatch) -> SparkContext:
    raise AssertionError("Spark is not needed")


def fetch(partitions: Partitions, chosen: list[int]) -> None:
    """Fetch all rows of the given partitions, and check them."""
    found = partitions.fetch(PartitionNumbers(np.array(chosen)), *EVERYTHING)
    assert found.dst.tolist() == [100 * p + n for p in chosen for n in range(100)]


@pytest.mark.parametrize("hot_mb", [0, 1])
def test_partitions_are_read_once(
    folder: Path, hot_mb: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(path: Path, columns: Sequence[str]) -> pa.Table:
        read.append(path.name)
        return read_partition(path, columns)

    monkeypatch.setattr(partition_cache, "read_partition", counted)
    partitions = opened(folder, hot_mb, no_spark)
    assert partitions.missing().tolist() == [3, 4, 9]
    for chosen in ([3, 9], [9], [3, 4], [3, 4, 9]):
        fetch(partitions, chosen)
    assert read == [partition_path(folder, PartitionNumber(n)).name for n in (3, 9, 4)]
    assert not len(partitions.missing())


@pytest.mark.parametrize("lost", ["folder", "room", "dropped"])
def test_partitions_without_a_block_are_read_again(
    folder: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    partitions = opened(folder, 0, no_spark)
    if lost == "room":
        monkeypatch.setattr(block_files, "SPARE", 1 << 62)
    fetch(partitions, [3, 4])
    before = partitions._cached._files
    blocks = [*before._folder.iterdir()]
    assert len(blocks) == (0 if lost == "room" else 2)
    if lost == "folder":
        shutil.rmtree(before._folder)
    if lost == "dropped":
        read = partitions.fetch(PartitionNumbers(np.array([3])), *EVERYTHING)
        partitions._cached.clear()
        assert not before._folder.exists()
        assert read.take(np.arange(2))["dst"].to_pylist() == [300, 301]
        before.keep(folder, as_block(rows(np.arange(2), 1)))  # by a read that began before
        assert folder not in before
        assert not before._folder.exists()
    fetch(partitions, [3, 4, 9])


def test_spark_reads_many_partitions_in_one_job_and_as_many_tasks_as_slots(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition_cache, "FEW", 1)
    context = spark.sparkContext
    partitions = opened(folder, 0, lambda _: context)
    tracker, group = context.statusTracker(), f"fetch {id(partitions._cached._reads)} 0"
    for _ in range(2):  # the second time, all partitions are in files
        fetch(partitions, [3, 4, 9])
        wait_for_listeners(context)
        (job,) = tracker.getJobIdsForGroup(group)
        (stage,) = tracker.getJobInfo(job).stageIds  # type: ignore[union-attr]
        tasks = tracker.getStageInfo(stage).numTasks  # type: ignore[union-attr]
        assert tasks == min(3, context.defaultParallelism)
    assert not tracker.getJobIdsForGroup(group.removesuffix("0") + "1")


def test_a_partition_that_spark_cannot_read_is_named(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    partition_path(folder, PartitionNumber(4)).write_bytes(b"damaged")
    partitions = opened(folder, 0, lambda _: spark.sparkContext)
    for few in (0, 256):
        monkeypatch.setattr(partition_cache, "FEW", few)
        with pytest.raises(Damaged, match=r"Cannot read the partition .*0000000004"):
            fetch(partitions, [3, 4])


def test_only_triples_in_the_ranges_are_returned(folder: Path) -> None:
    found = opened(folder, 0, no_spark).fetch(
        PartitionNumbers(np.array([3, 9])),
        ItemNumbers(np.array([310, 390, 950])),
        ItemNumbers(np.array([311, 905, 951])),
    )
    assert found.dst.tolist() == [310, 311, *range(390, 400), *range(900, 906), 950, 951]


def test_a_job_is_cancelled_when_its_only_reader_times_out(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = spark.sparkContext

    def slow(*_: object) -> Iterator[bytes]:
        import time

        time.sleep(100)
        yield b""

    monkeypatch.setattr(partition_cache, "_load_all", slow)
    monkeypatch.setattr(partition_cache, "FEW", 0)
    cached = PartitionCache(Settings())
    began = monotonic()
    with pytest.raises(TooSlow):
        cached.tables(
            [partition_path(folder, PartitionNumber(3))], lambda _: context, Stopwatch(0.5)
        )
    while context.statusTracker().getActiveJobsIds() and monotonic() < began + 90:
        sleep(0.02)
    assert monotonic() < began + 90
    cached.release()


def test_take_returns_the_chosen_rows(folder: Path) -> None:
    found = opened(folder, 0, no_spark).fetch(PartitionNumbers(np.array([3, 4, 9])), *EVERYTHING)
    every = found.take(np.arange(len(found)))
    assert every["dst"].to_pylist() == found.dst.tolist()
    assert every["src"].to_pylist() == found.src.tolist()
    places = np.sort(np.random.default_rng(1).permutation(len(found))[:150])
    assert found.take(places).equals(every.take(pa.array(places)))
    assert found.take(places[:0]).equals(every.slice(0, 0))
