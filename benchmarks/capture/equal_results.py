"""Compare the results of plain and captured writes by their rows' number and hashes."""

from pathlib import Path
from typing import Literal

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

Equality = Literal["equal", "varies", "different"]
"""The comparison of a captured result with that of plain Spark.

``varies`` means that two runs of plain Spark give different results, too, for example because of a
limit with ties.
"""


def shape(spark: SparkSession, path: Path) -> tuple[int, object]:
    """Return the number of rows of a result, and the sum of their hashes."""
    frame = spark.read.parquet(str(path))
    hashed = f.sum(f.xxhash64(*frame.columns).cast("decimal(20)"))
    row = frame.agg(f.count("*"), hashed).first()
    assert row is not None
    return row[0], row[1]


def compared(plain: object, captured: object, again: object) -> Equality:
    """Return the outcome from the shapes of a captured result and of two plain results."""
    if captured in (plain, again):
        return "equal"
    return "varies" if plain != again else "different"
