"""For each kind of operator, cursors lead to exactly the rows that an ingest records."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.lineage_cases import Shop
from helpers.shop import write_shop
from helpers.trace_check import Traced


@pytest.fixture(scope="module")
def shop(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """The tables of an example shop, as frames."""
    folder = tmp_path_factory.mktemp("a shop, ünd")
    write_shop(folder)
    return Shop(*(spark.read.parquet(str(folder / name)) for name in ("orders", "customers")))


def joined(shop: Shop) -> DataFrame:
    return shop.orders.join(shop.customers, F.col("cust") == F.col("name"), "full")


def sql(text: str) -> Callable[[Shop], DataFrame]:
    def frame(shop: Shop) -> DataFrame:
        shop.orders.createOrReplaceTempView("orders")
        shop.customers.createOrReplaceTempView("customers")
        return shop.orders.sparkSession.sql(text)

    return frame


PROGRAMS = {
    "aggregate of a join": lambda shop: joined(shop).groupBy("nation").agg(F.sum("price")),
    "chain": sql(
        "SELECT n, count(*) FROM (SELECT cust, count(*) AS n FROM orders GROUP BY cust) GROUP BY n"
    ),
    "rows": sql("SELECT id, number FROM orders LEFT JOIN customers ON cust = name"),
    "semi": sql("SELECT id FROM orders WHERE small IN (SELECT number FROM customers)"),
    "semi with a comparison": sql(
        "SELECT id FROM orders l WHERE EXISTS "
        "(SELECT 1 FROM orders r WHERE r.cust = l.cust AND r.small <> l.small)"
    ),
    "semi without a key": sql(
        "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM customers WHERE number > id)"
    ),
    "known": sql(
        "SELECT id, lag(fee) IGNORE NULLS OVER (PARTITION BY cust ORDER BY id), "
        "last_value(small) IGNORE NULLS OVER (PARTITION BY cust ORDER BY day) FROM orders"
    ),
    "anti": sql("SELECT id FROM orders WHERE cust NOT IN (SELECT name FROM customers "
                "WHERE name IS NOT NULL)"),
    "exists or": sql(
        "SELECT id FROM orders WHERE small = 1 OR EXISTS "
        "(SELECT 1 FROM customers WHERE number = small)"
    ),
    "subquery": sql("SELECT id, (SELECT max(nation) FROM customers) FROM orders WHERE price > "
                    "(SELECT avg(price) FROM orders WHERE price < 100)"),
    "union": sql("SELECT cust FROM orders UNION ALL SELECT name FROM customers "
                 "UNION ALL SELECT max(name) FROM customers"),
    "rollup": sql("SELECT cust, small, count(*) FROM orders GROUP BY ROLLUP (cust, small)"),
    "whole partitions": sql("SELECT id, sum(fee) OVER (PARTITION BY cust) FROM orders"),
    "running sums": sql("SELECT id, sum(price) OVER (PARTITION BY cust ORDER BY id) FROM orders"),
    "frames": sql(
        "SELECT id, sum(price) OVER (PARTITION BY cust ORDER BY id ROWS BETWEEN 1 PRECEDING AND "
        "CURRENT ROW), lag(id) OVER (PARTITION BY cust ORDER BY id) FROM orders"
    ),
    "ranks": sql("SELECT id, rank() OVER (ORDER BY small), dense_rank() OVER (ORDER BY small) "
                 "FROM orders"),
    "group of windows": sql(
        "SELECT s, count(*) FROM (SELECT sum(small) OVER (PARTITION BY cust ORDER BY id ROWS "
        "BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS s FROM orders) GROUP BY s"
    ),
    "nothing": sql("SELECT 'all', sum(price) FROM orders WHERE price < -1"),
    "no rows": sql("SELECT cust, sum(price) FROM orders WHERE price < -1 GROUP BY cust"),
}  # fmt: skip


DAILY = "group of windows"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "deep"),
    [(DAILY, False), *(pytest.param(name, True, marks=pytest.mark.long) for name in PROGRAMS)],
)
def test_steps_lead_to_the_rows_that_an_ingest_finds(
    name: str,
    deep: bool,
    spark: SparkSession,
    shop: Shop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The usual test checks one row in each direction. `test_traces` tests ids in frames."""
    found = Traced.of(spark, PROGRAMS[name](shop), tmp_path)
    found.check(3 if deep else 1)
    if deep:
        found.check_frames(monkeypatch)
