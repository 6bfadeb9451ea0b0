"""A replay on chosen rows gives the same rows as the program run on tables cut to these rows."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.replay_check import Replayed, bag
from helpers.shop import write_shop
from helpers.tpch import write_tpch
from helpers.warehouse import House
from helpers.witnesses import Program, Tables, query, read, rows_of
from provhouse.model.errors import BadInput, UsageError

TPCH = Path(__file__).parent.parent.parent / "capturing" / "tpch"


def self_join(tables: Tables) -> DataFrame:
    orders = tables["orders"]
    other = orders.alias("b")
    return (
        orders.alias("a")
        .join(other, F.expr("a.cust = b.cust AND a.id < b.id"))
        .selectExpr("a.id", "b.id AS other", "b.price")
    )


PROGRAMS: dict[str, Program] = {
    "self-join": self_join,
    "full join": query("SELECT nation, sum(price), count(*) FROM orders FULL JOIN customers "
                       "ON cust = name GROUP BY nation"),
    # A condition on price alone would skip row groups by their statistics. The statistics leave out
    # NaN, so plain Spark would lose rows with NaN in some files and keep them in others.
    "subquery": query("SELECT id, (SELECT max(nation) FROM customers) FROM orders WHERE price + 0 >"
                      " (SELECT avg(price) FROM orders WHERE price < 100)"),
    "union": query("SELECT cust FROM orders UNION ALL SELECT name FROM customers UNION ALL "
                   "SELECT max(cust) FROM orders UNION ALL SELECT 'a literal'"),
    "anti": query("SELECT id FROM orders WHERE cust NOT IN (SELECT name FROM customers "
                  "WHERE name IS NOT NULL)"),
    "window": query("SELECT id, sum(price) OVER (PARTITION BY cust ORDER BY id) FROM orders"),
    "nothing": query("SELECT count(*), sum(price) FROM orders WHERE price < -1"),
}  # fmt: skip
DAILY = "self-join"
WAYS = ((False, False), (True, True), (True, False), (False, True))
"""For each replay: whether it keeps the chosen rows or all others, and whether many are chosen."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of an example shop."""
    folder = tmp_path_factory.mktemp("a shop, ünd")
    write_shop(folder)
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "ways"),
    [(DAILY, 2), *(pytest.param(name, 4, marks=pytest.mark.long) for name in PROGRAMS)],
)
def test_a_replay_is_a_run_on_reduced_tables(
    name: str, ways: int, spark: SparkSession, shop: Path, tmp_path: Path
) -> None:
    found = Replayed.of(spark, PROGRAMS[name], shop, tmp_path)
    for seed, (only, many) in enumerate(WAYS[:ways]):
        found.check(found.choose(0.4, seed), only, tmp_path / f"cut{seed}", many)


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TPC-H tables, at a scale factor of 0.001."""
    folder = tmp_path_factory.mktemp("tpch")
    write_tpch(folder, 0.001)
    return folder


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(path.stem for path in TPCH.glob("*.sql")))
def test_queries_of_tpch_are_replayed(
    name: str, spark: SparkSession, tpch: Path, tmp_path: Path
) -> None:
    program = query((TPCH / f"{name}.sql").read_text(encoding="utf-8"))
    found = Replayed.of(spark, program, tpch, tmp_path)
    found.check(found.choose(0.02, 1), False, tmp_path / "without")
    found.check(found.choose(0.9, 2), True, tmp_path / "only", many=True)


def write_log(spark: SparkSession, folder: Path) -> None:
    lines = ["ERROR 40 x", "ok", "ERROR 7 Guest", "ERROR 40 Guest", "ERROR 3 y", "ERROR 3 Guest"]
    frame = spark.createDataFrame([(n, line) for n, line in enumerate(lines)], "n int, line string")
    frame.repartition(2).write.parquet(str(folder / "log"))


@pytest.mark.long
def test_without_user_guest_through_two_writes(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """The third example of Titian's paper. The report reads a table that the same block wrote."""
    write_log(spark, tmp_path)
    spark.range(3).write.parquet(str(tmp_path / "names"))
    log, names = (spark.read.parquet(str(tmp_path / name)) for name in ("log", "names"))
    with houses().capture(keys={"log": "n", "errors": "n", "codes": "code"}) as run:
        found = log.where("line LIKE 'ERROR%'").selectExpr("n", "split(line, ' ')[1] AS code")
        found.write.partitionBy("code").parquet(str(tmp_path / "errors"))
        errors = spark.read.parquet(str(tmp_path / "errors"))
        codes = errors.groupBy("code").count()
        codes.write.parquet(str(tmp_path / "codes"))
        names.write.parquet(str(tmp_path / "copy"))

    guest = run.trace("log").where("line LIKE '%Guest%'")
    assert bag(rows_of(run.replay(codes, without=guest))) == bag([(40, 1), (3, 1)])
    row = run.trace("codes").where("code = 3")
    assert rows_of(row.replay(codes)) == [(3, 2)]
    assert rows_of(row.replay(codes, without=guest)) == [(3, 1)]
    third = run.trace("errors").where("code = 3")  # a table that the block itself wrote
    assert bag(rows_of(run.replay(codes, without=third))) == bag([(40, 2), (7, 1)])

    with pytest.raises(UsageError, match="groups of an operator"):
        run.replay(codes, without=row.go_back())
    with pytest.raises(UsageError, match="does not read the tables of the cursor's rows"):
        run.replay(codes, without=row)
    with pytest.raises(UsageError, match="does not read the tables of the cursor's rows"):
        run.replay(names, without=guest)
    lines = spark.createDataFrame([(1, "a")], "n int, line string").rdd.toDF()
    with pytest.raises(UsageError, match="neither Parquet nor Delta"):
        run.replay(lines.union(log), without=guest)
    log.write.csv(str(tmp_path / "csv"))
    with pytest.raises(UsageError, match="neither Parquet nor Delta"):
        run.replay(spark.read.csv(str(tmp_path / "csv")), without=guest)
    cached = log.where("n > 1").cache()
    try:
        with pytest.raises(UsageError, match="cached"):
            run.replay(cached.groupBy("line").count(), without=guest)
    finally:
        cached.unpersist()
    log.limit(1).write.mode("append").parquet(str(tmp_path / "log"))
    with pytest.raises(BadInput, match="a file that the block did not read"):
        run.replay(spark.read.parquet(str(tmp_path / "log")).distinct(), without=guest)
    for path in (tmp_path / "log").glob("part-*"):
        os.utime(path, (1, 1))
    with pytest.raises(BadInput):
        run.replay(found, without=guest)


