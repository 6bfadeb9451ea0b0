"""Sources without row numbers: lineage uses declared keys, which a tap writes."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.shop import CUSTOMERS, ORDERS, write_shop
from helpers.warehouse import House
from provhouse.model.errors import BadInput, UsageError

DERBY = "jdbc:derby:memory:captured;create=true"
Read = Callable[[SparkSession, Path], DataFrame]


def csv(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.read.csv(str(folder / "csv"), header=True, inferSchema=True)


def jdbc(spark: SparkSession, _: Path) -> DataFrame:
    return spark.read.jdbc(DERBY, "jdbc", predicates=['"id" < 4', '"id" >= 4'])


SOURCES: dict[str, Read] = {
    "csv": csv,
    "json": lambda spark, folder: spark.read.json(str(folder / "json")),
    "orc": lambda spark, folder: spark.read.orc(str(folder / "orc")),
    "text": lambda spark, folder: spark.read.text(str(folder / "text.txt")),
    "jdbc": jdbc,
}
KEPT = ("csv", "jdbc")
"""The sources whose single rows are written, too. Groups of rows are written for every source."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Path:
    """The folder with the orders in each format."""
    folder = tmp_path_factory.mktemp("sources")
    write_shop(folder)
    orders = spark.read.parquet(str(folder / "orders")).select("id", "cust", "small")
    orders.repartition(3, "id").write.csv(str(folder / "csv"), header=True)
    orders.write.json(str(folder / "json"))
    orders.write.orc(str(folder / "orc"))
    orders.coalesce(1).write.jdbc(DERBY, "jdbc", "overwrite")
    (folder / "text.txt").write_text("".join(f"{order.id}\n" for order in ORDERS))
    return folder


@pytest.mark.long
@pytest.mark.parametrize("names", [KEPT, pytest.param((*SOURCES,), marks=pytest.mark.long)])
def test_rows_of_each_source_are_named_by_their_keys(
    names: tuple[str, ...],
    houses: Callable[..., House],
    shop: Path,
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    """Filters, groups, joins with other sources and self-joins are all captured in one block."""
    house = houses()
    keys = {name: "value" if name == "text" else "id" for name in names}
    keys |= dict.fromkeys((f"{name}_grouped" for name in names), "k")
    keys |= dict.fromkeys((f"{name}_kept" for name in KEPT), "k")
    with house.capture(keys={**keys, "customers": "number", "joined": "k"}) as run:
        for name in names:
            frame = SOURCES[name](spark, shop)
            key = F.col(keys[name]).cast("int")
            if name in KEPT:
                kept = frame.where(key > 2).select(key.alias("k"))
                kept.write.parquet(str(tmp_path / f"{name}_kept"))
            grouped = frame.groupBy((key % 3).alias("k")).count()
            grouped.write.parquet(str(tmp_path / f"{name}_grouped"))
        customers = spark.read.parquet(str(shop / "customers"))
        one, two = csv(spark, shop), jdbc(spark, shop).withColumnRenamed("id", "other")
        joined = one.join(customers, F.col("cust") == F.col("name")).join(two, one.id == two.other)
        joined = joined.join(csv(spark, shop).selectExpr("id + 1 AS next"), one.id == F.col("next"))
        joined.selectExpr("concat_ws('-', id, number) AS k").write.parquet(str(tmp_path / "joined"))
    assert run.report
    with house.open() as warehouse:

        def sources(item: str) -> set[str]:
            return {found.item for found in warehouse.lineage(item).items}

        for name in names:
            if name in KEPT:
                assert sources(f"{name}_kept/5") == {f"{name}/5"}
            for rest in range(3):
                expected = {f"{name}/{order.id}" for order in ORDERS if order.id % 3 == rest}
                assert sources(f"{name}_grouped/{rest}") == expected
        for order in ORDERS[1:]:
            for customer in CUSTOMERS:
                if order.cust is not None and order.cust == customer.name:
                    assert sources(f"joined/{order.id}-{customer.number}") == {
                        f"csv/{order.id}", f"jdbc/{order.id}", f"csv/{order.id - 1}",
                        f"customers/{customer.number}",
                    }  # fmt: skip
    assert all(pq.read_table(tmp_path / f"{name}_kept").num_rows == 7 for name in KEPT)


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("cust", "The key of csv is NULL in 2 of its rows"),
        pytest.param(["small", "id"], "NULL", marks=pytest.mark.long),
    ],
)
def test_a_key_with_null_is_refused(
    key: str, found: str, houses: Callable[..., House], shop: Path, spark: SparkSession
) -> None:
    with pytest.raises(BadInput, match=found), houses().capture(keys={"csv": key}):
        csv(spark, shop).select("id").write.mode("overwrite").parquet(str(shop / "out"))


def test_a_key_that_two_rows_have_is_refused(
    houses: Callable[..., House], shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "twice.csv").write_text("id\n1\n1\n")
    with pytest.raises(BadInput, match="not unique"), houses().capture(keys={"twice": "id"}):
        spark.read.csv(str(tmp_path / "twice.csv"), header=True).write.parquet(
            str(tmp_path / "out")
        )


def test_a_column_that_is_missing_is_refused_before_spark_writes(
    houses: Callable[..., House], shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    frame, out = csv(spark, shop), tmp_path / "out"
    with (
        pytest.raises(UsageError, match="no column nothing"),
        houses().capture(keys={"csv": "nothing"}),
    ):
        frame.write.parquet(str(out))
    assert not out.exists()


@pytest.mark.long
def test_files_that_change_between_two_writes_of_a_block_are_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """Rows that the first write read are gone before they are named, so names would be wrong."""
    write_shop(tmp_path)
    house, source = houses(), tmp_path / "orders"

    def job() -> None:
        with house.capture(keys={"orders": "id", "one": "id", "two": "id"}):
            spark.read.parquet(str(source)).write.parquet(str(tmp_path / "one"))
            for path in source.iterdir():
                pq.write_table(pq.read_table(path).slice(1), path)
            spark.read.parquet(str(source)).write.parquet(str(tmp_path / "two"))

    with pytest.raises(BadInput, match="is not the file that the job read"):
        job()
    assert not house.layout.commits.exists()
