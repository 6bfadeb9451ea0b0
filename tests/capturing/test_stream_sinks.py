"""Streams that write files: each batch is a captured write, whose files the sink's log lists."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.warehouse import House
from provhouse.capturing.scripts import run_script
from provhouse.capturing.spark_settings import configuration
from provhouse.model.errors import UsageError

pytestmark = pytest.mark.long

Row = tuple[int, str | None]
KEYS = {"orders": "id", "names": "cust", "out": "id"}
NAMES = ("ann", "bob")
COMPACT = "spark.sql.streaming.fileSink.log.compactInterval"


def rows_of(batch: int) -> list[Row]:
    """Return the rows of a batch; their customers include NULL and the empty string."""
    customers = ["ann", "bob", "", None, "eve"]
    return [(number, customers[number * 3 % 5]) for number in range(batch * 30, batch * 30 + 30)]


def add(folder: Path, batch: int) -> None:
    """Add the file of a batch to a stream's folder."""
    folder.mkdir(exist_ok=True)
    ids, customers = zip(*rows_of(batch), strict=True)
    file = folder / f"{batch}.parquet"
    pq.write_table(pa.table({"id": ids, "cust": pa.array(customers, pa.string())}), file)
    os.utime(file, (batch, batch))  # files are read in the order of these times


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """The folder of a stream with three files, each of which is a batch."""
    for batch in range(3):
        add(tmp_path / "orders", batch)
    pq.write_table(pa.table({"cust": NAMES}), tmp_path / "names.parquet")
    return tmp_path / "orders"


@pytest.fixture
def compacting(spark: SparkSession) -> Iterator[None]:
    """Let the log of a sink combine the records of two batches in one file."""
    spark.conf.set(COMPACT, "2")
    yield
    spark.conf.unset(COMPACT)


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    """Return a stream of the rows of a folder, one file in a batch, in three tasks."""
    read = spark.readStream.schema("id long, cust string").option("maxFilesPerTrigger", 1)
    return read.parquet(str(folder)).repartition(3)


def joined(spark: SparkSession, folder: Path) -> DataFrame:
    names = spark.read.parquet(str(folder.with_name("names.parquet")))
    return stream(spark, folder).join(names, "cust").where("id > 1")


def run(rows: DataFrame, out: Path, kind: str = "parquet", by: Sequence[str] = ()) -> None:
    """Run a stream that writes files until it has read all of its own files."""
    writer: Any = rows.writeStream.trigger(availableNow=True).format(kind).partitionBy(*by)
    writer = writer.option("checkpointLocation", str(out.with_name(f"checkpoint of {out.name}")))
    writer.start(str(out)).awaitTermination()


def expected(batches: int) -> list[Row]:
    """Return the rows that remain after the join and the filter."""
    rows = [row for batch in range(batches) for row in rows_of(batch)]
    return [row for row in rows if row[0] > 1 and row[1] in NAMES]


def check(house: House, out: Path, spark: SparkSession, rows: Sequence[Row]) -> None:
    """Check that a folder has these rows, and that each has one version and its own lineage."""
    found = spark.read.parquet(str(out)).select("id").collect()
    assert sorted(row.id for row in found) == sorted(number for number, _ in rows)
    with house.open() as warehouse:
        for number, name in rows:
            answer = warehouse.lineage(f"{out.name}/{number}", all_versions=True)
            assert len(answer.versions or [1]) == 1
            items = {each.item for each in answer.items}
            assert items == {f"orders/{number}", f"names/{name}"}


