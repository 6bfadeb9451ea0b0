"""Edits of a captured job that uses a Python function: changed results are never called equal."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

import provhouse
from helpers.sampled import one_in
from provhouse.capturing.analysed_plan import captured_plan, plan_of
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_form import PlanForm, doubts

JOB = """
import math
import numpy
from pyspark.sql import functions as F

RATE = 3
LIMITS = {"a": 1, "b": 2}

def scaled(value, by=2):
    return value * by

def job(orders, lines):
    offset = 10

    def charge(amount, kind):
        if amount is None:
            return None
        extra = LIMITS.get(kind, 0) + int(numpy.floor(0.5))
        return scaled(amount) * RATE + offset + extra

    priced = F.udf(deterministic(charge), "long")
    kept = orders.where((F.col("amount") > 1) & (F.col("kind") != "x"))
    joined = kept.join(lines, "line")
    return joined.select("line", "amount", priced("amount", "kind").alias("price"))
"""
CHANGED = {
    "body": ("* RATE + offset", "* RATE - offset"),
    "value of the closure": ("offset = 10", "offset = 11"),
    "type of the closure": ("offset = 10", "offset = 10.0"),
    "global": ("RATE = 3", "RATE = 4"),
    "dictionary": ('"b": 2', '"b": 3'),
    "default": ("by=2", "by=3"),
    "function that is called": ("value * by", "value ** by"),
    "package": ("numpy.floor", "math.floor"),
    "constant of the body": ("(kind, 0)", "(kind, 1)"),
    "declaration": ("deterministic(charge)", "charge"),
    "Spark's declaration": ('"long")\n', '"long").asNondeterministic()\n'),
    "return type": ('"long")', '"int")'),
    "kind of the function": ('"long")\n', '"long", useArrow=False)\n'),
    "arguments": ('priced("amount", "kind")', 'priced("line", "kind")'),
    "literal": ("> 1", "> 2"),
    "comparison": ('!= "x"', '== "x"'),
    "conjunction": (" & ", " | "),
    "kind of the join": ('lines, "line")', 'lines, "line", "left")'),
    "name": ('alias("price")', 'alias("cost")'),
    "order of columns": ('"line", "amount", priced', '"amount", "line", priced'),
    "distinct": ("return joined.select", "return joined.distinct().select"),
    "union": ("orders.where", "orders.union(orders).where"),
}
SAME = {
    "names of variables": ("kept", "remaining"),
    "name of the function": ("charge", "fee"),
    "lines and comments": ("    offset = 10", "\n    # the fee\n    offset = 10"),
    "order of conditions": (
        '(F.col("amount") > 1) & (F.col("kind") != "x")',
        '(F.col("kind") != "x") & (F.col("amount") > 1)',
    ),
    "a column that is not used": ("orders.where", 'orders.withColumn("y", F.lit(1)).where'),
    "a selection that is moved": ("orders.where", 'orders.select("kind", "line", "amount").where'),
    "a column that is renamed": (
        'joined.select("line"',
        'joined.withColumnRenamed("line", "l").select(F.col("l").alias("line")',
    ),
    "a view": ("orders.where", "viewed(orders).where"),
    "a hint": ('lines, "line"', 'F.broadcast(lines), "line"'),
    "a repartition": ("kept.join", "kept.repartition(3).join"),
    "a cache": ("kept.join", "kept.cache().join"),
}
SETTINGS = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.parquet.int96AsTimestamp": "false",
    "spark.sql.groupByOrdinal": "false",
    "spark.sql.caseSensitive": "true",
}
HARMLESS = {"spark.sql.shuffle.partitions": "3", "spark.sql.adaptive.enabled": "false"}
Captured = Callable[[str], tuple[PlanForm, list[Row]]]


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables that the job reads."""
    made = tmp_path_factory.mktemp("a job, ünd")
    rows = [(1, 5, "a"), (2, None, "b"), (1, 1, "a"), (2, 7, "x"), (3, 9, None), (1, 5, "a")]
    spark.createDataFrame(rows, "line int, amount int, kind string").coalesce(1).write.parquet(
        str(made / "orders")
    )
    spark.range(1, 3).selectExpr("int(id) line").write.parquet(str(made / "lines"))
    return made


