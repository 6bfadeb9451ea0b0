"""The 103 queries of TPC-DS: results equal plain Spark's, and witnesses reproduce the rows.

Only ``make test-long`` runs them, on tables that ``tools/tpcds_data.py`` makes. A query that
returns no rows is tried again on larger tables. The outcomes are recorded for
``docs/capture-coverage.md``. Queries and rows are skipped if the same code has already recorded
their outcomes.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import ArithmeticException
from pyspark.sql import DataFrame, SparkSession

from helpers import scoreboard
from helpers.scoreboard import Trial
from helpers.witnesses import Program, Tables, query, read, rows_of

TOOL = Path(__file__).parent.parent.parent / "tools" / "tpcds.py"
HALVES = (14, 23, 24, 39)
"""The numbers of the queries that consist of two queries, a and b."""
NAMES = [
    f"q{number}{half}"
    for number in range(1, 100)
    for half in (("a", "b") if number in HALVES else ("",))
]
FACTORS = ("0.01", "0.1", "1")
RANKED = "FROM store_sales ss1"
APART = ("store_sales_best", "store_sales_worst")
"""Copies of the table that q44 reads three times.

The query ranks groups of the table, and a subquery reads other rows of these groups. If the rows
for all three reads were in one cut table, the groups would be different, and so would the ranks.
"""
ROWS = {"0.01": 50, "0.1": 10, "1": 2}
"""The number of rows to check for each query, by the scale factor of the tables."""


def program(sql: str) -> Program:
    """Return a query as a program whose columns all have different names, as files require."""
    run = query(sql.strip().removesuffix(";"))

    def renamed(tables: Tables) -> DataFrame:
        frame = run(tables)
        return frame.toDF(*(f"{name}_{at}" for at, name in enumerate(frame.columns)))

    return renamed


def made(factor: str) -> tuple[Path, Path]:
    """Return the folder of the queries and the folder of the tables, for a scale factor."""
    done = subprocess.run(
        [sys.executable, TOOL, "--factor", factor], stdout=subprocess.PIPE, text=True, check=True
    )
    queries, tables = map(Path, done.stdout.splitlines())
    return queries, tables


def apart(tables: Path, folder: Path) -> Path:
    """Return a folder with all tables, and with copies of the table that q44 reads."""
    shutil.copytree(tables, folder)
    for name in APART:
        shutil.copytree(tables / "store_sales", folder / name)
    return folder


def has_rows(frame: DataFrame) -> bool:
    """Return whether a query returns rows. On small tables, one query divides by zero."""
    try:
        return bool(rows_of(frame.limit(1)))
    except ArithmeticException:
        return False


@pytest.fixture(autouse=True)
def _without_broadcasts(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    """Broadcast no tables in q64, because the tests do not have enough memory for it."""
    threshold = "spark.sql.autoBroadcastJoinThreshold"
    if request.node.callspec.params["name"] == "q64":
        spark.conf.set(threshold, "-1")
    yield
    spark.conf.unset(threshold)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_every_query_has_right_lineage_or_is_refused(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    if name in scoreboard.recorded("tpcds"):
        pytest.skip("recorded by an earlier run of the same code")
    for factor in FACTORS:
        queries, tables = made(factor)
        text = (queries / f"{name}.sql").read_text(encoding="utf-8")
        if name == "q44":
            tables = apart(tables, tmp_path / f"tables-{factor}")
            for table in APART:
                text = text.replace(RANKED, f"FROM {table} ss1", 1)
        run = program(text)
        if has_rows(run(read(spark, tables))):
            break
    trial = Trial(name, run, spark, tables, tmp_path, record=f"tpcds-{factor}")
    found = scoreboard.outcome(trial, ROWS[factor])
    scoreboard.add("tpcds", {**found, "factor": factor})
