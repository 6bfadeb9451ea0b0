"""A tap omits group keys that source columns contain; the ingest reads these columns instead."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.witnesses import Found, captured
from provhouse.capturing.reading import source_keys
from provhouse.capturing.reading.tap_files import tap_pieces
from provhouse.capturing.reading.tap_partitions import FEW_KEYS
from provhouse.capturing.reading.tap_table import KeyColumn, SourceKey
from provhouse.model.arrays import I64
from provhouse.model.associations import NONE
from provhouse.model.errors import BadInput

ROWS = 150_000
"""A number of rows that fills more than two row groups of an association file."""


@pytest.fixture
def orders(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Return the rows of three files.

    One file spells the column ``cust`` in another case, and another file lacks this column.
    """
    folder = tmp_path / "orders"
    folder.mkdir()
    pq.write_table(pa.table({"id": [1, 2, 3], "cust": pa.array([7, None, 8], pa.int32())}),
                   folder / "a.parquet")  # fmt: skip
    pq.write_table(pa.table({"id": [4, 5], "CUST": pa.array([7, 9], pa.int32())}),
                   folder / "b.parquet")  # fmt: skip
    pq.write_table(pa.table({"id": [6]}), folder / "c.parquet")
    return spark.read.schema("id long, cust int").parquet(str(folder))


def sources_by_row(found: Found) -> dict[tuple[object, ...], set[int]]:
    """Return, for each row, the ids of the orders that it derives from."""
    ids = {}
    for at, row in enumerate(found.rows):
        files = found.witnesses(at).get("orders", {})
        ids[row] = {
            pq.read_table(path)["id"][index].as_py()
            for path, indexes in files.items()
            for index in indexes
        }
    return ids


def test_groups_by_a_column_that_files_lack_or_name_in_another_case(
    spark: SparkSession, orders: DataFrame, tmp_path: Path
) -> None:
    found = captured(spark, orders.groupBy("cust").count(), tmp_path)
    (tap,) = found.traced.output.write.taps
    assert tap.source == SourceKey(0, (KeyColumn("cust", "int"),), hashed=False)
    assert tap.proofs == 0
    by_group = {row[0]: sources for row, sources in sources_by_row(found).items()}
    assert by_group == {7: {1, 4}, 8: {3}, 9: {5}, None: {2, 6}}


@pytest.mark.long
def test_a_renamed_column_beyond_an_outer_join(
    spark: SparkSession, orders: DataFrame, tmp_path: Path
) -> None:
    numbers = spark.range(3, 8).coalesce(1)
    numbers.write.parquet(str(tmp_path / "numbers"))
    left = spark.read.parquet(str(tmp_path / "numbers")).withColumnRenamed("id", "n")
    right = orders.select("id", F.col("cust").alias("of"))
    groups = left.join(right, F.col("n") == F.col("id"), "left").groupBy("of").count()
    found = captured(spark, groups, tmp_path)
    (tap,) = found.traced.output.write.taps
    assert tap.source == SourceKey(1, (KeyColumn("cust", "int"),), hashed=False)
    by_group = {row[0]: sources for row, sources in sources_by_row(found).items()}
    assert by_group == {7: {4}, 8: {3}, 9: {5}, None: {6}}


