"""If a function is declared to work row by row, its lineage is exact, or the job fails."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.lineage_cases import Case, Lineage, Shop, c, grouped, o, written
from helpers.pickled import nested
from helpers.shop import CUSTOMERS, ORDERS, Customer, Order, write_shop
from helpers.warehouse import House

EVEN = [order for order in ORDERS if order.id % 2 == 0]


@pytest.fixture(autouse=True)
def small_batches(spark: SparkSession) -> Iterator[None]:
    """Pass at most two rows at a time to a function."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "2")
    yield
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def twice_in_pandas(frames: Iterator[Any]) -> Iterator[Any]:
    """Add a column to each given frame in place, and yield the same frame."""
    for frame in frames:
        frame["twice"] = frame["id"] * 2
        yield frame


def unnamed(frames: Iterator[Any]) -> Iterator[Any]:
    """Yield columns without names, which Spark identifies by position."""
    for frame in frames:
        yield frame.set_axis(range(len(frame.columns)), axis=1)


def twice_in_arrow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"k": batch.column("k")})


def even_reversed(frames: Iterator[Any]) -> Iterator[Any]:
    """Yield the even rows in reverse order.

    Each row is a frame. So a batch without even rows yields no frame, and a batch with two even
    rows yields two frames.
    """
    for frame in frames:
        kept = frame.assign(place=range(len(frame)))[frame["id"] % 2 == 0]
        for at in reversed(range(len(kept))):
            yield kept.iloc[[at]]


def repeated(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield each row as many times as its id states, but at most three times."""
    for batch in batches:
        rows = [
            (f"{number}-{copy}", at)
            for at, number in enumerate(batch.column("id").to_pylist())
            for copy in range(min(number, 3))
        ]
        yield pa.RecordBatch.from_pydict(
            {"place": pa.array([at for _, at in rows], pa.int32()), "k": [key for key, _ in rows]}
        )


def declared(function: Callable[..., Any], positions: str | None = None) -> Any:
    return provhouse.row_by_row(nested(function), positions=positions)


def of_outer_join(shop: Shop) -> DataFrame:
    joined = shop.orders.join(shop.customers, F.expr("cust = name"), "left")
    rows = joined.select("id", F.expr("concat_ws('-', id, number) AS k"))
    return rows.mapInPandas(declared(twice_in_pandas), "id long, k string, twice long")


def of_groups(shop: Shop) -> DataFrame:
    groups = shop.orders.groupBy("cust").agg(F.min("id").alias("k"))
    rows = groups.select("k").mapInArrow(declared(twice_in_arrow), "k long")
    return rows.mapInPandas(declared(unnamed), "k long")


def of_even(shop: Shop) -> DataFrame:
    """Return rows with a column named ``schema``, like an attribute of Arrow's batches."""
    orders = shop.orders.selectExpr("id", "small AS schema")
    rows = orders.mapInPandas(declared(even_reversed, "place"), "id long, schema int")
    return rows.selectExpr("id AS k")


def of_repeated(shop: Shop) -> DataFrame:
    return shop.orders.mapInArrow(declared(repeated, "place"), "k string")


def customers_of(order: Order) -> list[Customer]:
    return [one for one in CUSTOMERS if order.cust and one.name == order.cust]


def joined_rows() -> Lineage:
    """Return the lineage of orders joined with customers, including orders without a customer."""
    found = {f"{order.id}": o(order) for order in ORDERS if not customers_of(order)}
    return found | {
        f"{order.id}-{each.number}": o(order) | c(each)
        for order in ORDERS
        for each in customers_of(order)
    }


CASES = {
    "of_outer_join": Case(of_outer_join, joined_rows),
    "of_groups": Case(of_groups, lambda: grouped(lambda order: order.cust)),
    "of_even": Case(of_even, lambda: {f"{order.id}": o(order) for order in EVEN}),
    "of_repeated": Case(
        of_repeated,
        lambda: {
            f"{order.id}-{copy}": o(order) for order in ORDERS for copy in range(3)[: order.id]
        },
    ),
}


DAILY = ("of_groups",)
"""The case that ``test_daily.py`` includes."""


@pytest.mark.long
def test_rows_of_declared_functions_are_exact(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    done = written(CASES, tmp_path, houses(), spark)
    done.check_all()
    with done.house.open() as warehouse:
        assert {each.exactness for each in warehouse.ops()} <= {"exact", "absence"}


def drops_rows(frames: Iterator[Any]) -> Iterator[Any]:
    for frame in frames:
        yield frame[frame["id"] != 3]


def joins_batches(frames: Iterator[Any]) -> Iterator[Any]:
    import pandas as pd

    yield pd.concat(list(frames))


def returns_twice(frames: Iterator[Any]) -> Iterator[Any]:
    for frame in frames:
        yield frame
        yield frame


def returns_nothing(frames: Iterator[Any]) -> Iterator[Any]:
    next(frames, None)
    yield from ()


def from_beyond(frames: Iterator[Any]) -> Iterator[Any]:
    for frame in frames:
        yield frame.assign(place=len(frame))


@pytest.mark.parametrize(
    ("function", "positions"),
    [
        (drops_rows, None),
        (from_beyond, "place"),
        pytest.param(joins_batches, None, marks=pytest.mark.long),
        pytest.param(returns_twice, None, marks=pytest.mark.long),
        pytest.param(returns_nothing, None, marks=pytest.mark.long),
        pytest.param(drops_rows, "place", marks=pytest.mark.long),
    ],
)
def test_a_function_that_is_not_row_by_row_fails_with_its_name(
    spark: SparkSession, tmp_path: Path, function: Callable[..., Any], positions: str | None
) -> None:
    write_shop(tmp_path)
    orders = spark.read.parquet(str(tmp_path / "orders")).select("id").coalesce(1)
    rows = orders.mapInPandas(declared(function, positions), "id long")
    with pytest.raises(Exception, match=f"{function.__name__} is not row by row"):
        rows.collect()
