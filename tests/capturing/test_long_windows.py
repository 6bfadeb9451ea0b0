"""Long windows above groups and other windows stay small, and comparisons read all values."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.witnesses import Found, captured

GROUPS = 400
PER_GROUP = 3
LEAST = -(2**63)
PER_ROW = 20
"""The largest number of origins for each row. A number that grows with the rows is over 75."""
WINDOWS = {
    "above groups": "SELECT g, sum(sum(v)) OVER (ORDER BY g) AS x FROM events GROUP BY g",
    "above a window": "SELECT g, v, max(x) OVER (ORDER BY g, v) AS y FROM ("
    "SELECT g, v, sum(v) OVER (ORDER BY g, v) AS x FROM events)",
    "above groups above a window": "SELECT g, sum(max(x)) OVER (ORDER BY g) AS y FROM ("
    "SELECT g, sum(v) OVER (ORDER BY g, v) AS x FROM events) GROUP BY g",
}


def view(spark: SparkSession, folder: Path, name: str, **columns: list[object]) -> None:
    """Write a table of one file, and create a view of it."""
    pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    spark.read.parquet(str(folder / f"{name}.parquet")).createOrReplaceTempView(name)


def sources(found: Found, row: int) -> dict[str, set[int]]:
    """Return the positions of the rows from which a row derives, by table."""
    witnesses = found.witnesses(row).items()
    return {table: set().union(*files.values()) for table, files in witnesses}


@pytest.mark.parametrize("name", WINDOWS)
def test_a_long_window_above_groups_lists_its_partition(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    count = GROUPS * PER_GROUP
    groups: list[object] = [row // PER_GROUP for row in range(count)]
    view(spark, tmp_path, "events", g=groups, v=[*range(count)])
    found = captured(spark, spark.sql(WINDOWS[name]), tmp_path)
    assert found.supersets
    origins = sum(len(each.row) + each.sources.count for each in found.traced.grouped)
    assert origins <= PER_ROW * count
    for row in (0, len(found.rows) // 2, len(found.rows) - 1):
        assert sources(found, row)["events"] == {*range(count)}


def test_a_comparison_finds_the_least_number(spark: SparkSession, tmp_path: Path) -> None:
    view(spark, tmp_path, "l", k=[1, 2, 3], v=[0, LEAST, LEAST])
    view(spark, tmp_path, "r", k=[1, 2, 2, 3], v=[LEAST, LEAST, None, 5])
    expected = {"<": {1: {0}}, ">=": {2: {1}, 3: {3}}, "<>": {1: {0}, 3: {3}}}
    for number, (operator, matches) in enumerate(expected.items()):
        text = (
            f"SELECT k FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND r.v {operator} l.v)"
        )
        found = captured(spark, spark.sql(text), tmp_path / str(number))
        assert not found.supersets
        for row, (key,) in enumerate(found.rows):
            assert sources(found, row) == {"l": {key - 1}, "r": matches[key]}


def test_a_value_that_only_the_tap_computes_may_fail(spark: SparkSession, tmp_path: Path) -> None:
    view(spark, tmp_path, "l", k=[1], v=[5])
    view(spark, tmp_path, "r", k=[1, 2], s=["9", "no number"])
    spark.conf.set("spark.sql.ansi.enabled", "true")
    try:
        text = (
            "SELECT * FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND CAST(s AS INT) > v)"
        )
        found = captured(spark, spark.sql(text), tmp_path)
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")
    assert sources(found, 0) == {"l": {0}, "r": {0}}
