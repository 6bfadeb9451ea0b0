"""Streams of files with foreachBatch: rows that a batch writes have exactly their own lineage."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.warehouse import House
from provhouse.model.errors import UsageError

SOURCES = {"orders": "id", "names": "cust"}
KEYS = SOURCES | {"totals": "cust", "kept": "id"}
BATCHES = ([(1, "ann"), (2, "bob"), (3, "ann")], [(4, "bob"), (5, "bob")], [(6, "eve")])
NAMES = ["ann", "bob"]
Each = Callable[[DataFrame, int], None]


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A folder with one file for each batch, and a table next to it."""
    folder = tmp_path / "orders"
    folder.mkdir()
    for number, rows in enumerate(BATCHES):
        ids, customers = zip(*rows, strict=True)
        file = folder / f"{number}.parquet"
        pq.write_table(pa.table({"id": ids, "cust": customers}), file)
        # files are read in the order of these times
        os.utime(file, (number, number))
    pq.write_table(pa.table({"cust": NAMES}), tmp_path / "names.parquet")
    return folder


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    """Return a stream of the rows of a folder, one file in a batch, joined with a static table."""
    read = spark.readStream.schema("id long, cust string").option("maxFilesPerTrigger", 1)
    names = spark.read.parquet(str(folder.with_name("names.parquet")))
    return read.parquet(str(folder)).join(names, "cust").where("id > 1")


def run(rows: DataFrame, each: Each, checkpoint: Path) -> None:
    """Run a stream until it has read all files."""
    writer: Any = rows.writeStream.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(checkpoint))
    writer.foreachBatch(each).start().awaitTermination()


def lineage(house: House, item: str) -> set[str]:
    with house.open() as warehouse:
        return {each.item for each in warehouse.lineage(item, all_versions=True).items}


def made(batches: range = range(len(BATCHES))) -> list[list[tuple[int, str]]]:
    """Return, for each batch, the rows that remain after the join and the filter."""
    return [[row for row in BATCHES[batch] if row[0] > 1 and row[1] in NAMES] for batch in batches]


