"""Captured blocks become generations: versions across jobs, refused keys, and failures."""

import inspect
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

import provhouse
from helpers.shop import ORDERS, write_shop
from helpers.warehouse import House
from provhouse.model.derivations import ROLES
from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.reports import read_reports

KEYS = {"orders": "id", "totals": "cust"}


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse to which all tests in this file add generations."""
    return houses()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with the tables of an example shop."""
    write_shop(tmp_path)
    return tmp_path


@pytest.fixture
def orders(shop: Path, spark: SparkSession) -> DataFrame:
    """The orders that have a customer, read by a relative path."""
    assert spark._jvm
    # the folder in which Spark's JVM runs may differ
    here = spark._jvm.java.lang.System.getProperty("user.dir")
    return spark.read.parquet(os.path.relpath(shop / "orders", here)).where("cust is not null")


def items(warehouse: provhouse.Warehouse, item: str, depth: int | None = None) -> set[str]:
    return {found.item for found in warehouse.lineage(item, depth=depth).items}


def of(cust: str) -> set[str]:
    return {f"orders/{order.id}" for order in ORDERS if order.cust == cust}


def writers(house: House) -> int:
    """Return the number of writers that have begun, according to the log of writers."""
    log = house.layout.logs / "writers.jsonl"
    return log.read_text().count('"event": "begins"') if log.exists() else 0


@pytest.mark.long
def test_lineage_goes_through_the_versions_of_several_nights(
    house: House, shop: Path, orders: DataFrame, spark: SparkSession
) -> None:
    """Each night reads what the previous night wrote, although both write the same table."""
    totals, versions = [str(shop / night / "totals") for night in ("1", "2", "3")], []
    before = writers(house)
    for night, path in enumerate(totals):
        with house.capture(keys=KEYS, run=f"night {night}") as run:
            if night == 0:
                frame = orders.groupBy("cust").agg(F.sum("id").alias("total"))
            else:
                frame = spark.read.parquet(totals[night - 1]).selectExpr("cust", "total + 1 total")
            frame.write.parquet(path)
        assert run.report
        versions.append(run.report.writes[0].version)
    assert writers(house) - before == 3  # a landing takes the writer's lock once
    house.check()
    first, second, third = (f"totals/ann@{version}" for version in versions)
    assert versions == sorted(set(versions))
    with house.open() as warehouse:
        assert items(warehouse, "totals/ann") == {first, second} | of("ann")
        assert items(warehouse, third, depth=1) == {second}
        assert items(warehouse, second, depth=1) == {first}
        (op,) = {triple.op for triple in warehouse.lineage(first).triples}
        assert op == "totals: aggregate by cust"
        (described,) = (each for each in warehouse.ops() if each.op == op)
    assert (described.kind, described.exactness, described.job) == ("aggregate", "exact", "night 0")
    assert described.function == "sum"


