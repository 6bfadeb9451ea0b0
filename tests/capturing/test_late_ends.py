"""A command's recorded files are right, even if Spark reports the command's end late."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import DataFrame, SparkSession

from helpers.warehouse import House
from provhouse.runtime.spark.pyspark_internals import java_session


class _Late:
    """A listener that delays Spark's report of each ended command until ``go`` is set."""

    def __init__(self) -> None:
        self.go = Event()

    def onSuccess(self, *_: Any) -> None:
        self.go.wait(120)

    def onFailure(self, *_: Any) -> None:
        self.go.wait(120)

    class Java:
        """The Spark interface through which Spark calls this object."""

        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)


@pytest.fixture
def late(spark: SparkSession) -> Iterator[Event]:
    """An event. Spark's reports of ended commands are delayed until a test sets it."""
    begin: Callable[[Any], None] = ensure_callback_server_started
    begin(spark.sparkContext._gateway)
    _, classic = java_session(spark)
    listener = _Late()
    classic.listenerManager().register(listener)
    yield listener.go
    listener.go.set()
    classic.sparkContext().listenerBus().waitUntilEmpty(60_000)
    classic.listenerManager().unregister(listener)


def write_items(spark: SparkSession, folder: Path, form: str) -> str:
    """Write a source of six rows and a copy of it; return the path of the copy."""
    spark.range(6).coalesce(1).write.parquet(str(folder / "source"))
    source = spark.read.parquet(str(folder / "source"))
    source.coalesce(1).write.format(form).save(str(folder / "items"))
    return str(folder / "items")


def append_at_once(source: DataFrame, items: str) -> None:
    """Let two threads append rows to one Delta table."""

    def append(more: int) -> None:
        rows = source.selectExpr(f"id + {more} AS id")
        rows.write.format("delta").mode("append").save(items)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(append, (10, 20)))


def lineage(house: House, items: list[str]) -> dict[str, set[str]]:
    with house.open() as warehouse:
        return {item: {each.item for each in warehouse.lineage(item).items} for item in items}


@pytest.mark.long
def test_an_update_without_capture_is_no_part_of_the_write_before(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path, late: Event
) -> None:
    """A table is overwritten from itself. The end of this write is reported only after the UPDATE.

    Two threads then append to the table.
    """
    house, items = houses(), write_items(spark, tmp_path, "delta")
    source = spark.read.parquet(str(tmp_path / "source"))
    with house.capture(keys={"source": "id", "items": "id"}, on_unsupported="plain"):
        kept = spark.read.format("delta").load(items).where("id < 2")
        kept.write.format("delta").mode("overwrite").save(items)
        # a random condition is not covered
        spark.sql(f"UPDATE delta.`{items}` SET id = 7 WHERE id = 1 AND rand() < 2")
        late.set()
        append_at_once(source, items)
    rows = [row["id"] for row in spark.read.format("delta").load(items).collect()]
    assert sorted(rows) == [0, 7, *range(10, 16), *range(20, 26)]
    assert lineage(house, ["items/0@1", "items/1@1", "items/12", "items/25"]) == {
        "items/0@1": {"items/0"}, "items/1@1": {"items/1"},
        "items/12": {"source/2"}, "items/25": {"source/5"},
    }  # fmt: skip


@pytest.mark.long
def test_an_append_without_capture_is_no_part_of_the_write_before(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path, late: Event
) -> None:
    house, items = houses(), write_items(spark, tmp_path, "parquet")
    source = spark.read.parquet(str(tmp_path / "source"))
    with house.capture(keys={"source": "id", "items": "id"}, on_unsupported="plain"):
        source.selectExpr("id + 10 AS id").write.mode("append").parquet(items)
        # no table contains the source rows of these
        spark.range(20, 22).write.mode("append").parquet(items)
        late.set()
    assert lineage(house, ["items/12"]) == {"items/12": {"source/2"}}
