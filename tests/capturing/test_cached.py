"""A cached frame's rows have the lineage of the run that filled the cache, or are refused."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.lineage_cases import Case, Lineage, Shop, c, o, written
from helpers.shop import CUSTOMERS, ORDERS, write_shop
from helpers.warehouse import House
from provhouse.model.errors import UsageError

TOTALS = "captured_totals"


@pytest.fixture(autouse=True)
def nothing_cached(spark: SparkSession) -> Iterator[None]:
    """Remove all caches after each test, because the tests share one session."""
    spark.catalog.clearCache()
    yield
    spark.catalog.clearCache()


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Shop:
    """The tables of a shop as frames, which are created again for each test."""
    write_shop(tmp_path)
    return Shop(*(spark.read.parquet(str(tmp_path / name)) for name in ("orders", "customers")))


def kept(shop: Shop) -> DataFrame:
    return shop.orders.where("small > 0").cache().where("id < 9").select(F.col("id").alias("k"))


def with_source(shop: Shop) -> DataFrame:
    """Join a cached frame with its source, which Spark reads again for the join."""
    cached = shop.orders.where("id < 4").join(shop.customers, F.expr("cust = name")).persist()
    cached.count()
    both = shop.orders.alias("l").join(cached.alias("r"), F.expr("l.cust = r.cust"))
    return both.selectExpr("concat_ws('-', l.id, r.id, r.number) AS k")


def with_total(shop: Shop) -> DataFrame:
    """Use a cached aggregate of a cached frame, and aggregate it again."""
    known = shop.orders.where("cust IS NOT NULL").cache()
    totals = known.groupBy("cust").agg(F.sum("price").alias("total"), F.count("*").alias("n"))
    totals.cache().limit(1).collect()
    best = totals.groupBy("n").agg(F.max("cust").alias("cust"))
    return known.join(best, "cust").selectExpr("id AS k", "n")


def with_total_expected() -> Lineage:
    """Return the expected lineage: Ann and Bob have three orders each, and Eve has one."""
    known = [order for order in ORDERS if order.cust is not None]
    many = o(*(order for order in known if order.cust != "eve"))
    return {str(order.id): o(order) if order.cust == "eve" else many
            for order in known if order.cust != "ann"}  # fmt: skip


def by_sql(shop: Shop) -> DataFrame:
    session = shop.orders.sparkSession
    shop.orders.createOrReplaceTempView("captured_cached_orders")
    session.catalog.dropTempView(TOTALS)
    session.sql(
        f"CACHE TABLE {TOTALS} AS"
        " SELECT cust, min(id) AS k, count(*) AS n FROM captured_cached_orders GROUP BY cust"
    )
    return session.table(TOTALS).where("n = 3").select("k", "n")


def absent(shop: Shop) -> DataFrame:
    joined = shop.orders.join(shop.customers, F.expr("cust = name"), "anti").cache()
    return joined.selectExpr("id AS k").union(joined.selectExpr("id + 100 AS k"))


CASES = {
    "kept": Case(
        kept,
        lambda: {str(each.id): o(each) for each in ORDERS if each.small and each.id < 9},
    ),
    "with_source": Case(
        with_source,
        lambda: {f"{one.id}-{two.id}-{each.number}": o(one, two) | c(each)
                 for one in ORDERS for two in ORDERS[:3] for each in CUSTOMERS
                 if one.cust is not None and one.cust == two.cust == each.name},
    ),
    "with_total": Case(with_total, with_total_expected),
    "by_sql": Case(
        by_sql,
        lambda: {str(min(each.id for each in ORDERS if each.cust == cust)):
                 o(*(each for each in ORDERS if each.cust == cust)) for cust in ("ann", "bob")},
    ),
    "absent": Case(
        absent,
        lambda: {str(each.id + more): o(each) for each in ORDERS for more in (0, 100)
                 if each.cust not in {customer.name for customer in CUSTOMERS} - {None}},
    ),
}  # fmt: skip


DAILY = ("with_source",)
"""The case that ``test_daily.py`` includes."""


@pytest.mark.long
def test_rows_of_a_cache_derive_from_exactly_their_rows(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    written(CASES, tmp_path, houses(), spark).check_all()


@pytest.mark.long
def test_random_rows_have_the_lineage_of_what_was_cached(
    houses: Callable[..., House], shop: Shop, spark: SparkSession, tmp_path: Path
) -> None:
    """Spark draws the groups only once. A row lists its group's orders, so its lineage is known."""
    house = houses()
    with house.capture(keys={"orders": "id", "one": "k", "two": "k", "three": "k"}):
        drawn = shop.orders.withColumn("k", F.expr("cast(rand() * 4 AS int)"))
        groups = drawn.groupBy("k").agg(F.collect_list("id").alias("ids")).cache()
        groups.write.parquet(str(tmp_path / "one"))
        groups.where("size(ids) > 1").write.parquet(str(tmp_path / "two"))
        groups.write.format("delta").save(str(tmp_path / "three"))
    house.check()
    every = {(row.k, *row.ids) for row in groups.collect()}
    with house.open() as warehouse:
        for name in ("one", "two", "three"):
            rows = spark.read.parquet(str(tmp_path / name)).collect()
            assert {(row.k, *row.ids) for row in rows} <= every
            for row in rows:
                found = {item.item for item in warehouse.lineage(f"{name}/{row.k}").items}
                assert found == {f"orders/{order}" for order in row.ids}


def refusal(house: House, frame: DataFrame, out: Path) -> UsageError:
    """Return the error of a write in a block; fail if anything was written."""
    with pytest.raises(UsageError) as error, house.capture():
        frame.write.parquet(str(out))
    assert not out.exists()
    return error.value


@pytest.mark.long
def test_a_frame_that_was_cached_outside_of_the_block_is_refused(
    houses: Callable[..., House], shop: Shop, tmp_path: Path
) -> None:
    house = houses()
    cached = shop.orders.cache()
    assert "outside of the block" in refusal(house, cached, tmp_path / "out").found
    cached.unpersist()
    with house.capture():
        cached = shop.orders.cache()
    assert "outside of the block" in refusal(house, cached, tmp_path / "out").found


@pytest.mark.long
def test_after_the_block_a_cache_writes_nothing_aside(
    houses: Callable[..., House], shop: Shop
) -> None:
    house = houses()
    with house.capture():
        cached = shop.orders.groupBy("cust").count().cache()
        cached.explain()
    assert cached.count() == len({order.cust for order in ORDERS})
    assert not any(house.layout.captured.iterdir())


def test_a_frame_that_cannot_be_captured_can_be_cached(
    houses: Callable[..., House], shop: Shop, spark: SparkSession, tmp_path: Path
) -> None:
    def write() -> None:
        folded = F.expr("named_struct('c', cust COLLATE UTF8_LCASE)")
        cached = shop.orders.groupBy(folded).count().cache()
        assert cached.count()
        cached.write.parquet(str(tmp_path / "out"))

    with pytest.raises(UsageError) as error, houses().capture():
        write()
    assert "Aggregate" in error.value.wanted
    assert "cached" in error.value.found


@pytest.mark.parametrize(
    "name", ["checkpoint", pytest.param("localCheckpoint", marks=pytest.mark.long)]
)
def test_rows_of_a_checkpoint_are_refused(
    name: str, houses: Callable[..., House], shop: Shop, spark: SparkSession, tmp_path: Path
) -> None:
    spark.sparkContext.setCheckpointDir(str(tmp_path / "checkpoints"))
    frame = getattr(shop.orders, name)()
    assert "checkpoint" in refusal(houses(), frame, tmp_path / "out").found