@pytest.mark.long
def test_an_operation_has_the_line_of_the_program_that_it_comes_from(
    house: House,
    shop: Path,
    orders: DataFrame,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # PySpark records lines unless the first column in a process was created without an active
    # session. An earlier test may have done so.
    monkeypatch.setattr("pyspark.errors.utils._enable_debugging_cache", None)
    orders.createOrReplaceTempView("placed")
    here = inspect.currentframe()
    assert here
    line = here.f_lineno + 1
    largest = orders.groupBy("cust").agg(F.max("id"), F.sum("id").alias("all"))
    ranked = orders.withColumn("n", F.rank().over(Window.partitionBy("cust").orderBy("id")))
    by_sql = spark.sql("SELECT cust,\n  count(*) n FROM placed GROUP BY cust")
    counted = orders.groupBy("cust").count()  # Spark knows no line outside of its own code
    frames = {"largest": largest, "ranked": ranked, "by SQL": by_sql, "counted": counted}
    with house.capture() as run:
        for op, frame in frames.items():
            with run.op(op):
                frame.write.parquet(str(shop / op.replace(" ", "_")))
    with house.open() as warehouse:
        ops = {each.op: each for each in warehouse.ops()}
    assert (ops["largest"].function, ops["largest"].place) == ("other", f"{__file__}:{line}")
    assert ops["ranked: window by cust"].place == f"{__file__}:{line + 1}"
    assert (ops["counted"].function, ops["counted"].place) == ("count", None)
    assert ops["by SQL"].function == "count"
    assert ops["by SQL"].place == "line 2 of SELECT cust, count(*) n FROM placed GROUP BY cust"


@pytest.mark.long
def test_a_thread_that_begins_in_a_block_compiles_its_taps(
    house: House, shop: Path, orders: DataFrame, spark: SparkSession
) -> None:
    """Without the jar's classes, Spark would fall back to a slow interpreter and log this."""
    spark.conf.set("spark.sql.codegen.fallback", "false")
    try:
        with (
            house.capture(keys={"orders": "id", "by_thread": "cust"}),
            ThreadPoolExecutor() as pool,
        ):
            rows = orders.groupBy("cust").agg(F.max("id").alias("only_here"))
            pool.submit(rows.write.parquet, str(shop / "by_thread")).result()
    finally:
        spark.conf.unset("spark.sql.codegen.fallback")
    with house.open() as warehouse:
        assert items(warehouse, "by_thread/ann") == of("ann")


@pytest.mark.long
def test_rows_that_are_drawn_have_the_lineage_of_those_that_were_written(
    house: House, shop: Path, orders: DataFrame, spark: SparkSession
) -> None:
    """If a limit without an order runs a second time, it may keep other rows."""
    drawn = orders.where(F.rand() < 0.9).repartition(3).limit(2)
    with house.capture(keys={"orders": "id", "drawn": "id"}) as run:
        drawn.write.parquet(str(shop / "drawn"))
    assert run.report
    version = run.report.writes[0].version
    ids = {row.id for row in spark.read.parquet(str(shop / "drawn")).collect()}
    with house.open() as warehouse:
        found = {each.item for each in warehouse.find("drawn/").items}
        assert found == {f"drawn/{id}@{version}" for id in ids}
        assert all(items(warehouse, f"drawn/{id}") == {f"orders/{id}"} for id in ids)


@pytest.mark.long
def test_rows_without_keys_are_named_by_row_ids_in_every_job(
    house: House, shop: Path, orders: DataFrame, spark: SparkSession
) -> None:
    with house.capture() as run:
        orders.where("id < 3").write.parquet(str(shop / "plain"))
    assert run.report
    (write,) = run.report.writes
    with house.capture(keys={"after": "id"}):
        spark.read.parquet(str(shop / "plain")).write.parquet(str(shop / "after"))
    with house.open() as warehouse:
        above = items(warehouse, "after/1")
    number = write.version
    assert f"plain/{number << 40}" in above
    assert {name.partition("/")[0] for name in above} == {"plain", "orders"}
    assert len(above) == 2


@pytest.mark.long
def test_a_program_says_what_its_writes_are(house: House, shop: Path, orders: DataFrame) -> None:
    keys = {"orders": "id", "sums": "cust", "best": "id"}
    with house.capture(keys=keys, tables=["sums", "best"]) as run:
        with run.op("total by customer"), run.module("curate", state=["orders"]):
            orders.groupBy("cust").count().write.parquet(str(shop / "sums"))
        highest = orders.select(F.max("id").alias("id"))
        with run.op("pick"):
            orders.join(highest, "id").write.parquet(str(shop / "best"))
        orders.write.parquet(str(shop / "both"))
        orders.write.parquet(str(shop / "both.parquet"))
    assert run.report
    assert [write.table for write in run.report.writes] == ["sums", "best"]
    with house.open() as warehouse:
        ops = {each.op: each for each in warehouse.ops()}
        sums = warehouse.lineage("sums/ann").triples
        (rows,) = warehouse.records(warehouse.lineage("sums/ann", ends=True)).tables
        picked = {triple.op for triple in warehouse.lineage("best/9", depth=1).triples}
    assert [each.values for each in rows.records] == [
        order._asdict() for order in ORDERS if order.cust == "ann"
    ]
    assert {triple.op for triple in sums} == {"total by customer"}
    assert ops["total by customer"].module == "curate"
    assert picked == {"pick", "pick: aggregate of all rows"}
    triples = house.settings.warehouse.glob("base-*/triples/*.parquet")
    # the column is not in every ingest
    said = [path for path in triples if "role" in pq.read_schema(path).names]
    roles = [role for path in said for role in pq.read_table(path, columns=["role"])["role"]]
    assert sum(role.as_py() == ROLES["state"] for role in roles) == len(
        [each for each in ORDERS if each.cust]
    )


def test_keys_that_do_not_name_rows_are_refused_before_anything_lands(
    house: House, shop: Path, orders: DataFrame
) -> None:
    before = current(house.layout)
    everything = orders.sparkSession.read.parquet(str(shop / "orders"))
    for keys, found in (
        ({"orders": "cust"}, "The key of orders is NULL in 2 of its rows"),
        ({"customers": "nation", "orders": "small"}, "NULL"),
        ({"copy": "cust"}, "key of copy is not unique"),
        ({"copy": "missing"}, "no column missing"),
        ({"copy": "parts"}, "cannot be a key"),
    ):
        written = orders.withColumn("parts", F.array("id")) if "copy" in keys else everything
        with pytest.raises(BadInput, match=found), house.capture(keys=keys):
            written.write.parquet(str(shop / "copy"))
        shutil.rmtree(shop / "copy")
    assert current(house.layout) == before


@pytest.mark.long
def test_a_key_of_an_unknown_table_is_a_warning(
    houses: Callable[..., House], orders: DataFrame, tmp_path: Path
) -> None:
    """Jobs may share keys: a table that an earlier job stored in the warehouse counts as known."""
    house = houses()
    with (
        pytest.warns(UserWarning, match="declared for ordres,.*\nIts tables are kept, orders"),
        house.capture(keys={"ordres": "id"}) as run,
    ):
        orders.write.parquet(str(tmp_path / "kept"))
    assert run.report
    assert run.report.unused_keys
    with house.capture(keys={"kept": "id", "other": "id"}) as run:
        orders.write.parquet(str(tmp_path / "other"))
    assert run.report
    assert run.report.unused_keys is None


@pytest.mark.long
def test_a_write_without_rows_lands(house: House, shop: Path, orders: DataFrame) -> None:
    with house.capture(keys={"orders": "id"}) as run:
        orders.where("id < 0").write.parquet(str(shop / "none"))
    assert run.report
    assert [(each.table, each.rows) for each in run.report.writes] == [("none", 0)]
    cost = read_reports(house.layout, "capture")[0]  # the page shows it
    (write,) = cost["writes"]
    assert (write["table"], write["bytes"]) == ("none", run.report.writes[0].bytes)
    assert cost["landing"] > 0


@pytest.mark.long
def test_two_groups_with_one_key_are_refused(house: House, shop: Path, orders: DataFrame) -> None:
    """A group of NULL and a group of the number that stands for NULL get the same key.

    Only the proof can distinguish these two groups.
    """
    number = F.when(F.col("id") == 1, F.lit(-(1 << 63) + 1)).when(F.col("id") == 2, F.col("id"))
    with pytest.raises(BadInput, match="cannot be distinguished"), house.capture():
        orders.groupBy(number.alias("k")).count().write.parquet(str(shop / "counts"))


def test_after_an_error_in_the_block_finished_writes_land(
    house: House, shop: Path, orders: DataFrame
) -> None:
    run = provhouse.Capture(orders.sparkSession)

    def job() -> None:
        nonlocal run
        with house.capture(keys={"orders": "id", "kept": "id"}) as run:
            orders.write.parquet(str(shop / "kept"))
            broken = orders.select(F.expr("raise_error('broken')").alias("x"), "id")
            broken.write.parquet(str(shop / "broken"))

    with pytest.raises(Exception, match="broken"):
        job()
    assert run.report
    assert [write.table for write in run.report.writes] == ["kept"]
    with house.open() as warehouse:
        assert items(warehouse, "kept/1") == {"orders/1"}
        with pytest.raises(NotFound):
            warehouse.lineage("broken/1")


@pytest.mark.long
def test_a_failed_write_has_no_lineage_and_can_be_run_again(
    house: House, shop: Path, orders: DataFrame
) -> None:
    path, keys = str(shop / "again"), {"orders": "id", "again": "id"}
    broken = orders.where("if(id = 8, raise_error('broken'), true)")
    with house.capture(keys=keys) as run:
        with pytest.raises(PySparkException, match="broken"):
            broken.write.mode("overwrite").parquet(path)
        orders.write.mode("overwrite").parquet(path)
    assert run.report
    (write,) = run.report.writes
    totals = house.commit.totals
    with pytest.raises(PySparkException, match="broken"), house.capture(keys=keys) as run:
        broken.write.mode("overwrite").parquet(path)
    assert run.report
    assert not run.report.writes
    assert house.commit.totals == totals
    with house.open() as warehouse:
        for order in (order for order in ORDERS if order.cust):
            (triple,) = warehouse.lineage(f"again/{order.id}").triples
            assert (triple.src, triple.dst) == (
                f"orders/{order.id}",
                f"again/{order.id}@{write.version}",
            )


@pytest.mark.long
def test_a_source_that_changes_during_the_block_is_refused(
    house: House, shop: Path, orders: DataFrame
) -> None:
    def job() -> None:
        with house.capture():
            orders.write.parquet(str(shop / "copy"))
            file = next((shop / "orders").iterdir())
            file.write_bytes(file.read_bytes() + b" ")

    with pytest.raises(BadInput, match="is not the file that the job read"):
        job()


@pytest.mark.long
def test_a_table_keeps_the_key_that_it_was_written_with(
    house: House, shop: Path, orders: DataFrame, spark: SparkSession
) -> None:
    with house.capture(keys={"orders": "id", "kept": "id"}):
        orders.write.parquet(str(shop / "kept"))
    with pytest.raises(UsageError, match="another key"), house.capture(keys={"kept": "cust"}):
        spark.read.parquet(str(shop / "kept")).write.parquet(str(shop / "again"))


@pytest.mark.long
def test_overwriting_a_write_of_the_same_block_is_refused(
    house: House, shop: Path, orders: DataFrame
) -> None:
    def job() -> None:
        with house.capture():
            orders.write.parquet(str(shop / "copy"))
            orders.write.mode("append").parquet(str(shop / "copy"))
            orders.write.mode("overwrite").parquet(str(shop / "copy"))

    with pytest.raises(UsageError, match="not stored yet"):
        job()


@pytest.mark.long
def test_an_op_stays_as_weak_as_in_earlier_nights(
    house: House, shop: Path, orders: DataFrame, spark: SparkSession
) -> None:
    """An op has only one description, which must be correct for the triples of all nights."""
    names = spark.read.parquet(str(shop / "customers")).select("name", "number")
    for night, how in enumerate(("left", "inner", "inner")):
        with house.capture(keys={"orders": "id", "customers": "number"}):
            joined = orders.join(names, orders.cust == names.name, how)
            joined.write.parquet(str(shop / str(night) / "weak"))
        with house.open() as warehouse:
            found = {op.op: op.exactness for op in warehouse.ops()}
        assert found["weak: join"] == "absence"