@pytest.mark.long
def test_delta_and_partitioned_tables_are_replayed(
    houses: Callable[..., House], spark: SparkSession, shop: Path, tmp_path: Path
) -> None:
    tables = read(spark, shop)
    tables["orders"].write.format("delta").save(str(tmp_path / "orders"))
    once = tables["customers"].where("number <> 3")
    once.write.partitionBy("nation").parquet(str(tmp_path / "customers"))
    orders = spark.read.format("delta").load(str(tmp_path / "orders"))
    customers = spark.read.parquet(str(tmp_path / "customers"))

    def report(orders: DataFrame, customers: DataFrame) -> DataFrame:
        joined = orders.join(customers, F.col("cust") == F.col("name"), "left")
        return joined.groupBy("nation").agg(F.sum("price"), F.count("*"))

    for pruned in (False, True):
        some = customers.where("nation = 1") if pruned else customers
        frame = report(orders, some)
        with houses().capture() as run:
            frame.write.parquet(str(tmp_path / f"report{pruned}"))
        dropped = run.trace("orders").where("id % 2 = 0")
        expected = report(orders.where("id % 2 <> 0"), some)
        assert bag(rows_of(run.replay(frame, without=dropped))) == bag(rows_of(expected))
        ann = run.trace("customers").where("name = 'ann'")
        expected = report(orders, some.where("NOT name <=> 'ann'"))
        assert bag(rows_of(run.replay(frame, without=ann))) == bag(rows_of(expected))
        row = run.trace(f"report{pruned}").where("nation = 1")
        assert bag(rows_of(row.replay(frame))) == bag(rows_of(frame.where("nation = 1")))
