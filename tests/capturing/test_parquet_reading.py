"""Each row of a Parquet file has its own id, no matter how Spark reads the file."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from helpers.witnesses import captured
from provhouse.model.errors import UsageError

ROWS = 30_000
FEW = "place BETWEEN 12345 AND 12347 OR place >= 29998"
OFFHEAP = {"spark.sql.columnVector.offheap.enabled": "true"}
BY_ROW = {"spark.sql.parquet.enableVectorizedReader": "false"}
SPLITS = {"spark.sql.files.maxPartitionBytes": "20000", "spark.sql.files.openCostInBytes": "0"}


def write(folder: Path, columns: Mapping[str, pa.Array], **form: int | bool) -> None:
    """Write two files with ``columns`` and a column with each row's position in its file."""
    for file in ("a", "b ü"):
        path = folder / "t" / f"part={file}" / "rows é.parquet"
        path.parent.mkdir(parents=True)
        places = pa.array(range(ROWS), pa.int32())
        pq.write_table(pa.table({"place": places, **columns}), path, **form)


def check(spark: SparkSession, folder: Path, settings: Mapping[str, str], where: str) -> None:
    """Capture a filter and a group; fail unless each row derives from the row at its position."""
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        found = captured(spark, rows(spark, folder).where(where), folder / "filter")
        sums = rows(spark, folder).where(where).groupBy("part").count()
        groups = captured(spark, sums, folder / "group")
    finally:
        for name in settings:
            spark.conf.unset(name)
    assert found.rows
    for at, (*_, place, part) in enumerate(found.rows):
        assert found.witnesses(at) == {"t": {file_of(folder, part): {place}}}
    for at, (part, count) in enumerate(groups.rows):
        places = {row[-2] for row in found.rows if row[-1] == part}
        assert groups.witnesses(at) == {"t": {file_of(folder, part): places}}
        assert count == len(places)


def rows(spark: SparkSession, folder: Path) -> DataFrame:
    """Return the table's columns; the last two are a row's position, and the name of its part."""
    frame = spark.read.parquet(str(folder / "t"))
    others = [name for name in frame.columns if name not in ("place", "part")]
    return frame.select(*others, "place", "part")


def file_of(folder: Path, part: str) -> Path:
    """Return the path of the only file in a part of the table."""
    return folder / "t" / f"part={part}" / "rows é.parquet"


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [
        *(pytest.param(each, marks=pytest.mark.long) for each in ({}, OFFHEAP, BY_ROW, SPLITS)),
        SPLITS | BY_ROW,
    ],
)
def test_pages_and_row_groups_that_are_left_out(
    spark: SparkSession, tmp_path: Path, settings: dict[str, str]
) -> None:
    write(tmp_path, {}, row_group_size=7000, data_page_size=512, write_batch_size=100,
          write_page_index=True, use_dictionary=False)  # fmt: skip
    check(spark, tmp_path, settings, FEW)


@pytest.mark.long
@pytest.mark.parametrize("settings", [{}, BY_ROW])
def test_more_columns_than_a_batch_may_have(
    spark: SparkSession, tmp_path: Path, settings: dict[str, str]
) -> None:
    ones = pa.array([1] * ROWS, pa.int8())
    write(tmp_path, {f"c{number}": ones for number in range(120)}, row_group_size=10_000)
    check(spark, tmp_path, settings, FEW)


@pytest.mark.long
@pytest.mark.parametrize("vectorized", ["true", pytest.param("false", marks=pytest.mark.long)])
def test_nested_columns(spark: SparkSession, tmp_path: Path, vectorized: str) -> None:
    pairs = pa.array([{"x": number} for number in range(ROWS)])
    write(tmp_path, {"pair": pairs}, row_group_size=10_000)
    nested = {"spark.sql.parquet.enableNestedColumnVectorizedReader": vectorized}
    check(spark, tmp_path, nested, f"({FEW}) AND pair.x > 5")


@pytest.mark.long
def test_a_column_with_the_name_of_the_hidden_one(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, {"_metadata": pa.array([1] * ROWS)}, row_group_size=10_000)
    check(spark, tmp_path, {}, FEW)


def test_a_name_that_spark_gives_to_the_column_of_places_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path, {"_tmp_metadata_row_index": pa.array([1] * ROWS)})
    with pytest.raises(UsageError, match="a column that has a name of Spark's own"):
        captured(spark, spark.read.parquet(str(tmp_path / "t")), tmp_path)
