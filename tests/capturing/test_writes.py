"""Kinds of writes: files equal plain Spark's, and each row derives from its own source row.

All writes are in one block, because an ingest takes most of the time of a test.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.shop import ORDERS, write_shop
from helpers.warehouse import House

Write = Callable[[DataFrame, str], None]
_PART = re.compile(r"part-(\d+)-[0-9a-f-]{36}(.*)")


def sql(text: str) -> Write:
    """Return a write that runs SQL statements, in which ``orders`` is a temporary view."""

    def write(orders: DataFrame, path: str) -> None:
        orders.createOrReplaceTempView("written_orders")
        name = f"captured_{Path(path).name}_{Path(path).parent.name}"
        for statement in text.format(name=name, path=path).split(";"):
            orders.sparkSession.sql(statement)

    return write


def table(orders: DataFrame, path: str) -> None:
    """Write a table with partitions and buckets."""
    name = f"captured_{Path(path).name}_{Path(path).parent.name}"
    writer = orders.repartition(2, "id").write.partitionBy("cust").bucketBy(3, "id").sortBy("price")
    writer.option("path", path).saveAsTable(name)


def dynamic(form: str) -> Write:
    """Return a write that overwrites only the partitions that contain its rows."""

    def write(orders: DataFrame, path: str) -> None:
        writer = orders.select("id", "cust").write.mode("overwrite").partitionBy("cust")
        writer.option("partitionOverwriteMode", "dynamic").format(form).save(path)

    return write


WRITES: dict[str, Write] = {
    "days": lambda orders, path: orders.write.partitionBy("day").parquet(path),
    "two": lambda orders, path: (
        orders.withColumn("c", F.expr("cust || ' a/b=%'"))
        .repartition(3, "id")
        .write.partitionBy("c", "small")
        .option("maxRecordsPerFile", 1)
        .parquet(path)
    ),
    "sorted": lambda orders, path: (
        orders.orderBy(F.desc("price"))
        .write.option("compression", "gzip")
        .partitionBy("fee")
        .parquet(path)
    ),
    "buckets": lambda orders, path: (
        orders.write.bucketBy(2, "id")
        .option("path", path)
        .saveAsTable(f"captured_{Path(path).name}_{Path(path).parent.name}")
    ),
    "table": table,
    "ctas": sql(
        "CREATE TABLE {name} USING parquet LOCATION '{path}' AS SELECT * FROM written_orders"
    ),
    "inserts": sql(
        "CREATE TABLE {name} (id BIGINT, p INT, q STRING) USING parquet PARTITIONED BY (p, q) "
        "LOCATION '{path}'; "
        "INSERT INTO {name} PARTITION (p = 7, q) SELECT id, cust FROM written_orders"
    ),
    "dynamic": dynamic("parquet"),
    "delta": lambda orders, path: orders.write.format("delta").save(path),
    "delta_days": lambda orders, path: (
        orders.write.partitionBy("day", "small")
        .option("maxRecordsPerFile", 1)
        .format("delta")
        .save(path)
    ),
    "delta_dynamic": dynamic("delta"),
    "delta_ctas": sql(
        "CREATE TABLE {name} USING delta PARTITIONED BY (c) LOCATION '{path}' "
        "AS SELECT *, cust || ' a/b=%' AS c FROM written_orders"
    ),
    "delta_replace": sql(
        "CREATE TABLE {name} (id BIGINT) USING delta LOCATION '{path}'; "
        "CREATE OR REPLACE TABLE {name} USING delta PARTITIONED BY (small) LOCATION '{path}' "
        "AS SELECT id, small FROM written_orders"
    ),
    "delta_inserts": sql(
        "CREATE TABLE {name} (id BIGINT, p INT, q STRING) USING delta PARTITIONED BY (p, q) "
        "LOCATION '{path}'; "
        "INSERT INTO {name} PARTITION (p = 7, q) SELECT id, cust FROM written_orders"
    ),
    "delta_where": sql(
        "CREATE TABLE {name} (id BIGINT, small INT) USING delta PARTITIONED BY (small) "
        "LOCATION '{path}'; INSERT INTO {name} REPLACE WHERE small IS NULL OR small < 9 "
        "SELECT id, small FROM written_orders"
    ),
}
FEW = ("dynamic", "delta_days")
"""The writes that the usual tests run. ``make test-long`` tests all writes."""
BY_CATALOG = ("inserts", "delta_ctas", "delta_replace", "delta_inserts", "delta_where")
"""Writes to tables whose names are resolved by the catalog."""


def files(folder: Path) -> list[tuple[str, list[str]]]:
    """Return the folder, task and suffix of each file of a table, with the file's rows in order."""
    found = []
    for path in folder.rglob("*.parquet"):
        match = _PART.fullmatch(path.name)
        assert match
        place = path.relative_to(folder).parent.as_posix()
        ending = "" if "_delta_log" in {each.name for each in folder.iterdir()} else match[2]
        rows = pq.ParquetFile(path).read().to_pylist()
        found.append((f"{place} {match[1]} {ending}", [str(row) for row in rows]))
    return sorted(found, key=str)


