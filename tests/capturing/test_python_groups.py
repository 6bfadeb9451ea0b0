"""A row from a Python function of groups derives from exactly the rows of its group or groups."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.lineage_cases import Case, Lineage, Shop, c, grouped, o, written
from helpers.pickled import nested
from helpers.shop import CUSTOMERS, ORDERS, Order, write_shop
from helpers.warehouse import House
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.reading.finished import captured_writes
from provhouse.model.errors import UsageError

KN = "k long, n long"
OF_BOTH = "k string, n long"
Frame = Any
"""A pandas data frame."""


def counted(frame: Frame) -> Frame:
    """Return the group's size for each row; also change the given frame in place."""
    frame["n"] = len(frame.columns) * 100 + len(frame)
    return pd.DataFrame({"n": frame["n"], "k": frame["id"]})


def smallest(key: tuple[Any, ...], frame: Frame) -> Frame:
    """Return one row whose columns Spark identifies by position."""
    return pd.DataFrame([[int(frame["id"].min()), len(key)]])


def of_large_groups(frame: Frame) -> Frame:
    """Return a row for each group, except for groups of only one row."""
    return pd.DataFrame({"k": [frame["id"].min()], "n": [1]}) if len(frame) > 1 else pd.DataFrame()


def in_turn(frames: Iterator[Frame]) -> Iterator[Frame]:
    """Yield the rows of a group one by one."""
    for frame in frames:
        for number in sorted(frame["id"]):
            yield pd.DataFrame({"k": [number], "n": [len(frame.columns)]})


def of_table(key: tuple[Any, ...], table: pa.Table) -> pa.Table:
    """Return the rows of a group in two chunks."""
    ids, count = table["id"].to_pylist(), table.num_rows * 100 + table.num_columns
    schema = pa.schema({"n": pa.int64(), "k": pa.int64()})
    parts = ids[:1], ids[1:]
    return pa.concat_tables(pa.table([[count] * len(part), part], schema) for part in parts)


def in_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        ids = pa.array(batch.column("id").to_pylist(), pa.int64())
        yield pa.RecordBatch.from_pydict({"k": ids, "n": pa.array([batch.num_columns] * len(ids))})


def pandas_pair(one: Frame, two: Frame) -> Frame:
    return pd.DataFrame({"k": [_name(one["id"], two["number"])], "n": [len(one.columns)]})


def arrow_pair(key: tuple[Any, ...], one: pa.Table, two: pa.Table) -> pa.Table:
    name = _name(one["id"].to_pylist(), two["number"].to_pylist())
    return pa.table({"k": [name], "n": pa.array([two.num_columns])})


def _name(*sides: Any) -> str:
    return "_".join(".".join(map(str, sorted(side))) for side in sides)


def annotated(function: Callable[..., Any], *types: Any) -> Callable[..., Any]:
    """Return a function annotated with ``types``; the last one is the type of its result.

    PySpark decides by these annotations how it calls the function.
    """
    made = nested(function)
    made.__annotations__ = dict(zip((*_parameters(made), "return"), types, strict=True))
    return made


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def per_row(shop: Shop) -> DataFrame:
    return shop.orders.groupBy("cust").applyInPandas(nested(counted), KN)


def by_price(shop: Shop) -> DataFrame:
    """Group by numbers. In Spark's groups, 0.0 equals -0.0, and NaN equals NaN."""
    return shop.orders.groupBy("price").applyInPandas(nested(smallest), KN)


def by_several(shop: Shop) -> DataFrame:
    groups = shop.orders.groupBy("day", "fee", F.expr("small IS NULL"))
    return groups.applyInPandas(nested(of_large_groups), KN)


def by_list(shop: Shop) -> DataFrame:
    """Group by lists with NULL, and by structs of numbers, in which 0.0 equals -0.0."""
    groups = shop.orders.groupBy(F.array("cust", F.lit(None)), F.struct("price"))
    return groups.applyInPandas(nested(smallest), KN)


def of_all(shop: Shop) -> DataFrame:
    return shop.orders.groupBy().applyInPandas(nested(smallest), KN)


def by_iterator(shop: Shop) -> DataFrame:
    pandas = Iterator[pd.DataFrame]
    return shop.orders.groupBy("small").applyInPandas(annotated(in_turn, pandas, pandas), KN)


def again(shop: Shop) -> DataFrame:
    """Join the result of a function on groups with its source, and aggregate the joined rows."""
    groups = shop.orders.groupBy("cust").applyInPandas(nested(of_large_groups), KN)
    both = shop.orders.select("id").join(groups, F.expr("id = k"))
    return both.groupBy("n").agg(F.min("k").alias("k"))


