"""Streams that drop duplicates across batches: each row derives from its own input row alone."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from helpers.warehouse import House

pytestmark = pytest.mark.long

Row = tuple[int, str | None, int]
"""An id, a key and a minute."""
BATCHES: list[list[Row]] = [
    [(1, "a", 0), (2, "a", 1), (3, None, 2), (4, "b", 30), (5, None, 30)],
    [(6, None, 31), (7, "b", 40), (8, "c", 41)],
    [(9, "late", 1), (10, "d", 55), (11, "c", 56)],
    [(12, "a", 57), (13, None, 90), (14, "e", 91), (15, "late", 2)],
]
DROPS: dict[str, tuple[Callable[[DataFrame], DataFrame], set[int]]] = {
    "for ever": (lambda rows: rows.dropDuplicates(["key"]), {6, 11, 12, 13, 15}),
    "within the watermark": (
        lambda rows: rows.dropDuplicatesWithinWatermark(["key"]), {9, 15}
    ),
}  # fmt: skip
"""For each way to drop duplicates, ids that it drops: later rows of a key, or late rows."""


def add(folder: Path, batch: int) -> None:
    """Add the file of a batch to a stream's folder."""
    folder.mkdir(exist_ok=True)
    ids, keys, minutes = zip(*BATCHES[batch], strict=True)
    times = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=each) for each in minutes]
    columns = {"id": ids, "key": keys, "at": pa.array(times, pa.timestamp("us", "UTC"))}
    file = folder / f"{batch}.parquet"
    pq.write_table(pa.table(columns), file)
    os.utime(file, (batch, batch))  # files are read in the order of these times


def run(rows: DataFrame, out: Path, *, by_function: bool) -> None:
    """Write the batches of a stream to a folder until it has read all of its files."""
    writer: Any = rows.writeStream.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(out.with_name("checkpoint")))
    if by_function:

        def write(batch: DataFrame, _: int) -> None:
            batch.write.mode("append").parquet(str(out))

        writer.foreachBatch(write).start().awaitTermination()
    else:
        writer.format("parquet").start(str(out)).awaitTermination()


@pytest.mark.parametrize("by_function", [True, False])
@pytest.mark.parametrize("name", DROPS)
def test_the_first_row_of_each_key_derives_from_itself(
    name: str,
    by_function: bool,
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    """The stream goes on in another block, and later rows of a key and late rows are dropped."""
    (drop, gone), house = DROPS[name], houses()
    orders, out = tmp_path / "orders", tmp_path / "out"
    for batches in (range(3), range(3, 4)):
        for batch in batches:
            add(orders, batch)
        read = spark.readStream.schema("id long, key string, at timestamp")
        rows = read.option("maxFilesPerTrigger", 1).parquet(str(orders)).where("id > 0")
        dropped = drop(rows.withWatermark("at", "10 minutes"))
        with house.capture(keys={"orders": "id", "out": "id"}) as done:
            run(dropped.selectExpr("id", "key"), out, by_function=by_function)
        assert done.report
        assert done.report.writes
    house.check()
    found = spark.read.parquet(str(out)).select("id", "key").collect()
    ids = {row.id for row in found}
    assert len(ids) == len(found)
    assert not ids & gone
    assert len(ids & {1, 2}) == len(ids & {3, 5}) == 1  # any of two rows in one batch
    keys = {key for rows in BATCHES for number, key, _ in rows if number in ids}
    assert keys >= {"a", "b", "c", "d", "e", None}
    with house.open() as warehouse:
        for number in ids:
            assert {each.item for each in warehouse.lineage(f"out/{number}").items} == {
                f"orders/{number}"
            }
        weakest = {op.exactness for op in warehouse.ops()}
    assert weakest == {"absence"}
