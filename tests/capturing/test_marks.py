"""``run.mark`` makes a job's intermediate rows items, with lineage upstream and downstream."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.lineage_cases import Shop, c, o
from helpers.sampled import one_in
from helpers.shop import CUSTOMERS, ORDERS, Order, write_shop
from helpers.warehouse import House
from provhouse.model.errors import BadInput, UsageError

KEYS: dict[str, str | list[str]] = {
    "orders": "id", "customers": "number", "cleaned": "id", "pairs": ["id", "number"],
    "totals": "name", "report": "k", "copy": "k", "joined": "k",
}  # fmt: skip


def keys(*tables: str) -> dict[str, str | list[str]]:
    return {table: KEYS[table] for table in tables}


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Shop:
    """The tables of a shop as frames."""
    write_shop(tmp_path)
    return Shop(*(spark.read.parquet(str(tmp_path / name)) for name in ("orders", "customers")))


def steps(warehouse: provhouse.Warehouse, item: str) -> set[str]:
    """Return the items one step upstream of an item, without versions."""
    return {each.item.split("@")[0] for each in warehouse.lineage(item, depth=1).items}


def sources(warehouse: provhouse.Warehouse, item: str) -> set[str]:
    found = {each.item for each in warehouse.lineage(item).items}
    return {each for each in found if each.startswith(("orders/", "customers/"))}


def of(name: str) -> list[Order]:
    return [order for order in ORDERS if order.cust == name]


@pytest.mark.long
def test_lineage_leads_through_marked_rows(
    houses: Callable[..., House], spark: SparkSession, shop: Shop, tmp_path: Path
) -> None:
    """Lineage leads from each mark to the next, and no mark changes the rows that are written.

    The marks are above a filter, a join and an aggregate.
    """

    def frame(mark: Callable[[DataFrame, str], DataFrame]) -> DataFrame:
        cleaned = mark(shop.orders.where("cust IS NOT NULL"), "cleaned")
        pairs = mark(cleaned.join(shop.customers, F.expr("cust = name")), "pairs")
        totals = pairs.groupBy("name").agg(F.count("*").alias("n"), F.max("nation").alias("nation"))
        report = mark(totals, "totals").groupBy("n").agg(F.count("nation"))
        return report.withColumnRenamed("n", "k").orderBy("k")

    house = houses()
    with house.capture(
        keys=keys("orders", "customers", "cleaned", "pairs", "totals", "report")
    ) as run:
        frame(run.mark).write.parquet(str(tmp_path / "report"))
    plain, written = frame(lambda rows, _: rows), spark.read.parquet(str(tmp_path / "report"))
    assert written.schema.simpleString() == plain.schema.simpleString()
    assert sorted(written.collect()) == sorted(plain.collect())
    house.check()
    assert run.report
    matches = [(order, each) for order in ORDERS for each in CUSTOMERS
               if order.cust is not None and order.cust == each.name]  # fmt: skip
    assert {mark.table: mark.rows for mark in run.report.marks} == {
        "cleaned": len([order for order in ORDERS if order.cust]),
        "pairs": len(matches),
        "totals": len({order.cust for order, _ in matches}),
    }
    by_count: dict[int, set[str]] = {}
    with house.open() as warehouse:
        for order, each in matches:
            item = f"pairs/{order.id}/{each.number}"
            assert steps(warehouse, item) == {f"cleaned/{order.id}"} | c(each)
            assert steps(warehouse, f"cleaned/{order.id}") == o(order)
        for name in {order.cust for order, _ in matches if order.cust}:
            found = [(order, each) for order, each in matches if order.cust == name]
            items = {f"pairs/{order.id}/{each.number}" for order, each in found}
            assert steps(warehouse, f"totals/{name}") == items
            by_count.setdefault(len(found), set()).add(name)
        for count, names in by_count.items():
            assert steps(warehouse, f"report/{count}") == {f"totals/{name}" for name in names}
            every = [(order, each) for order, each in matches if order.cust in names]
            expected = {item for order, each in every for item in o(order) | c(each)}
            assert sources(warehouse, f"report/{count}") == expected


@pytest.mark.long
def test_a_cached_mark_is_one_version_for_all_writes(
    houses: Callable[..., House], shop: Shop, spark: SparkSession, tmp_path: Path
) -> None:
    """The marked rows are drawn at random, but two writes and a self-join use the same rows."""
    house = houses()
    with house.capture(keys=keys("orders", "cleaned", "report", "copy", "joined")) as run:
        drawn = shop.orders.withColumn("g", F.expr("cast(rand() * 4 AS int)"))
        groups = drawn.groupBy("g").agg(F.min("id").alias("id"), F.collect_list("id").alias("of"))
        cleaned = run.mark(groups, "cleaned").cache()
        cleaned.selectExpr("g AS k", "id", "of").write.parquet(str(tmp_path / "report"))
        cleaned.selectExpr("g AS k").write.parquet(str(tmp_path / "copy"))
        both = cleaned.alias("a").join(cleaned.alias("b"), F.expr("a.g <= b.g"))
        both = both.selectExpr("concat_ws('-', a.id, b.id) AS k", "a.id AS a", "b.id AS b")
        both.write.parquet(str(tmp_path / "joined"))
    spark.catalog.clearCache()
    house.check()
    assert run.report
    assert len(run.report.marks) == 1
    with house.open() as warehouse:
        for row in spark.read.parquet(str(tmp_path / "report")).collect():
            mark = {f"cleaned/{row.id}"}
            assert steps(warehouse, f"report/{row.k}") == steps(warehouse, f"copy/{row.k}") == mark
            assert steps(warehouse, f"cleaned/{row.id}") == {f"orders/{each}" for each in row.of}
        for row in spark.read.parquet(str(tmp_path / "joined")).collect():
            expected = {f"cleaned/{row.a}", f"cleaned/{row.b}"}
            assert steps(warehouse, f"joined/{row.k}") == expected


@pytest.mark.long
def test_a_mark_changes_nothing_that_is_written(
    houses: Callable[..., House], shop: Shop, spark: SparkSession, tmp_path: Path
) -> None:
    """Two uses select different columns of the mark, so Spark computes the marked rows twice."""

    def frame(mark: Callable[[DataFrame, str], DataFrame]) -> DataFrame:
        totals = shop.orders.where("cust IS NOT NULL").groupBy(F.col("cust").alias("name"))
        marked = mark(totals.agg(F.sum("small").alias("n"), F.max("id").alias("last")), "totals")
        one, two = marked.select("name", "n"), marked.select("name", "last").where("last > 2")
        return one.join(two, "name").selectExpr("name AS k", "n", "last")

    house = houses()
    with house.capture(keys=keys("orders", "totals", "report")) as run:
        frame(run.mark).write.parquet(str(tmp_path / "report"))
    plain, found = frame(lambda rows, _: rows), spark.read.parquet(str(tmp_path / "report"))
    assert found.schema.simpleString() == plain.schema.simpleString()
    assert sorted(found.collect()) == sorted(plain.collect())
    with house.open() as warehouse:
        for row in found.collect():
            assert steps(warehouse, f"report/{row.k}") == {f"totals/{row.k}"}
            assert sources(warehouse, f"report/{row.k}") == o(*of(row.k))


MISTAKES: dict[str, tuple[Callable[[Shop], DataFrame], str]] = {
    "null": (lambda shop: shop.orders.withColumnRenamed("cust", "name"), "NULL"),
    "twice": (
        lambda shop: shop.orders.selectExpr("concat('a', small % 1) AS name").dropna(),
        "not unique",
    ),
    "equal": (
        lambda shop: shop.customers.where("number = 1").select(
            "name", F.explode(F.array(F.lit(1), F.lit(2)))
        ),
        "not unique",
    ),
}


@pytest.mark.parametrize("name", one_in(6, MISTAKES))
def test_a_key_that_does_not_name_marked_rows_is_refused(
    name: str, houses: Callable[..., House], shop: Shop, tmp_path: Path
) -> None:
    frame, error = MISTAKES[name]
    house = houses()
    with pytest.raises(BadInput, match=error), house.capture(keys=KEYS) as run:
        run.mark(frame(shop), "totals").write.parquet(str(tmp_path / "out"))
    assert not house.layout.commits.exists()


@pytest.mark.long
def test_two_frames_that_are_marked_alike_are_refused_if_a_key_has_two_rows(
    houses: Callable[..., House], shop: Shop, tmp_path: Path
) -> None:
    def both(run: provhouse.Capture) -> DataFrame:
        one = run.mark(shop.orders.selectExpr("id"), "cleaned")
        two = shop.customers.selectExpr("cast(number AS bigint) AS id")
        return one.union(run.mark(two, "cleaned"))

    with pytest.raises(BadInput, match="different rows"), houses().capture(keys=KEYS) as run:
        both(run).write.parquet(str(tmp_path / "out"))


@pytest.mark.parametrize(
    ("table", "column"), [("unknown", "id"), ("cleaned", "x"), ("lists", "ids")]
)
def test_a_mark_without_a_key_is_refused_at_once(
    table: str, column: str, houses: Callable[..., House], shop: Shop
) -> None:
    keys = {"orders": "id", "cleaned": "x", "lists": "ids"}
    with pytest.raises(UsageError, match=f"{table}|{column}"), houses().capture(keys=keys) as run:
        run.mark(shop.orders.withColumn("ids", F.array("id")), table)
