"""The 22 queries of TPC-H: results equal plain Spark's, and witnesses reproduce each row.

The long form records an outcome for each query, and skips queries whose outcome the same code has
already recorded. From these outcomes, ``benchmarks/capture/capture_coverage.py`` makes
``docs/capture-coverage.md``.
"""

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from helpers import scoreboard
from helpers.scoreboard import Trial
from helpers.tpch import write_tpch
from helpers.witnesses import Program, query

QUERIES = Path(__file__).parent / "tpch"
NAMES = sorted(path.stem for path in QUERIES.glob("*.sql"))
WHOLE = {"q16": ("supplier",), "q22": ("orders",)}
"""By query: the tables that are not cut, because the query only tests that they lack a row."""
ROWS = 50
"""The number of rows whose witnesses are checked, for each query."""


def program(name: str) -> Program:
    """Return a query as a program."""
    return query((QUERIES / f"{name}.sql").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some TPC-H tables, at a scale factor of 0.001."""
    folder = tmp_path_factory.mktemp("tpch")
    write_tpch(folder, 0.001)
    for name in ("region", "nation", "lineitem"):  # the tested queries do not read these tables
        shutil.rmtree(folder / name)
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TPC-H tables, at a scale factor of 0.01."""
    folder = tmp_path_factory.mktemp("tpch")
    write_tpch(folder)
    return folder


@pytest.mark.long
@pytest.mark.parametrize("name", WHOLE)
def test_rows_come_back_from_their_witnesses(
    name: str, spark: SparkSession, small: Path, tmp_path: Path
) -> None:
    found = scoreboard.outcome(Trial(name, program(name), spark, small, tmp_path, WHOLE[name]), 1)
    assert found["outcome"] in ("exact", "superset")


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_every_query_has_right_lineage_or_is_refused(
    name: str, spark: SparkSession, large: Path, tmp_path: Path
) -> None:
    if name in scoreboard.recorded("tpch"):
        pytest.skip("recorded by an earlier run of the same code")
    whole = WHOLE.get(name, ())
    trial = Trial(name, program(name), spark, large, tmp_path, whole, "tpch-0.01")
    found = scoreboard.outcome(trial, ROWS)
    scoreboard.add("tpch", found)
    assert found["outcome"] != "untested"
