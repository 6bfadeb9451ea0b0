"""A write that exceeds the budget of capture continues without capture, and stores no lineage."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.warehouse import House
from provhouse.capturing.jvm_rules import Budget, CaptureReports, capturing
from provhouse.capturing.reading.finished import captured_writes
from provhouse.model.errors import UsageError
from provhouse.query.listing.status import status

ROWS, FILES = 8_000, 4
KEYS = {"orders": "id", "few": "id", "many": "id", "later": "id"}


@pytest.fixture
def orders(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """The orders, stored in several files."""
    (tmp_path / "orders").mkdir()
    for file in range(FILES):
        ids = range(file, ROWS, FILES)
        pq.write_table(pa.table({"id": ids}), tmp_path / "orders" / f"{file}.parquet")
    return spark.read.parquet(str(tmp_path / "orders"))


@pytest.mark.long
def test_a_write_beyond_its_budget_is_written_without_its_lineage(
    houses: Callable[..., House], orders: DataFrame, tmp_path: Path
) -> None:
    house = houses()
    with (
        warnings.catch_warnings(record=True) as warned,
        house.capture(keys=KEYS, budget_mb=0.04) as run,
    ):
        warnings.simplefilter("always")
        orders.where("id < 5").write.parquet(str(tmp_path / "few"))
        groups = orders.groupBy(F.concat(F.lit("g"), "id")).agg(F.min("id").alias("id"))
        groups.write.parquet(str(tmp_path / "many"))  # a key that is a text is a hash of 8 bytes
        orders.where("id = 7").write.parquet(str(tmp_path / "later"))
    assert any("many was written without its lineage" in str(each.message) for each in warned)
    assert run.report
    assert [each.table for each in run.report.writes] == ["few", "later"]
    (refusal,) = run.report.refusals
    assert refusal.name == "many"
    assert "the budget is 0.040 MB" in refusal.reason
    assert [(each.table, each.reason) for each in status(house.settings).uncaptured] == [
        ("many", refusal.reason)
    ]
    assert pq.read_table(tmp_path / "many").num_rows == ROWS
    with house.open() as warehouse:
        assert [each.item for each in warehouse.lineage("later/7").items] == ["orders/7"]
        assert not warehouse.find("many/").matches
    house.check()


@pytest.mark.long
def test_tasks_stop_to_write_aside_once_the_budget_is_used_up(
    spark: SparkSession, orders: DataFrame, tmp_path: Path
) -> None:
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    try:
        slow = orders.where("id < 6").selectExpr(
            "id", "reflect('java.util.concurrent.locks.LockSupport', 'parkNanos', 1500000000L) AS s"
        )
        with capturing(spark, tmp_path / "taps", CaptureReports(), {}, budget=Budget(seconds=0.5)):
            slow.write.parquet(str(tmp_path / "out"))
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    (write,) = captured_writes(tmp_path / "taps")
    assert write.state == "stopped"
    assert "the budget is 0.5 seconds" in write.stopped
    assert spark.read.parquet(str(tmp_path / "out")).count() == FILES
    kept = list((write.folder / "rows").glob("[0-9]*.parquet"))
    assert len(kept) < FILES
    assert not list((write.folder / "rows").glob("_*.parquet"))


def test_a_budget_is_above_0(houses: Callable[..., House]) -> None:
    with (
        pytest.raises(UsageError, match="budget_mb is not a number above 0"),
        houses().capture(keys=KEYS, budget_mb=0),
    ):
        pytest.fail("the block began")
