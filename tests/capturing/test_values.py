"""Stored values of aggregates' source rows: what-if figures after a deletion equal a rerun's."""

from collections.abc import Callable, Iterable
from math import isclose
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.warehouse import House

ORDERS = pa.table(
    {
        "k": range(1, 11),
        "cust": ["ann", "ann", "ann", "bob", "bob", "cid", "cid", "dan", None, None],
        "amount": [8, 7, -3, 9, -4, 6, 6, 30, 5, 0],
        "price": pa.array([1.1, 2.25, 0.1, 7.5, 7.5, 3.0, 1.0, 9.99, 2.5, 0.5]).cast(
            pa.decimal128(7, 2)
        ),
        "wide": pa.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).cast(pa.decimal128(30, 5)),
        "weight": [0.1, 0.2, 0.3, -0.0, 1e-9, 2.5, 2.5, 7.0, 1e300, 3.0],
        "rare": pa.array([None, 2, 3, None, None, 5, 6, 7, 8, 9], pa.int32()),
    }
)
CUSTOMERS = ("ann", "bob", "cid", "dan", "none")
BY = "coalesce(cust, 'none')"
VALUES = {
    "sums": "sum(amount)",
    "least": "min(price)",
    "most": "max(weight)",
    "means": "avg(price)",
    "prices": "sum(price)",
    "wides": "sum(wide)",
    "products": "sum(amount * weight)",
    "mixed": "avg(amount + 0.5)",
    "shifted": "sum(amount) + 1",
}
"""Aggregates of a single function; provhouse can recompute them after a deletion."""
OTHERS = {
    "distinct": "sum(DISTINCT amount)",
    "some": "sum(amount) FILTER (WHERE amount > 0)",
    "two": "sum(amount) AS a, sum(price)",
    "both": "sum(amount) AS a, count(*)",
    "any": "first(amount)",
    "days": "max(cust)",
}
"""Aggregates that provhouse cannot recompute after a deletion."""
FEW = ("sums", "means", "two")


@pytest.fixture(scope="module")
def captured(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., House]:
    """Return a function that captures one block, which writes a table for each aggregate."""

    def run(aggregates: dict[str, str], *, values: bool = True) -> House:
        house, folder = houses(), tmp_path_factory.mktemp("jobs")
        _write_orders(folder)
        orders = spark.read.parquet(str(folder / "orders"))
        orders.createOrReplaceTempView("orders")
        keys = dict.fromkeys(("orders", *aggregates, "all"), "k")
        with house.capture(keys=keys, values=values) as block:
            for name, each in aggregates.items():
                rows = spark.sql(f"SELECT {BY} AS k, {each} AS v FROM orders GROUP BY {BY}")
                rows.coalesce(1).write.parquet(str(folder / name))
            spark.read.parquet(str(folder / next(iter(aggregates)))).createOrReplaceTempView("t")
            rows = spark.sql("SELECT 'all' AS k, sum(v) AS v FROM t")
            rows.write.parquet(str(folder / "all"))
        assert block.report
        assert not block.report.error
        return house

    return run


def _write_orders(folder: Path) -> None:
    (folder / "orders").mkdir()
    for number, start in enumerate((0, 4)):  # two files of different lengths
        rows = ORDERS.slice(start, 4 if start == 0 else 6)
        pq.write_table(rows, folder / "orders" / f"{number}.parquet")


def figures(aggregates: Iterable[str], without: int = 0) -> dict[tuple[str, str], float | None]:
    """Return each group's figure by (aggregate, group), computed without the order ``without``."""
    with duckdb.connect() as database:
        database.register("arrow", ORDERS)
        database.execute(f"CREATE TABLE orders AS FROM arrow WHERE k <> {without}")
        return {
            (name, str(cust)): None if value is None else float(value)
            for name in aggregates
            for cust, value in database.execute(
                f"SELECT {BY}, CAST({VALUES[name]} AS DOUBLE) FROM orders GROUP BY {BY}"
            ).fetchall()
        }


def check(house: House, aggregates: Iterable[str], every: int = 1) -> None:
    """For each ``every``-th order, compare the what-if answer with figures computed without it."""
    names = list(aggregates)
    before = figures(names)
    with house.open() as warehouse:
        for key in ORDERS["k"].to_pylist()[::every]:
            after, changed = figures(names, key), dict[tuple[str, str], tuple[float, float]]()
            found = warehouse.what_if(f"orders/{key}")
            for row in found.changed:
                name, cust = row.table, row.item.partition("/")[2].partition("@")[0]
                if name != "all":
                    assert row.after is not None
                    changed[name, cust] = row.before, row.after
            for group, figure in after.items():
                old, new = changed.get(group, (before[group], before[group]))
                shift = 1 if group[0] == "shifted" and group in changed else 0
                assert old is not None, group
                assert new is not None, group
                assert isclose(old + shift, before[group] or 0, rel_tol=1e-9), (key, group)
                assert isclose(new + shift, figure or 0, rel_tol=1e-9, abs_tol=1e-12), (key, group)
            assert not {row.table for row in found.unknown} & {*names}


@pytest.mark.long
def test_figures_are_those_of_the_jobs_run_again(captured: Callable[..., House]) -> None:
    aggregates = VALUES | OTHERS
    house = captured({name: aggregates[name] for name in FEW})
    check(house, [name for name in FEW if name in VALUES], every=3)
    with house.open() as warehouse:
        found = warehouse.what_if("orders/1")
        unknown = {row.table for row in found.unknown}
        assert unknown == {name for name in FEW if name in OTHERS}
        (total,) = [row for row in found.changed if row.table == "all"]
        assert (total.before, total.after) == (64, 56)  # a figure is carried on to the next job


@pytest.mark.long
def test_figures_of_all_types_are_those_of_the_jobs_run_again(
    captured: Callable[..., House],
) -> None:
    house = captured(VALUES | OTHERS)
    check(house, VALUES)
    with house.open() as warehouse:
        assert {row.table for row in warehouse.what_if("orders/1").unknown} == {*OTHERS}


@pytest.mark.long
def test_null_and_what_was_not_asked_for_are_not_known(captured: Callable[..., House]) -> None:
    with captured({"rares": "sum(rare)"}).open() as warehouse:
        assert {row.item.partition("@")[0] for row in warehouse.what_if("orders/2").unknown} == {
            "rares/ann",
            "all/all",
        }
        (changed, *_) = warehouse.what_if("orders/6").changed
        assert (changed.before, changed.after) == (11, 6)
    with captured({"sums": VALUES["sums"]}, values=False).open() as warehouse:
        found = warehouse.what_if("orders/1")
        assert {row.reason for row in found.unknown} >= {"an input has no value"}
        assert not found.changed