@pytest.fixture(scope="module")
def captured(spark: SparkSession, folder: Path) -> Captured:
    """A function that captures the job with an edit, and returns its plan and its rows.

    Without the name of an edit, it captures the unedited job.
    """

    @cache
    def found(name: str) -> tuple[PlanForm, list[Row]]:
        taps, written = (folder / kind / (name or "job") for kind in ("taps", "written"))
        taps.mkdir(parents=True)
        with capturing(spark, taps, CaptureReports(), {}):
            _job(spark, folder, _edited(name)).write.parquet(str(written))
        plan = captured_plan(taps / "0")
        assert plan
        rows = spark.read.parquet(str(written)).collect()
        spark.catalog.clearCache()
        return plan, sorted(rows)

    return found


def _edited(name: str) -> str:
    """Return the job's source with the named edit, or the unedited source if ``name`` is empty."""
    if not name:
        return JOB
    old, new = (SAME | CHANGED)[name]
    assert old in JOB
    return JOB.replace(old, new)


def _job(spark: SparkSession, folder: Path, text: str) -> DataFrame:
    """Run the source of a job as a program does, and return the frame that it creates."""

    def viewed(frame: DataFrame) -> DataFrame:
        frame.createOrReplaceTempView("viewed")
        return spark.sql("select * from viewed")

    program: dict[str, Any] = {
        "__name__": "__main__",
        "deterministic": provhouse.deterministic,
        "viewed": viewed,
    }
    exec(text, program)
    tables = [spark.read.parquet(str(folder / name)) for name in ("orders", "lines")]
    frame: DataFrame = program["job"](*tables)
    return frame


def _is_reused(plan: PlanForm, other: PlanForm) -> bool:
    return not doubts(plan) and plan_keys(plan).whole == plan_keys(other).whole


@pytest.mark.parametrize("name", one_in(4, SAME))
def test_an_edit_that_changes_no_row_is_equal_by_key(
    spark: SparkSession, folder: Path, captured: Captured, name: str
) -> None:
    plan, rows = captured("")
    frame = _job(spark, folder, _edited(name))
    assert _is_reused(plan_of(frame), plan)
    assert rows == sorted(frame.collect())
    spark.catalog.clearCache()


@pytest.mark.parametrize("name", one_in(6, SAME))
def test_an_edit_that_changes_no_row_is_equal_when_it_is_captured(
    captured: Captured, name: str
) -> None:
    (plan, rows), (edited, edited_rows) = captured(""), captured(name)
    assert doubts(edited) == []
    assert _is_reused(edited, plan)
    assert rows == edited_rows
    assert len(rows) == 2


@pytest.mark.long
def test_a_changed_job_is_not_equal_when_it_is_captured(captured: Captured) -> None:
    plan, rows = captured("")
    for name in ("body", "value of the closure", "literal"):
        assert not _is_reused(captured(name)[0], plan)
    assert captured("body")[1] != rows


@pytest.mark.parametrize("name", one_in(10, CHANGED))
def test_a_changed_job_is_not_equal(
    spark: SparkSession, folder: Path, captured: Captured, name: str
) -> None:
    edited = plan_of(_job(spark, folder, _edited(name)))
    assert not _is_reused(edited, captured("")[0])


@pytest.fixture
def settings(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[str]:
    """A setting that is changed for one test."""
    name, value = request.param
    before = spark.conf.get(name)
    spark.conf.set(name, value)
    yield name
    spark.conf.set(name, str(before))


@pytest.mark.parametrize(
    "settings", one_in(6, ((one,) for one in [*SETTINGS.items(), *HARMLESS.items()])), indirect=True
)
def test_settings_that_may_change_rows_are_in_the_key(
    spark: SparkSession, folder: Path, captured: Captured, settings: str
) -> None:
    edited = plan_of(_job(spark, folder, JOB))
    assert _is_reused(edited, captured("")[0]) == (settings in HARMLESS)


def test_a_captured_job_and_its_text_have_one_key(
    spark: SparkSession, folder: Path, tmp_path: Path
) -> None:
    """Two origins of a plan: the listener of a captured write, and Spark SQL on empty tables."""
    spark.read.parquet(str(folder / "orders")).write.saveAsTable("ordered")
    text = "select kind, sum(amount) n from ordered where amount > 1 group by kind"
    try:
        with capturing(spark, tmp_path, CaptureReports(), {}):
            frame = spark.table("ordered").where("amount > 1").groupBy("kind")
            frame.agg({"amount": "sum"}).toDF("kind", "n").write.parquet(str(tmp_path / "out"))
    finally:
        spark.sql("drop table ordered")
    written = captured_plan(tmp_path / "0")
    spark.sql("create table ordered(line int, amount int, kind string) using parquet")
    try:
        assert written
        assert _is_reused(plan_of(spark.sql(text)), written)
    finally:
        spark.sql("drop table ordered")
