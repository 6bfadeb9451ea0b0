"""Keys of every type: a row has one name, whatever kind of file stores it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.warehouse import House
from provhouse.model.errors import BadInput

COLUMNS = {
    "flag": ("boolean", ["true", "false", "true"]),
    "amount": ("decimal(12, 4)", ["12.5", "0", "-100"]),
    "tiny": ("decimal(38, 20)", ["0.00000000000000000001", "17", "1"]),
    "weight": ("double", ["0.1", "17", "5.960464477539063e-8"]),  # the last one is a power of 2
    "ratio": ("float", ["0.1", "1e+21", "-3.25"]),
    "at": (
        "timestamp",
        ["2024-01-05T10:00:00Z", "1965-03-01T00:00:00.001Z", "2024-07-01T23:59:59.5Z"],
    ),
    "local": (
        "timestamp_ntz",
        ["2024-01-05T10:00:00", "1965-03-01T00:00:00.001", "2024-07-01T23:59:59.5"],
    ),
    "day": ("date", ["2024-01-05", "1965-03-01", "2024-07-01"]),
}
"""The type of each key column, and the strings of three values: casts read them back."""
NAMES = ["/".join(row) for row in zip(*(texts for _, texts in COLUMNS.values()), strict=True)]


@pytest.fixture(autouse=True)
def zone(spark: SparkSession) -> Iterator[None]:
    """Let the session's time zone differ from UTC."""
    spark.conf.set("spark.sql.session.timeZone", "Asia/Kathmandu")
    try:
        yield
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def rows(spark: SparkSession) -> DataFrame:
    """Return three rows; ``value`` is the number of the row."""
    texts = [tuple(each) for each in zip(*(texts for _, texts in COLUMNS.values()), strict=True)]
    listed = [(*each, number) for number, each in enumerate(texts)]
    frame = spark.createDataFrame(listed, [*COLUMNS, "value"])
    kinds = [F.col(name).cast(kind).alias(name) for name, (kind, _) in COLUMNS.items()]
    return frame.select(*kinds, "value")


def written(frame: DataFrame, kind: str, folder: Path) -> None:
    """Write the rows without capture, or within a block."""
    frame.coalesce(1).write.format(kind).option("header", True).save(str(folder))


@pytest.mark.parametrize("kind", ["parquet", pytest.param("orc", marks=pytest.mark.long)])
def test_rows_have_one_name_in_files_with_and_without_row_numbers(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    """Rows of Parquet are named from the file, all others by Spark. CSV is the target of one job.

    A second job reads the CSV, so its rows are found by the names that the first job has written.
    """
    frame, house, key = rows(spark), houses(), [*COLUMNS]
    written(frame, kind, tmp_path / "raw")
    with house.capture(keys={"raw": key, "middle": key, "last": key}):
        written(spark.read.format(kind).load(str(tmp_path / "raw")), "csv", tmp_path / "middle")
        middle = spark.read.schema(frame.schema).csv(str(tmp_path / "middle"), header=True)
        written(middle, "parquet", tmp_path / "last")
    with house.open() as warehouse:
        for name in NAMES:
            found = {each.item.split("@")[0] for each in warehouse.lineage(f"last/{name}").items}
            assert found == {f"middle/{name}", f"raw/{name}"}


def test_instants_of_older_files(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """Older releases of Spark store instants as INT96, for which Arrow has no time zone."""
    house = houses()
    spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    try:
        written(rows(spark).select("at", "value"), "parquet", tmp_path / "raw")
    finally:
        spark.conf.unset("spark.sql.parquet.outputTimestampType")
    with house.capture(keys={"raw": "at", "copy": "value"}):
        written(spark.read.parquet(str(tmp_path / "raw")), "parquet", tmp_path / "copy")
    with house.open() as warehouse:
        found = [warehouse.lineage(f"copy/{n}").items for n in range(3)]
    assert [[each.item for each in items] for items in found] == [
        [f"raw/{text}"] for text in COLUMNS["at"][1]
    ]


def test_values_that_are_one_name(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """Zero and negative zero have one name, so they are no key."""
    frame = spark.sql("SELECT * FROM VALUES (0.0D, 1), (-0.0D, 2) AS t(weight, value)")
    written(frame, "parquet", tmp_path / "raw")
    with (
        pytest.raises(BadInput, match="The key of raw is not unique"),
        houses().capture(keys={"raw": "weight", "copy": "value"}),
    ):
        written(spark.read.parquet(str(tmp_path / "raw")), "parquet", tmp_path / "copy")
