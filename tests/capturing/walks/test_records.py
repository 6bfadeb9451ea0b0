"""The records of a few rows are the same, whether read by row group or by Spark."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from provhouse.capturing.walks import raw_records as module
from provhouse.capturing.walks.cursor_ids import ID, CursorIds
from provhouse.capturing.walks.numbers import NumberedFile
from provhouse.capturing.walks.raw_records import records
from provhouse.model.associations import ROW_BITS

WANTED = np.array([0, 7, (1 << ROW_BITS) + 3, (2 << ROW_BITS) + 1])


def numbered(root: Path) -> list[NumberedFile]:
    paths = sorted(root.rglob("*.parquet"))
    return [
        NumberedFile(number, path, root, "table", "parquet", None)
        for number, path in enumerate(paths)
    ]


def by_both(
    spark: SparkSession, root: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[DataFrame, DataFrame]:
    few = records(spark, numbered(root), CursorIds(WANTED)).orderBy(ID)
    with monkeypatch.context() as patch:
        patch.setattr(module, "is_plain", lambda path: False)
        return few, records(spark, numbered(root), CursorIds(WANTED)).orderBy(ID)


@pytest.mark.long
def test_a_few_records_have_the_values_and_types_of_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "a table, ünd"
    rows = pa.table(
        {
            "n": pa.array(range(10), pa.int32()),
            "small": pa.array(range(10), pa.uint16()),
            "text": [None, *"abcdefghi"],
            "day": [date(2026, 1, n + 1) for n in range(10)],
            "at": pa.array([datetime(2026, 1, 1, n) for n in range(10)], pa.timestamp("ms", "UTC")),
            "local": pa.array([datetime(2026, 1, 1, n) for n in range(10)], pa.timestamp("us")),
            "fee": [Decimal(n) / 4 for n in range(10)],
            "list": [[n, None] for n in range(10)],
            "struct": [{"a": n, "b": {"c": str(n)}} for n in range(10)],
            "map": pa.array([[("k", n)] for n in range(10)], pa.map_(pa.string(), pa.int64())),
        }
    )
    for at, folder in enumerate(("day_=2026-01-02/k=1", "day_=2026-01-03/k=2")):
        (root / folder).mkdir(parents=True)
        some = rows if at else rows.drop_columns(["text"])
        pq.write_table(some, root / folder / "part.parquet", row_group_size=3)
    last = root / "day_=2026-01-03" / "k=__HIVE_DEFAULT_PARTITION__"
    last.mkdir()
    pq.write_table(rows, last / "part.parquet", row_group_size=3)
    few, expected = by_both(spark, root, monkeypatch)
    assert few.schema.simpleString() == expected.schema.simpleString()
    assert few.collect() == expected.collect()
    assert [row[ID] for row in few.collect()] == WANTED.tolist()


@pytest.mark.long
def test_simple_types_need_no_job_of_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pa.table(
        {
            "n": pa.array(range(9), pa.int16()),
            "f": pa.array([None, *range(8)], pa.float32()),
            "text": [*"abcdefghi"],
            "fee": [Decimal(n) / 4 for n in range(9)],
            "day": [date(2026, 1, n + 1) for n in range(9)],
            "good": [True] * 9,
        },
        schema=pa.schema(
            [
                pa.field("n", pa.int16(), nullable=False), ("f", pa.float32()),
                ("text", pa.string()), ("fee", pa.decimal128(12, 2)), ("day", pa.date32()),
                ("good", pa.bool_()),
            ]
        ),
    )  # fmt: skip
    for name in "abc":
        pq.write_table(rows, tmp_path / f"{name}.parquet", row_group_size=3)
    few, expected = by_both(spark, tmp_path, monkeypatch)
    assert few.schema.simpleString() == expected.schema.simpleString()
    assert few.collect() == expected.collect()


@pytest.mark.long
def test_views_as_rust_writes_them_are_read_by_row_groups(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = pa.array([None, *"abcdefgh"], pa.string_view())
    rows = pa.table({"text": text, "bytes": text.cast(pa.string()).cast(pa.binary_view())})
    for name in "abc":
        pq.write_table(rows, tmp_path / f"{name}.parquet", row_group_size=3)
    few, expected = by_both(spark, tmp_path, monkeypatch)
    assert few.collect() == expected.collect()
    monkeypatch.setattr(module, "_read", None)  # ``_read`` would read whole files
    assert records(spark, numbered(tmp_path), CursorIds(WANTED)).count() == len(WANTED)


@pytest.mark.long
def test_old_times_are_left_to_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pa.table({"at": [datetime(2026, 1, n + 1) for n in range(9)]})
    for name in "abc":
        pq.write_table(rows, tmp_path / f"{name}.parquet", use_deprecated_int96_timestamps=True)
    few, expected = by_both(spark, tmp_path, monkeypatch)
    assert few.collect() == expected.collect()
    assert few.schema == expected.schema