def by_table(shop: Shop) -> DataFrame:
    return shop.orders.groupBy("large").applyInArrow(nested(of_table), KN)


def by_batches(shop: Shop) -> DataFrame:
    batches = Iterator[pa.RecordBatch]
    return shop.orders.groupBy("day").applyInArrow(annotated(in_batches, batches, batches), KN)


def cogroup(shop: Shop) -> DataFrame:
    both = shop.orders.groupBy("cust").cogroup(shop.customers.groupBy("name"))
    return both.applyInPandas(nested(pandas_pair), OF_BOTH)


def cogroup_arrow(shop: Shop) -> DataFrame:
    known = shop.customers.where("number > 1").groupBy("name")
    return shop.orders.groupBy("cust").cogroup(known).applyInArrow(nested(arrow_pair), OF_BOTH)


def each_of(key: Callable[[Order], object]) -> Lineage:
    """Return the lineage of each order.

    Each order derives from all orders of its group.
    """
    return {str(one.id): o(*(each for each in ORDERS if key(each) == key(one))) for one in ORDERS}


def pairs(first_customer: int = 1) -> Lineage:
    """Return the lineage of pairs of groups. One group of a pair may be empty."""
    customers = [each for each in CUSTOMERS if each.number >= first_customer]
    found = {}
    for name in {each.cust for each in ORDERS} | {each.name for each in customers}:
        left = [each for each in ORDERS if each.cust == name]
        right = [each for each in customers if each.name == name]
        key = _name([each.id for each in left], [each.number for each in right])
        found[key] = o(*left) | c(*right)
    return found


def several(order: Order) -> tuple[object, ...]:
    return order.day, order.fee, order.small is None


def large(lineage: Lineage) -> Lineage:
    return {key: sources for key, sources in lineage.items() if len(sources) > 1}


def joined() -> Lineage:
    """Return the expected lineage: one row, from all orders of customers with several orders."""
    groups = large(grouped(lambda each: each.cust))
    return {"1": set().union(*groups.values())}


CASES = {
    "per_row": Case(per_row, lambda: each_of(lambda order: order.cust)),
    "by_price": Case(by_price, lambda: grouped(lambda order: str(order.price + 0.0))),
    "by_several": Case(by_several, lambda: large(grouped(several))),
    "by_list": Case(by_list, lambda: grouped(lambda order: (order.cust, str(order.price + 0.0)))),
    "of_all": Case(of_all, lambda: {"1": o(*ORDERS)}),
    "by_iterator": Case(by_iterator, lambda: each_of(lambda order: order.small)),
    "again": Case(again, joined),
    "by_table": Case(by_table, lambda: each_of(lambda order: order.large)),
    "by_batches": Case(by_batches, lambda: each_of(lambda order: order.day)),
    "cogroup": Case(cogroup, pairs),
    "cogroup_arrow": Case(cogroup_arrow, lambda: pairs(2)),
}


DAILY = ("cogroup",)
"""The case that ``test_daily.py`` includes."""


@pytest.mark.long
def test_rows_derive_from_exactly_the_rows_of_their_groups(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    written(CASES, tmp_path, houses(), spark).check_all()


@pytest.mark.long
def test_columns_of_functions_have_all_values_that_these_are_given(
    spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    orders = spark.read.parquet(str(tmp_path / "orders"))
    half = F.udf(lambda number: number // 2, "long")
    some = orders.select("cust", half("id").alias("id"), (F.col("small") + 1).alias("more"))
    taps = tmp_path / "taps"
    with capturing(spark, taps, CaptureReports(), {}):
        some.groupBy("cust").applyInPandas(nested(counted), KN).write.parquet(str(tmp_path / "out"))
    (write,) = captured_writes(taps)
    given = {("orders", name) for name in ("cust", "id", "small")}
    assert {name: set(found) for name, found in write.columns.values.items()} == {
        "k": given,
        "n": given,
    }
    assert ("orders", "cust", "group") in write.columns.rows


def test_groups_by_texts_without_case_in_structs_are_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    folded = F.struct(F.expr("cust COLLATE UTF8_LCASE")).alias("folded")
    groups = spark.read.parquet(str(tmp_path / "orders")).groupBy(folded)
    frame = groups.applyInPandas(nested(smallest), KN)
    with pytest.raises(UsageError, match="FlatMapGroupsInPandas"), houses().capture():
        frame.write.parquet(str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
