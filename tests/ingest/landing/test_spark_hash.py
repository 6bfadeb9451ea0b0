"""Hashes equal Spark's, for NULL and for every type that a grouping key may have."""

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from provhouse.capturing.reading.spark_hash import SEED, flagged, hashed

ROWS = 300
TEXTS = ["", "a", "żółć", "1234", "12345678", "x" * 31, "y" * 32, "z" * 100, "\0", None]
NUMBERS = [0, 1, -1, 127, -128, None]


@pytest.mark.parametrize("flags", [False, True])
def test_hashes_equal_those_of_spark(spark: SparkSession, flags: bool) -> None:
    dice = np.random.default_rng(1)
    columns: dict[str, tuple[str, list[str | int | None]]] = {
        "a": ("string", [TEXTS[at] for at in dice.integers(0, len(TEXTS), ROWS)]),
        "b": ("int", [NUMBERS[at] for at in dice.integers(0, len(NUMBERS), ROWS)]),
        "c": ("bigint", [*dice.integers(-(1 << 62), 1 << 62, ROWS - 2).tolist(), None, 7]),
        "d": ("string", [TEXTS[at] for at in dice.integers(0, len(TEXTS), ROWS)]),
    }
    frame = spark.createDataFrame(
        [*zip(*(values for _, values in columns.values()), strict=True)],
        ", ".join(f"{name} {kind}" for name, (kind, _) in columns.items()),
    )
    terms = [(name, f"isnull({name})") if flags else (name,) for name in columns]
    found = np.full(ROWS, SEED, np.uint64)
    for kind, values in columns.values():
        column = pa.array([None, *values])[1:]  # the buffers of this column begin elsewhere
        found = hashed(column, kind, found)
        found = flagged(column, found) if flags else found
    (expected,) = zip(
        *frame.selectExpr(f"xxhash64({', '.join(sum(terms, ()))})").collect(), strict=True
    )
    assert found.view(np.int64).tolist() == [*expected]


@pytest.mark.parametrize("width", ["tinyint", "smallint", "int"])
def test_narrow_integers_are_hashed_as_int(spark: SparkSession, width: str) -> None:
    found = hashed(pa.array([-5], pa.int64()), "int", np.full(1, SEED, np.uint64))
    ((expected,),) = spark.sql(f"SELECT xxhash64(CAST(-5 AS {width}))").collect()
    assert found.view(np.int64).tolist() == [expected]


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.dictionary(pa.int8(), pa.string()),
    ],
)
def test_texts_have_one_hash_in_all_types_of_arrow(kind: pa.DataType) -> None:
    texts = pa.array([text for text in TEXTS if text != "\0"])
    seeds = np.full(len(texts), SEED, np.uint64)
    assert (hashed(texts.cast(kind), "string", seeds) == hashed(texts, "string", seeds)).all()