@pytest.mark.long
def test_writes_of_batches_have_the_lineage_of_their_rows(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    house = houses()

    def each(batch: DataFrame, number: int) -> None:
        totals = batch.groupBy("cust").agg(F.count("*").alias("n"))
        totals.write.mode("append").parquet(str(tmp_path / "totals"))
        kept = batch.cache()
        kept.select("id").write.mode("append").parquet(str(tmp_path / "kept"))
        kept.unpersist()

    with house.capture(keys=KEYS) as done:
        run(stream(spark, orders), each, tmp_path / "checkpoint")
    house.check()
    assert done.report
    assert len(done.report.writes) == 2 * len(BATCHES)
    rows = [row for batch in made() for row in batch]
    assert {row.id for row in spark.read.parquet(str(tmp_path / "kept")).collect()} == {
        number for number, _ in rows
    }
    groups = {frozenset(number for number, one in batch if one == name)
              for batch in made() for name in NAMES}  # fmt: skip
    with house.open() as warehouse:
        for number, name in rows:
            items = {each.item for each in warehouse.lineage(f"kept/{number}").items}
            assert items == {f"orders/{number}", f"names/{name}"}
        found = set()
        for name in NAMES:
            for version in warehouse.lineage(f"totals/{name}", all_versions=True).versions:
                items = {each.item for each in warehouse.lineage(version).items}
                assert f"names/{name}" in items
                found.add(frozenset(int(item.split("/")[1]) for item in items
                                    if item.startswith("orders/")))  # fmt: skip
    assert found == groups - {frozenset()}


@pytest.mark.long
def test_a_batch_that_is_run_again_leaves_nothing_twice(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    """In the second batch, the function fails after its write, so the batch runs again."""
    house = houses()
    failing = tmp_path / "failing"
    failing.touch()

    def each(batch: DataFrame, number: int) -> None:
        out = tmp_path / "parts" / f"batch={number}"
        batch.select("id").write.mode("overwrite").parquet(str(out))
        if number == 1 and failing.exists():
            failing.unlink()
            raise ValueError("This batch fails")

    with house.capture(keys=SOURCES | {f"batch={number}": "id" for number in range(3)}) as done:
        with pytest.raises(StreamingQueryException, match="This batch fails"):
            run(stream(spark, orders), each, tmp_path / "checkpoint")
        run(stream(spark, orders), each, tmp_path / "checkpoint")
    house.check()
    assert done.report
    for batch, rows in enumerate(made()):
        for number, name in rows:
            item = f"batch={batch}/{number}"
            with house.open() as warehouse:
                assert len(warehouse.lineage(item, all_versions=True).versions or [item]) == 1
            assert lineage(house, item) == {f"orders/{number}", f"names/{name}"}


def refused(house: House, rows: DataFrame, tmp_path: Path) -> str:
    """Return the error of a stream that writes its batches; fail if the stream wrote anything."""

    def each(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").parquet(str(tmp_path / "out"))

    with pytest.raises(UsageError) as error, house.capture():
        run(rows, each, tmp_path / f"checkpoint-{id(rows)}")
    assert not [*tmp_path.glob("out/*.parquet")]
    return str(error.value)


@pytest.mark.long
def test_streams_without_stable_rows_or_with_state_are_refused(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    house = houses()
    rate = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    assert "RateStream" in refused(house, rate, tmp_path)
    timed = stream(spark, orders).withColumn("at", F.current_timestamp())
    counts = timed.withWatermark("at", "1 minute").groupBy("at").count().select("count")
    assert "Aggregate has rows of earlier batches" in refused(house, counts, tmp_path)
    joined = timed.join(stream(spark, orders).select("id"), "id").select("id")
    assert "Join has rows of earlier batches" in refused(house, joined, tmp_path)


@pytest.mark.long
def test_a_stream_that_outlives_its_block_is_refused(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    house = houses()

    def each(batch: DataFrame, number: int) -> None:
        batch.select("id").write.mode("append").parquet(str(tmp_path / "kept"))

    writer: Any = stream(spark, orders).writeStream.option(
        "checkpointLocation", str(tmp_path / "checkpoint")
    )
    with house.capture(keys=SOURCES | {"kept": "id"}):
        query = writer.foreachBatch(each).start()
        query.processAllAvailable()
    before = spark.read.parquet(str(tmp_path / "kept")).count()
    pq.write_table(pa.table({"id": [7], "cust": ["ann"]}), orders / "later.parquet")
    with pytest.raises(UsageError, match="after the end of its block"):
        query.awaitTermination(60)
    assert spark.read.parquet(str(tmp_path / "kept")).count() == before
    assert lineage(house, "kept/2") == {"orders/2", "names/bob"}


@pytest.mark.long
def test_rows_of_a_stream_of_csv_files_are_named_by_their_key(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    house = houses()
    folder = tmp_path / "orders"
    folder.mkdir()
    for number, rows in enumerate(BATCHES):
        text = "".join(f"{each},{name}\n" for each, name in rows)
        (folder / f"{number}.csv").write_text(text, encoding="utf-8")

    def each(batch: DataFrame, number: int) -> None:
        batch.groupBy("cust").agg(F.min("id").alias("id")).write.parquet(
            str(tmp_path / f"first{number}")
        )

    read = spark.readStream.schema("id long, cust string").option("maxFilesPerTrigger", 1)
    tables = [f"first{number}" for number in range(len(BATCHES))]
    with house.capture(keys={"orders": "id"} | dict.fromkeys(tables, "cust")):
        run(read.csv(str(folder)), each, tmp_path / "checkpoint")
    house.check()
    for table in tables:
        for row in spark.read.parquet(str(tmp_path / table)).collect():
            (batch,) = (each for each in BATCHES if any(number == row.id for number, _ in each))
            expected = {f"orders/{number}" for number, name in batch if name == row.cust}
            assert lineage(house, f"{table}/{row.cust}") == expected


@pytest.mark.long
def test_a_stream_may_have_more_batches_than_row_ids_have_numbers(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """A row id has 23 bits for its source's number, and a scan with a key takes 16 of them."""
    house, count = houses(), (1 << 23 - 16) + 3
    folder, out = tmp_path / "orders", tmp_path / "kept"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.csv").write_text(f"{number},ann\n", encoding="utf-8")

    def each(batch: DataFrame, number: int) -> None:
        if number >= count - 5:
            batch.select("id").write.mode("append").parquet(str(out))

    read = spark.readStream.schema("id long, cust string").option("maxFilesPerTrigger", 1)
    with house.capture(keys={"orders": "id", "kept": "id"}):
        run(read.csv(str(folder)), each, tmp_path / "checkpoint")
    found = [row.id for row in spark.read.parquet(str(out)).collect()]
    assert len(found) == 5
    for number in found:
        assert lineage(house, f"kept/{number}") == {f"orders/{number}"}
