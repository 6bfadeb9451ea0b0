"""Scalar Python functions have exact lineage; functions on a whole task have a superset."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from helpers.lineage_cases import Case, Shop, c, grouped, o, written
from helpers.pickled import nested
from helpers.shop import CUSTOMERS, ORDERS, write_shop
from helpers.warehouse import House

TASKS = "k long, of string"


@pytest.fixture(autouse=True)
def plain_udfs(spark: SparkSession) -> Iterator[None]:
    """Pass rows to scalar functions one by one, as Spark does without Arrow."""
    spark.conf.set("spark.sql.execution.pythonUDF.arrow.enabled", "false")
    yield
    spark.conf.unset("spark.sql.execution.pythonUDF.arrow.enabled")


def scalar(shop: Shop) -> DataFrame:
    """Use a function of one row in a projection, in a filter and in a grouping key."""
    half = F.udf(lambda number: number // 2, "long")
    groups = shop.orders.where(half("id") > 0).groupBy(half("id").alias("h"))
    return groups.agg(F.min("id").alias("k"), F.count("*"))


def of_series(shop: Shop) -> DataFrame:
    """Use a function whose arguments are whole columns."""
    twice: Any = _pandas_udf(lambda numbers: numbers * 2, "long")
    joined = shop.orders.join(shop.customers, F.expr("cust = name"))
    return joined.select(F.expr("concat_ws('-', id, number) AS k"), twice("id").alias("twice"))


def of_groups(shop: Shop) -> DataFrame:
    """Aggregate groups with a Python function."""

    def mean(values: Any) -> float:
        return float(values.mean())

    mean.__annotations__ = {"values": _series(), "return": float}
    total: Any = _pandas_udf(mean, "double")
    known = shop.orders.where("cust IS NOT NULL")
    return known.groupBy("cust").agg(total("id").alias("m")).selectExpr("cust AS k", "m")


def of_windows(shop: Shop) -> DataFrame:
    """Aggregate windows with a Python function."""

    def most(values: Any) -> int:
        return int(values.max())

    most.__annotations__ = {"values": _series(), "return": int}
    largest: Any = _pandas_udf(most, "long")
    over = largest("id").over(Window.partitionBy("cust"))
    return shop.orders.withColumn("m", over).select(F.col("id").alias("k"), "m")


def _pandas_udf(function: Callable[..., Any], kind: str) -> Any:
    return vars(F)["pandas_udf"](function, kind)  # the stubs of PySpark lack it


def _series() -> Any:
    import pandas as pd

    return pd.Series


CASES = {
    "scalar": Case(
        scalar,
        lambda: grouped(lambda order: order.id // 2, [each for each in ORDERS if each.id > 1]),
    ),
    "of_series": Case(of_series, lambda: {f"{order.id}-{each.number}": o(order) | c(each)
                                           for order in ORDERS for each in CUSTOMERS
                                           if order.cust is not None and order.cust == each.name}),
    "of_groups": Case(
        of_groups,
        lambda: {
            name: o(*(each for each in ORDERS if each.cust == name))
            for name in ("ann", "bob", "eve")
        },
    ),
    "of_windows": Case(
        of_windows,
        lambda: {str(order.id): o(*(each for each in ORDERS if each.cust == order.cust))
                 for order in ORDERS},
    ),
}  # fmt: skip


DAILY = ("of_windows",)
"""The case that ``test_daily.py`` includes."""


@pytest.mark.long
def test_rows_of_scalar_and_aggregate_functions_are_exact(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    written(CASES, tmp_path, houses(), spark).check_all()


def in_pandas(frames: Iterator[Any]) -> Iterator[Any]:
    """Return each row with the ids of all rows in its task; a task without rows returns one row."""
    import pandas as pd

    every = pd.concat([pd.DataFrame({"id": []}, dtype="int64"), *frames])
    ids = ",".join(map(str, sorted(every["id"])))
    task = TaskContext.get()
    none = pd.DataFrame({"k": [-1 - (task.partitionId() if task else 0)], "of": [""]})
    yield pd.DataFrame({"k": every["id"], "of": ids}) if len(every) else none


def in_arrow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    ids = [each for batch in batches for each in batch.column("id").to_pylist()]
    of = ",".join(map(str, sorted(ids)))
    yield pa.RecordBatch.from_pydict(
        {"k": pa.array(ids, pa.int64()), "of": pa.array([of] * len(ids), pa.string())}
    )


@pytest.mark.long
def test_rows_of_a_task_derive_from_all_rows_of_the_task(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    orders = spark.read.parquet(str(tmp_path / "orders")).select("id", "cust")
    pandas, arrow = nested(in_pandas), nested(in_arrow)
    frames = {
        "pandas": orders.repartition(5, "id").mapInPandas(pandas, TASKS),
        "sorted": orders.repartition(3, "id").mapInPandas(pandas, TASKS).orderBy("k"),
        "arrow": orders.where("id < 8").repartition(4, "id").mapInArrow(arrow, TASKS),
    }
    house = houses()
    with house.capture(keys={"orders": "id"} | dict.fromkeys(frames, "k")) as run:
        for name, frame in frames.items():
            frame.write.parquet(str(tmp_path / name))
    house.check()
    assert run.report
    assert all(any("mapIn" in each for each in write.supersets) for write in run.report.writes)
    with house.open() as warehouse:
        for name in frames:
            rows = spark.read.parquet(str(tmp_path / name)).collect()
            assert len({row.of for row in rows}) > 1
            for row in rows:
                expected = {f"orders/{each}" for each in row.of.split(",") if each}
                if expected:
                    found = {each.item for each in warehouse.lineage(f"{name}/{row.k}").items}
                    assert found == expected