@pytest.fixture
def visits(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Return rows with strings and numbers; the files differ in columns, types and spelling."""
    folder = tmp_path / "visits"
    folder.mkdir()
    pq.write_table(
        pa.table({"id": [1, 2, 3, 4], "who": ["ann", None, "bob", ""],
                  "day": pa.array([1, 1, None, 2], pa.int16()), "to": ["x", "y", None, "x"]}),
        folder / "a.parquet",
    )  # fmt: skip
    pq.write_table(
        pa.table({"id": [5, 6, 7], "WHO": pa.array(["ann", "bob", None]).dictionary_encode(),
                  "Day": pa.array([1, None, 1], pa.int16()), "to": [None, None, "y"]}),
        folder / "b.parquet", row_group_size=2,
    )  # fmt: skip
    pq.write_table(pa.table({"id": [8, 9], "to": ["x", None]}), folder / "c.parquet")
    return spark.read.schema("id long, who string, day smallint, to string").parquet(str(folder))


@pytest.mark.parametrize(
    ("by", "hashed"),
    [
        ("who", True),
        ("to, who, day", None),
        ("day", False),
        pytest.param("who, day", True, marks=pytest.mark.long),
        pytest.param("day, to", True, marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("few", [FEW_KEYS, 0])
def test_each_group_has_its_rows_whatever_makes_it(
    spark: SparkSession,
    visits: DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    by: str,
    hashed: bool | None,
    few: int,
) -> None:
    """A tap leaves out up to two key columns. If there are more, it writes a hash of them."""
    monkeypatch.setattr(source_keys, "FEW_KEYS", few)
    columns = by.split(", ")
    groups = visits.groupBy(*columns).agg(F.sort_array(F.collect_list("id")).alias("ids"))
    if few:  # rows without any key are only found by the keys of all rows
        groups = groups.dropna("all", subset=columns)
    found = captured(spark, groups, tmp_path)
    (tap,) = found.traced.output.write.taps
    assert (tap.source and tap.source.hashed, tap.proofs) == (hashed, hashed is not False)
    for at, row in enumerate(found.rows):
        files = found.witnesses(at)["visits"]
        ids = {pq.read_table(path)["id"][index].as_py() for path in files for index in files[path]}
        assert ids == set(row[-1]), row


@pytest.mark.long
def test_texts_beyond_an_outer_join(spark: SparkSession, visits: DataFrame, tmp_path: Path) -> None:
    spark.range(3, 11).coalesce(1).write.parquet(str(tmp_path / "numbers"))
    numbers = spark.read.parquet(str(tmp_path / "numbers")).withColumnRenamed("id", "n")
    joined = numbers.join(visits, F.col("n") == F.col("id"), "left")
    groups = joined.groupBy("who", "to").agg(F.sort_array(F.collect_list("n")).alias("ns"))
    found = captured(spark, groups, tmp_path)
    (tap,) = found.traced.output.write.taps
    assert tap.source
    assert tap.source.slot == 1
    for at, row in enumerate(found.rows):
        files = found.witnesses(at)["numbers"]
        ns = {pq.read_table(path)["id"][index].as_py() for path in files for index in files[path]}
        assert ns == set(row[-1]), row


@pytest.mark.long
def test_columns_of_two_tables_are_written(
    spark: SparkSession, visits: DataFrame, orders: DataFrame, tmp_path: Path
) -> None:
    groups = visits.join(orders, "id").groupBy("who", "cust").count()
    assert captured(spark, groups, tmp_path).traced.output.write.taps[0].source is None


def test_a_file_with_another_type_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """Spark reads dates as integers if the given schema says that they are integers."""
    (tmp_path / "orders").mkdir()
    days = pa.array([1, 2], pa.int32()).cast(pa.date32())
    table = pa.table({"n": days, "who": ["a", "b"]})
    pq.write_table(table, tmp_path / "orders" / "a.parquet")
    orders = spark.read.schema("n int, who string").parquet(str(tmp_path / "orders"))
    with pytest.raises(BadInput, match="The groups by who, n are unknown") as raised:
        captured(spark, orders.groupBy("who", "n").count(), tmp_path)
    assert raised.value.found.endswith("as integers, but its type is date32[day]")


@pytest.mark.long
def test_a_column_that_is_computed_is_written(
    spark: SparkSession, orders: DataFrame, tmp_path: Path
) -> None:
    halves = orders.withColumn("cust", F.expr("id div 4")).groupBy("cust").count()
    found = captured(spark, halves, tmp_path)
    assert found.traced.output.write.taps[0].source is None
    by_group = {row[0]: sources for row, sources in sources_by_row(found).items()}
    assert by_group == {0: {1, 2, 3}, 1: {4, 5, 6}}


@pytest.mark.long
def test_the_number_that_stands_for_null_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    pq.write_table(pa.table({"id": [NONE + 1, None]}), tmp_path / "orders" / "a.parquet")
    groups = spark.read.parquet(str(tmp_path / "orders")).groupBy("id").count()
    with pytest.raises(BadInput, match="cannot be distinguished"):
        captured(spark, groups, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    ("key", "group"),
    [
        ("cast(id % 5 AS string)", lambda ids: ids % 5),
        pytest.param("cast(id % 20000 AS string)", lambda ids: ids % 20000, marks=pytest.mark.long),
        pytest.param("cast(id AS string)", lambda ids: ids, marks=pytest.mark.long),
        pytest.param("id div 3", lambda ids: ids // 3, marks=pytest.mark.long),
        pytest.param("id div 40000", lambda ids: ids // 40000, marks=pytest.mark.long),
        pytest.param("id div 1000000", lambda ids: ids * 0, marks=pytest.mark.long),
        pytest.param(
            f"if(id % 2 = 0, id + {ROWS} - {1 << 62} - {1 << 62}, {(1 << 63) - 1} - id)",
            lambda ids: ids,
            marks=pytest.mark.long,
        ),
        pytest.param("id", None, marks=pytest.mark.long),
    ],
    ids=[
        "few hashes",
        "many hashes",
        "hashes",
        "integers",
        "few integers",
        "one",
        "far apart",
        "left out",
    ],
)
@pytest.mark.parametrize(
    "ordered", [False, pytest.param(True, marks=pytest.mark.long)], ids=["mixed", "ordered"]
)
def test_a_large_file_has_each_row_once_with_its_key(
    spark: SparkSession, tmp_path: Path, key: str, group: Callable[[I64], I64] | None, ordered: bool
) -> None:
    ids = np.arange(ROWS)
    if not ordered:
        ids = np.random.default_rng(1).permutation(ROWS)
    (tmp_path / "orders").mkdir()
    pq.write_table(pa.table({"id": ids}), tmp_path / "orders" / "a.parquet")
    frame = spark.read.parquet(str(tmp_path / "orders"))
    groups = frame.groupBy(F.expr(key).alias("k")).agg(F.max("id").alias("m")).where("m % 100 = 7")
    write = captured(spark, groups, tmp_path).traced.output.write
    (tap,) = write.taps
    assert (tap.source is not None) == (group is None)
    pieces = list(tap_pieces(tap.folder, 2 if group else 1))
    rows = np.concatenate(pieces, axis=1)
    at = rows[-1] & ((1 << 40) - 1)
    assert sorted(at.tolist()) == list(range(ROWS))
    if group:
        _, codes = np.unique(group(ids)[at], return_inverse=True)
        pairs = np.unique(np.stack([codes, rows[0]]), axis=1)
        assert pairs.shape[1] == len(np.unique(codes)) == len(np.unique(rows[0]))