@pytest.mark.usefixtures("compacting")
def test_rows_of_all_batches_have_their_lineage(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    """The stream goes on in another block; a later job reads what it has written."""
    house, out = houses(), tmp_path / "out"
    with house.capture(keys=KEYS) as done:
        run(joined(spark, orders), out)
    assert done.report
    assert [write.table for write in done.report.writes] == ["out"] * 3
    check(house, out, spark, expected(3))
    add(orders, 3)
    with house.capture(keys=KEYS | {"copy": "id"}):
        run(joined(spark, orders), out)
        spark.read.parquet(str(out)).select("id").write.parquet(str(tmp_path / "copy"))
    house.check()
    check(house, out, spark, expected(4))
    with house.open() as warehouse:
        for number, name in expected(4):
            items = {each.item.split("@")[0] for each in warehouse.lineage(f"copy/{number}").items}
            assert items == {f"out/{number}", f"orders/{number}", f"names/{name}"}


def test_a_batch_that_fails_and_runs_again_is_captured_once(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    house, out, failing = houses(), tmp_path / "out", tmp_path / "failing"
    failing.touch()
    last = expected(2)[-1][0]

    def passed(number: int) -> int:
        if number == last and failing.exists():
            raise ValueError("This row fails")
        return number

    rows = joined(spark, orders).withColumn("id", F.udf(passed, "long", useArrow=False)("id"))
    with house.capture(keys=KEYS):
        with pytest.raises(StreamingQueryException, match="This row fails"):
            run(rows, out)
        failing.unlink()
        run(rows, out)
    house.check()
    check(house, out, spark, expected(3))


def test_a_batch_that_the_sink_skips_is_not_captured_again(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    """The stream stops after it has written a batch and before it has recorded its end."""
    house, out = houses(), tmp_path / "out"
    with house.capture(keys=KEYS):
        run(joined(spark, orders), out)
    commits = out.with_name("checkpoint of out") / "commits"
    for name in ("2", ".2.crc"):
        (commits / name).unlink()
    add(orders, 3)
    with house.capture(keys=KEYS) as done:
        run(joined(spark, orders), out)
    assert done.report
    assert len(done.report.writes) == 1
    check(house, out, spark, expected(4))


def test_rows_of_partitions_have_their_lineage(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    """NULL and the empty string are one partition."""
    house, out = houses(), tmp_path / "out"
    rows = stream(spark, orders).withColumn("even", F.expr("id % 2"))
    with house.capture(keys={"orders": "id", "out": "id"}):
        run(rows, out, by=["cust", "even"])
    house.check()
    numbers = [number for batch in range(3) for number, _ in rows_of(batch)]
    assert spark.read.parquet(str(out)).count() == len(numbers)
    with house.open() as warehouse:
        for number in numbers:
            items = {each.item for each in warehouse.lineage(f"out/{number}").items}
            assert items == {f"orders/{number}"}


def test_rows_of_csv_files_are_named_by_their_positions(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    house, out, copy = houses(), tmp_path / "out", tmp_path / "copy"
    with house.capture(keys={"orders": "id", "names": "cust"}):
        run(joined(spark, orders).select("id"), out, "csv")
    with house.capture(keys={"copy": "id"}):
        spark.read.schema("id long").csv(str(out)).write.parquet(str(copy))
    house.check()
    with house.open() as warehouse:
        for number, name in expected(3):
            items = {each.item for each in warehouse.lineage(f"copy/{number}").items}
            sources = {each for each in items if not each.startswith("out/")}
            assert sources == {f"orders/{number}", f"names/{name}"}
            assert len(items) == 3


def test_the_last_batch_is_known_when_its_application_ends(
    houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    house, out, script = houses(), tmp_path / "out", tmp_path / "job.py"
    script.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[2]').getOrCreate()\n"
        "read = spark.readStream.schema('id long, cust string').option('maxFilesPerTrigger', 1)\n"
        "names = spark.read.parquet(sys.argv[1] + '/names.parquet')\n"
        "rows = read.parquet(sys.argv[1] + '/orders').join(names, 'cust').where('id > 1')\n"
        "writer = rows.writeStream.option('checkpointLocation', sys.argv[1] + '/checkpoint')\n"
        "query = writer.trigger(availableNow=True).start(sys.argv[1] + '/out')\n"
        "query.awaitTermination()\n"
        "spark.stop()\n"
    )
    keys = {"orders": ("id",), "names": ("cust",), "out": ("id",)}
    ran = run_script(script, [str(tmp_path)], configuration(house.settings.warehouse, keys))
    assert ran.status == 0
    with house.open() as warehouse:
        landed = warehouse.ingest_captured()
    assert [each.table for each in landed.writes] == ["out"] * 3
    assert not landed.incomplete
    check(house, out, spark, expected(3))


def counted(rows: DataFrame) -> DataFrame:
    timed = rows.withColumn("at", F.current_timestamp()).withWatermark("at", "1 minute")
    return timed.groupBy(F.window("at", "1 minute")).count().select("count")


REFUSED: dict[str, tuple[str, dict[str, str], Callable[[DataFrame], DataFrame], str]] = {
    "orc": ("orc", {}, lambda rows: rows, "A stream writes it as orc"),
    "keyed": ("csv", {"out": "id"}, lambda rows: rows, "with a declared key"),
    "state": ("parquet", {}, counted, "Aggregate has rows of earlier batches in its state"),
    "console": ("console", {}, lambda rows: rows, "It writes to Console"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_covered_is_refused_before_anything_is_written(
    name: str, houses: Callable[..., House], spark: SparkSession, orders: Path, tmp_path: Path
) -> None:
    kind, keys, change, reason = REFUSED[name]
    with (
        pytest.raises(UsageError, match=reason),
        houses().capture(keys={"orders": "id"} | keys),
    ):
        run(change(stream(spark, orders)), tmp_path / "out", kind)
    assert not [*tmp_path.glob("out/part-*")]
