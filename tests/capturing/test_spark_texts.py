"""Spark SQL text on the empty tables of a DDL: plans, refused statements, and the command."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from helpers.command import Command, Done
from provhouse.capturing.analysed_plan import plan_of
from provhouse.capturing.spark_texts import empty_tables
from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_form import PlanForm
from provhouse.equivalence.verdict import Verdict, compare_plans
from provhouse.model.errors import BadInput

DDL = """create table t(a int, b string) using parquet; -- a comment; with a semicolon
    create temp view v as select a + 1 c, b from t where b <> ';';
    create function twice(x int) returns int return x + x;"""
TEXT = "select c from v where b = 'x' and c > 1"


def plan(spark: SparkSession, text: str, ddl: str = DDL) -> PlanForm:
    with empty_tables(spark, ddl) as tables:
        return tables.plan(text)


def verdict(spark: SparkSession, one: str, other: str, *columns: str) -> Verdict:
    return compare_plans(plan(spark, one), plan(spark, other), columns)


@pytest.mark.long
def test_queries_are_compared_by_their_keys(spark: SparkSession) -> None:
    same = "with q as (select a + 1 c, b z from t where b <> ';') select c from q where c > 1 and "
    assert verdict(spark, TEXT, same + "z = 'x'").kind == "equal"
    found = verdict(spark, TEXT, same + "z = 'y'")
    assert (found.kind, found.operator) == ("unknown", "filter, operator 4 of 5")
    assert verdict(spark, TEXT, "select c d from v").kind == "different"
    assert verdict(spark, TEXT, "select rand() c from v").kind == "unknown"
    assert verdict(spark, "select a, b from t", "select a + 1 b, a from t", "a").kind == (
        "equal columns"
    )
    assert verdict(spark, "select twice(a) x from t", "select a + a x from t").kind == "unknown"


def test_tables_have_the_names_of_a_job_that_names_no_database(spark: SparkSession) -> None:
    own = spark.newSession()  # other tests change settings of the shared one
    own.sql("create table job_t(a int, b string) using parquet")
    try:
        job = plan_of(own.table("job_t").where("a > 1"))
    finally:
        own.sql("drop table job_t")
    found = plan(spark, "select * from job_t where a > 1", "create table job_t(a int, b string)")
    assert plan_keys(found).rows == plan_keys(job).rows


@pytest.mark.long
def test_settings_of_the_ddl_are_in_the_key_and_end_with_it(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.ansi.enabled")
    other = plan(spark, TEXT, "set spark.sql.ansi.enabled = false;" + DDL)
    assert compare_plans(plan(spark, TEXT), other).kind == "unknown"
    assert spark.conf.get("spark.sql.ansi.enabled") == before
    assert [each.name for each in spark.catalog.listDatabases("provhouse_*")] == []


@pytest.mark.parametrize(
    ("ddl", "text"),
    [
        ("create table x using parquet as select 1", "select 1"),
        ("insert into t values (1)", "select 1"),
        ("drop table t", "select 1"),
        ("create table", "select 1"),
        ("create table t(a nosuchtype)", "select 1"),
        ("", "select missing"),
        ("", "selec 1"),
        ("create table t(a int)", "insert into t select 1"),
        ("", "set x = 1"),
        ("", "select 1; select 2"),
    ],
)
def test_other_statements_and_errors_are_refused(
    spark: SparkSession, ddl: str, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(BadInput):
        plan(spark, text, ddl)
    assert caplog.records == []


def compared(folder: Path, status: int, **settings: str) -> Done:
    """Compare two queries with ``provhouse compare`` and return the finished command."""
    for name, text in (("tables.sql", DDL), ("old.sql", TEXT), ("new.sql", TEXT + " and b = 'x'")):
        (folder / name).write_text(text, encoding="utf-8")
    old, new, ddl = (folder / name for name in ("old.sql", "new.sql", "tables.sql"))
    command = Command(folder, settings=settings)
    return command("compare", old, new, "--schema", ddl, "--engine", "spark", status=status)


@pytest.mark.long
def test_the_command_says_that_spark_needs_java(tmp_path: Path) -> None:
    assert "need a Java 17 or 21 runtime" in compared(tmp_path, 5, JAVA_HOME=str(tmp_path)).message


@pytest.mark.long
def test_the_command_compares_queries_of_spark(tmp_path: Path) -> None:
    done = compared(tmp_path, 0)
    assert '"verdict":"equal"' in done.out
    assert done.err == ""