@dataclass(frozen=True)
class Written:
    """The tables that the block has written, and the warehouse."""

    house: House
    folder: Path
    report: provhouse.Landed
    names: tuple[str, ...]


@pytest.fixture(
    scope="module",
    params=[FEW, pytest.param((*WRITES,), marks=pytest.mark.long)],
    ids=["few", "all"],
)
def written(
    request: pytest.FixtureRequest,
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Written]:
    """All tables, each written outside of a block in ``plain`` and inside it in ``captured``."""
    folder = tmp_path_factory.mktemp("writes")
    write_shop(folder)
    house, orders = houses(), spark.read.parquet(str(folder / "orders"))
    old = spark.range(100, 103).selectExpr("id", "if(id > 100, 'old', 'ann') AS cust").coalesce(1)
    for place in ("plain", "captured"):
        for form, name in (("parquet", "dynamic"), ("delta", "delta_dynamic")):
            old.write.partitionBy("cust").format(form).save(str(folder / place / name))
    names: tuple[str, ...] = request.param
    for name in names:
        WRITES[name](orders, str(folder / "plain" / name))
    tables = ["orders", *(f"captured_{name}_captured" if name in BY_CATALOG else name
                          for name in names)]  # fmt: skip
    with house.capture(keys=dict.fromkeys(tables, "id"), run="n") as run:
        for name in names:
            WRITES[name](orders, str(folder / "captured" / name))
    assert run.report
    yield Written(house, folder, run.report, names)
    for row in spark.sql("SHOW TABLES LIKE 'captured_*'").collect():
        spark.sql(f"DROP TABLE {row.tableName}")


@pytest.mark.long
def test_files_are_those_of_plain_spark(written: Written) -> None:
    for name in written.names:
        plain = files(written.folder / "plain" / name)
        assert len(plain) > 1, name
        assert files(written.folder / "captured" / name) == plain, name


@pytest.mark.long
def test_each_row_derives_from_the_row_that_it_was(written: Written) -> None:
    writes = written.report.writes
    assert [write.path.name for write in writes] == list(written.names)
    assert {write.rows for write in writes} == {len(ORDERS)}
    with written.house.open() as warehouse:
        for order in ORDERS:
            reached = {found.item for found in warehouse.impact(f"orders/{order.id}").items}
            assert reached == {f"{each.table}/{order.id}@{each.version}" for each in writes}


@pytest.mark.long
def test_rows_may_derive_from_nothing(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """Spark drops the side of a union that has no rows, so the rows have no slot at all."""
    write_shop(tmp_path)
    spark.read.parquet(str(tmp_path / "orders")).createOrReplaceTempView("orders")
    out, house = tmp_path / "out", houses()
    with house.capture(keys={"out": "id"}) as run:
        rows = spark.sql("SELECT id FROM orders WHERE 1 = 0 UNION ALL SELECT 2")
        rows.write.parquet(str(out))
    assert [row.id for row in spark.read.parquet(str(out)).collect()] == [2]
    assert run.report
    assert [write.rows for write in run.report.writes] == [1]


@pytest.mark.long
def test_lineage_goes_on_through_a_delta_table(written: Written, spark: SparkSession) -> None:
    delta, more = str(written.folder / "captured" / "delta_days"), written.folder / "more"
    with written.house.capture(keys={"orders": "id", "more": "id"}) as run:
        orders = spark.read.parquet(str(written.folder / "orders"))
        both = spark.read.format("delta").load(delta).where("id < 4").union(orders.where("id = 9"))
        both.write.format("delta").save(str(more))
        both.where("id > 1").write.format("delta").mode("overwrite").save(str(more))
    assert run.report
    first, second = run.report.writes
    with written.house.open() as warehouse:
        for key, write in ((1, first), (2, second), (3, second), (9, second)):
            found = warehouse.lineage(f"more/{key}@{write.version}", depth=1).items
            source = "orders/9" if key == 9 else f"delta_days/{key}@"
            assert [each.item.startswith(source) for each in found] == [True]
        assert {each.item for each in warehouse.lineage("more/3").items} > {"orders/3"}


@pytest.mark.long
def test_explain_is_no_write(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    spark.read.parquet(str(tmp_path / "orders")).createOrReplaceTempView("written_orders")
    table = "CREATE TABLE captured_explained (id BIGINT) USING parquet LOCATION"
    spark.sql(f"{table} '{tmp_path / 'explained'}'")
    insert = "captured_explained SELECT id FROM written_orders WHERE id"
    try:
        with houses().capture(keys={"orders": "id", "captured_explained": "id"}) as run:
            spark.sql(f"EXPLAIN INSERT INTO {insert} < 4").collect()
            spark.sql(f"INSERT INTO {insert} < 4")
            spark.sql(f"EXPLAIN EXTENDED INSERT OVERWRITE {insert} < 9").collect()
            spark.sql(f"INSERT INTO {insert} = 4")
    finally:
        spark.sql("DROP TABLE captured_explained")
    assert run.report
    assert [each.rows for each in run.report.writes] == [3, 1]
    assert run.report.incomplete == ()
