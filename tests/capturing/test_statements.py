"""In a block, statements of each kind are captured, or refused with an error that names them."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.warehouse import House
from provhouse.model.errors import NotFound

REFUSED = {
    "RESTORE TABLE": "RESTORE TABLE delta.`{}` TO VERSION AS OF 0",
    "CLONE": "CREATE OR REPLACE TABLE delta.`{0}` SHALLOW CLONE delta.`{0}` VERSION AS OF 0",
}
FEW = ("RESTORE TABLE",)
"""The statements that the usual test runs."""
READING = (
    "DESCRIBE HISTORY delta.`{}`",
    "DESCRIBE DETAIL delta.`{}`",
    "SHOW COLUMNS IN delta.`{}`",
)


@pytest.fixture(scope="module")
def orders(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """A frame and a view of the same three rows."""
    path = tmp_path_factory.mktemp("statements") / "orders.parquet"
    pq.write_table(pa.table({"id": [1, 2, 3], "v": [1, 2, 3]}), path)
    frame = spark.read.parquet(str(path))
    frame.createOrReplaceTempView("orders")
    return frame


@pytest.mark.long
@pytest.mark.parametrize("names", [FEW, pytest.param((*REFUSED,), marks=pytest.mark.long)])
def test_a_statement_that_is_not_covered_is_named(
    names: tuple[str, ...],
    houses: Callable[..., House],
    spark: SparkSession,
    orders: DataFrame,
    tmp_path: Path,
) -> None:
    """The error is a provhouse error and also a Spark error, for programs that catch the latter."""
    table = str(tmp_path / "table")
    for part in ("id < 3", "id = 3"):
        orders.where(part).write.format("delta").mode("append").save(table)
    before = sorted(tmp_path.rglob("*"))
    with houses().capture():
        for name in names:
            with pytest.raises(provhouse.ProvhouseError) as error:
                spark.sql(REFUSED[name].format(table)).collect()
            assert error.value.wanted == (
                f"The lineage of the statement {name} cannot be captured yet"
            )
            assert "Only writes of" not in str(error.value)
            assert isinstance(error.value, IllegalArgumentException)
            assert str(error.value).count("\n") == 2
            assert sorted(tmp_path.rglob("*")) == before
        for statement in READING:
            spark.sql(statement.format(table)).collect()
        with pytest.raises(provhouse.ProvhouseError, match="OverwriteByExpression"):
            orders.write.format("noop").mode("overwrite").save()


@pytest.mark.long
@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_insert_overwrite_directory(
    format: str,
    houses: Callable[..., House],
    spark: SparkSession,
    orders: DataFrame,
    tmp_path: Path,
) -> None:
    """An overwrite ends the rows that it does not write again."""
    house, out = houses(), tmp_path / "report"
    keys = {"orders": "id", "report": "id"}
    for condition in ("id < 3", "id > 1"):
        with house.capture(keys=keys) as run:
            spark.sql(
                f"INSERT OVERWRITE DIRECTORY '{out}' USING {format} OPTIONS (header true) "
                f"SELECT id, v + 1 AS v FROM orders WHERE {condition}"
            )
        assert run.report
        assert [each.table for each in run.report.writes] == ["report"]
    found = spark.read.format(format).options(header=True, inferSchema=True).load(str(out))
    assert {(row["id"], row["v"]) for row in found.collect()} == {(2, 3), (3, 4)}
    with house.open() as warehouse:
        for id in (2, 3):
            assert {each.item for each in warehouse.lineage(f"report/{id}").items} == {
                f"orders/{id}"
            }
        with pytest.raises(NotFound, match="was deleted"):
            warehouse.lineage("report/1")


def test_errors_of_spark_stay_as_they_are(
    houses: Callable[..., House], spark: SparkSession, orders: DataFrame
) -> None:
    with houses().capture(), pytest.raises(IllegalArgumentException) as error:
        orders.sample(-1.0).count()
    assert not isinstance(error.value, provhouse.ProvhouseError)


@pytest.mark.long
def test_write_to(
    houses: Callable[..., House], spark: SparkSession, orders: DataFrame, tmp_path: Path
) -> None:
    """All calls of ``writeTo`` that Spark supports for Delta and for Parquet are tried."""
    house = houses()
    one, two = orders.where("id = 1"), orders.where("id > 1")
    keys = {"orders": "id", "created": "id", "parquet_created": "id"}
    with house.capture(keys=keys) as run:
        one.writeTo("parquet_created").using("parquet").create()
        one.writeTo("created").using("delta").partitionedBy("v").create()
        two.writeTo("created").append()
        two.writeTo("created").overwrite(F.col("v") > 1)
        two.writeTo("created").overwritePartitions()
        one.writeTo("created").using("delta").replace()
        two.writeTo("created").using("delta").createOrReplace()
    assert run.report
    versions = [each.version for each in run.report.writes if each.table == "created"]
    assert len(versions) == 6
    with house.open() as warehouse:

        def sources(item: str) -> set[str]:
            return {each.item for each in warehouse.lineage(item).items}

        assert sources("parquet_created/1") == {"orders/1"}
        ids = [(1,), (2, 3), (2, 3), (2, 3), (1,), (2, 3)]
        for version, of in zip(versions, ids, strict=True):
            for id in of:
                assert sources(f"created/{id}@{version}") == {f"orders/{id}"}


@pytest.mark.long
def test_what_the_documentation_says_is_refused_and_write_to_is_captured(
    houses: Callable[..., House], spark: SparkSession, orders: DataFrame, tmp_path: Path
) -> None:
    recursive = (
        "WITH RECURSIVE r AS (SELECT id, 0 AS n FROM orders"
        " UNION ALL SELECT id, n + 1 FROM r WHERE n < 2) SELECT * FROM r"
    )
    out, made = str(tmp_path / "out"), f"delta.`{tmp_path / 'made'}`"
    house = houses()
    with house.capture(keys={"orders": "id", "made": "id"}) as run:
        with pytest.raises(provhouse.ProvhouseError, match="WITH RECURSIVE"):
            spark.sql(recursive).write.parquet(out)
        with pytest.raises(provhouse.ProvhouseError, match="textFile") as error:
            run.context.wholeTextFiles(out)
        assert "wholeTextFiles" in error.value.wanted
        orders.write.parquet(out)
        with pytest.raises(provhouse.ProvhouseError, match="would delete rows"):
            orders.write.mode("overwrite").parquet(out)
        orders.where("id = 1").writeTo(made).using("delta").partitionedBy("v").create()
        orders.where("id > 1").writeTo(made).append()
        orders.where("id > 1").writeTo(made).overwrite(F.col("v") > 1)
    assert run.report
    assert [each.table for each in run.report.writes] == ["out", "made", "made", "made"]
    with house.open() as warehouse:
        for id in (1, 2, 3):
            found = {each.item for each in warehouse.lineage(f"made/{id}").items}
            assert found == {f"orders/{id}"}
