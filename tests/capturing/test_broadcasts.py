"""If Spark uses a broadcast join without capture, it also uses one with capture."""

import re
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.witnesses import captured

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
SHARES = (0.2, 0.33, 1.2)
"""Spark's thresholds for broadcasts, as fractions of the size of the small table.

Spark estimates the size of the joined columns as 16/56 of the table's size. With the slot that
capture adds, the estimate is 24/64 of the table's size.
"""
LONG = [pytest.param(how, 3, marks=pytest.mark.long) for how in ("inner", "right")]


def joins_of(spark: SparkSession) -> Counter[str]:
    """Count the joins of each kind in the initial plan of the newest execution."""
    spark._jsparkSession.sparkContext().listenerBus().waitUntilEmpty(60_000)
    store = spark._jsparkSession.sharedState().statusStore()
    newest = store.executionsList(store.executionsCount() - 1, 1).head()
    first = newest.physicalPlanDescription().split("Initial Plan ==")[-1].split("\n\n")[0]
    return Counter(re.findall(r"(\w+Join \w+ Build\w+|SortMergeJoin \w+)", first))


@pytest.mark.long
@pytest.mark.parametrize(("how", "most"), [("inner", 2), *LONG])
def test_slots_turn_no_broadcast_into_a_shuffle(
    spark: SparkSession, tmp_path: Path, how: str, most: int
) -> None:
    wide = [F.col("id").alias(f"c{number}") for number in range(6)]
    spark.range(3000).select(*wide).write.parquet(str(tmp_path / "small"))
    spark.range(30_000).select(*wide).write.parquet(str(tmp_path / "large"))
    small, large = (spark.read.parquet(str(tmp_path / name)) for name in ("small", "large"))
    left, right = (small, large) if how == "right" else (large, small)

    def frame() -> DataFrame:
        pairs = left.select("c0", "c1").join(right.select("c0", "c2"), "c0", how)
        return pairs.select("c0")

    kinds = set()
    bytes_of_small = sum(path.stat().st_size for path in (tmp_path / "small").glob("*.parquet"))
    try:
        for share in SHARES[:most]:
            spark.conf.set(THRESHOLD, str(int(bytes_of_small * share)))
            frame().write.parquet(str(tmp_path / f"plain-{int(share * 100)}"))
            plain = joins_of(spark)
            captured(spark, frame(), tmp_path / f"captured {int(share * 100)}")
            assert joins_of(spark) == plain
            kinds |= set(plain)
    finally:
        spark.conf.unset(THRESHOLD)
    assert len(kinds) == 2  # by a broadcast, and by a shuffle
