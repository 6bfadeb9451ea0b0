"""Captured blocks that are ingested after a failure or a lost driver, and uncaptured writes."""

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.shop import ORDERS, write_shop
from helpers.warehouse import House
from provhouse.capturing.jvm_rules import Refusal
from provhouse.ingest.landing.landed import Landed
from provhouse.model.errors import BadInput, Busy, UsageError
from provhouse.query.listing.status import status
from provhouse.store.warehouse.captured_blocks import (
    begin_block,
    held,
    read_block,
    waiting_blocks,
)
from provhouse.store.warehouse.locks import locked
from provhouse.workflows.executions import results_of

KEYS = {"orders": "id", "kept": "id", "totals": "cust"}


@pytest.fixture
def house(houses: Callable[..., House]) -> House:
    """An empty warehouse."""
    return houses(wait_seconds=0)


@pytest.fixture
def orders(tmp_path: Path, spark: SparkSession) -> DataFrame:
    """The orders that have a customer."""
    write_shop(tmp_path)
    return spark.read.parquet(str(tmp_path / "orders")).where("cust is not null")


def items(warehouse: provhouse.Warehouse, item: str) -> set[str]:
    return {found.item for found in warehouse.lineage(item).items}


def kept_ids(orders: DataFrame) -> list[int]:
    """Return the ids of the orders, as plain Spark finds them."""
    return sorted(row.id for row in orders.select("id").collect())


def kept(house: House) -> Path:
    """Return the only folder that is not yet ingested."""
    (waiting,) = status(house.settings).waiting
    return Path(waiting.folder)


def test_a_failed_ingest_lets_the_job_succeed_and_can_be_repeated(
    house: House, orders: DataFrame, tmp_path: Path
) -> None:
    house.layout.root.mkdir(parents=True)
    with (
        locked(house.layout),
        pytest.warns(UserWarning, match="ingest --captured"),
        house.capture(keys=KEYS, run="n", workflow="nightly", wait_seconds=0) as run,
    ):
        orders.write.parquet(str(tmp_path / "kept"))
    assert run.report
    assert run.report.folder == kept(house)
    assert "write" in run.report.error
    assert not run.report.writes
    (waiting,) = status(house.settings).waiting
    assert (waiting.run, bool(waiting.error)) == ("n", True)
    with house.open() as warehouse:
        landed = warehouse.ingest_captured(run.report.folder)
        assert items(warehouse, "kept/1") == {"orders/1"}
        reused = warehouse.reuse("nightly@r1")
    assert (landed.revision, landed.unstored) == ("nightly@r1", ())
    assert (reused.decision, reused.by, reused.of) == ("reuse", "key", "nightly@r1")
    assert sorted(pq.read_table(reused.path)["id"].to_pylist()) == kept_ids(orders)
    assert [write.table for write in landed.writes] == ["kept"]
    assert not status(house.settings).waiting
    assert not any(house.layout.captured.iterdir())


@pytest.mark.long
def test_keys_can_be_corrected_later(house: House, orders: DataFrame, tmp_path: Path) -> None:
    def job() -> None:
        with house.capture(keys={"kept": "cust"}, workflow="nightly"):
            orders.write.parquet(str(tmp_path / "kept"))
            orders.select("id").write.parquet(str(tmp_path / "ids"))

    with pytest.raises(BadInput, match="not unique"):
        job()
    with house.open() as warehouse:
        with pytest.raises(BadInput, match="not unique"):
            warehouse.ingest_captured(kept(house))
        landed = warehouse.ingest_captured(kept(house), keys=KEYS)
        assert items(warehouse, "kept/2") == {"orders/2"}
        results = warehouse.workflow_results("nightly")
    assert landed.revision == "nightly@r1"
    assert {each.sink for each in results} == {"kept", "ids"}  # the ids had landed before
    found = {each.key for each in results_of(house.layout).values()}
    assert found == {("id",), ()}


@pytest.mark.long
def test_of_a_lost_driver_the_finished_writes_are_ingested(
    house: House, orders: DataFrame, tmp_path: Path
) -> None:
    """A copy of the folder, made inside the block, has the files that a killed driver leaves."""
    with house.capture(keys=KEYS):
        orders.write.parquet(str(tmp_path / "kept"))
        orders.groupBy("cust").count().write.parquet(str(tmp_path / "totals"))
        orders.sparkSession.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        (folder,) = house.layout.captured.iterdir()
        lost = shutil.copytree(folder, folder.with_name("lost"))
        with house.open() as warehouse, pytest.raises(Busy, match="still running"):
            warehouse.ingest_captured(folder)
    shutil.rmtree(house.layout.registered("written"))
    record = lost / "1" / "write.json"
    begun = {**json.loads(record.read_text()), "state": "unknown", "written": []}
    record.write_text(json.dumps(begun))
    assert [waiting.error for waiting in status(house.settings).waiting] == [""]
    with house.open() as warehouse:
        landed = warehouse.ingest_captured(lost)
    assert [write.table for write in landed.writes] == ["kept"]
    assert landed.incomplete == (str(tmp_path / "totals"),)


def test_a_block_that_raises_keeps_its_own_error(
    house: House, orders: DataFrame, tmp_path: Path
) -> None:
    def job() -> None:
        with house.capture(keys={"kept": "cust"}, workflow="nightly"):
            orders.write.parquet(str(tmp_path / "kept"))
            raise ZeroDivisionError

    with pytest.warns(UserWarning, match="not unique"), pytest.raises(ZeroDivisionError):
        job()
    assert not read_block(kept(house)).workflow  # the job has not written all its results


def test_a_folder_without_a_record_is_refused(house: House, tmp_path: Path) -> None:
    with house.open() as warehouse, pytest.raises(BadInput, match="not the folder"):
        warehouse.ingest_captured(tmp_path)


def folded() -> Column:
    """Return an unsupported key: a struct with a string that is compared ignoring case."""
    return F.struct(F.expr("cust COLLATE UTF8_LCASE"))


@pytest.mark.long
def test_with_plain_what_is_not_covered_runs_without_capture(
    house: House, orders: DataFrame, tmp_path: Path
) -> None:
    odd, totals = str(tmp_path / "odd"), str(tmp_path / "totals")
    with house.capture(keys=KEYS, run="n", on_unsupported="plain") as run:
        orders.groupBy(folded()).count().write.parquet(odd)
        orders.groupBy("cust").count().write.parquet(totals)
    assert orders.sparkSession.read.parquet(odd).count() == len(
        {order.cust.lower() for order in ORDERS if order.cust}
    )
    assert run.report
    assert [write.table for write in run.report.writes] == ["totals"]
    (refusal,) = run.report.refusals
    assert refusal.target.endswith("/odd")
    assert "struct" in refusal.found
    (missing,) = status(house.settings).uncaptured
    assert (missing.table, missing.run) == ("odd", "n")
    with house.capture(keys={"odd": "id"}):
        orders.write.mode("overwrite").parquet(odd)
    assert not status(house.settings).uncaptured


@pytest.mark.long
def test_a_report_counts_rows_taps_and_bytes(
    house: House, orders: DataFrame, tmp_path: Path
) -> None:
    with house.capture(keys=KEYS) as run:
        orders.groupBy("cust").count().write.parquet(str(tmp_path / "totals"))
        with pytest.raises(Exception, match="Aggregate"):
            orders.groupBy(folded()).count().write.parquet(str(tmp_path / "odd"))
    assert run.report
    (write,) = run.report.writes
    custs = [order.cust for order in ORDERS if order.cust]
    assert (write.rows, write.taps, write.associations) == (len({*custs}), 1, len(custs))
    assert write.bytes > 0
    assert write.seconds > 0
    assert write.rewriting > 0
    assert write.supersets == ()
    assert len(run.report.refusals) == 1


@pytest.mark.long
@pytest.mark.filterwarnings("always::UserWarning")
def test_a_report_is_readable(house: House, orders: DataFrame, tmp_path: Path) -> None:
    keys, warned = {"orders": "id", "cleaned": "id"}, list[str]()
    with warnings.catch_warnings(record=True) as shown:
        with house.capture(keys=keys, tables=["totals", "absent"]) as run:
            cleaned = run.mark(orders, "cleaned")
            cleaned.groupBy("cust").count().write.parquet(str(tmp_path / "totals"))
            orders.write.parquet(str(tmp_path / "other"))
        warned += [str(each.message) for each in shown]
    assert warned == [
        "The block has captured no write of absent, which its tables name.\n"
        "It has captured totals; other writes have no lineage."
    ]
    text = str(run.report)
    assert text.startswith("Generation 1\ntotals@")
    assert f"cleaned@1: {orders.count()} marked rows" in text
    assert "Landed" not in text
    assert str(Landed(refusals=(Refusal("file:/out", "", "It is odd", "By far"),))) == (
        "No write was captured\nNot captured: out. It is odd. By far"
    )
    with pytest.raises(UsageError, match="has ended"):
        run.mark(orders, "cleaned")


@pytest.mark.long
def test_one_folder_that_cannot_be_ingested_is_named(
    house: House, orders: DataFrame, tmp_path: Path
) -> None:
    """Without the files in the folder, the rows that the job wrote are unknown."""
    house.layout.root.mkdir(parents=True)
    for name in ("kept", "totals"):
        with (
            locked(house.layout),
            pytest.warns(UserWarning, match="ingest --captured") as warned,
            house.capture(wait_seconds=0),
        ):
            orders.write.parquet(str(tmp_path / name))
        assert warned[0].filename == __file__
    shutil.rmtree(tmp_path / "kept")
    with house.open() as warehouse:
        with pytest.raises(BadInput, match="is gone") as error:
            warehouse.ingest_captured()
        assert "remove this folder" in error.value.remedy
        (waiting,) = (each for each in status(house.settings).waiting if "is gone" in each.error)
        shutil.rmtree(waiting.folder)
        assert [write.table for write in warehouse.ingest_captured().writes] == ["totals"]


def test_blocks_of_one_second_are_ingested_in_their_order(house: House) -> None:
    """A job may read what the previous job wrote, even if both began in the same second."""
    folders = [house.layout.captured / name for name in "zyxwv"]
    for folder in folders:
        begin_block(folder, {}, "")
    assert list(waiting_blocks(house.layout)) == folders


def test_the_lock_of_a_folder_is_free_after_the_block(house: House, tmp_path: Path) -> None:
    with held(tmp_path):
        pass
    with held(tmp_path), pytest.raises(Busy), held(tmp_path):
        pass


def test_a_folder_of_another_release_is_refused(
    house: House, orders: DataFrame, tmp_path: Path
) -> None:
    with house.capture(keys={"orders": "id"}):
        orders.write.parquet(str(tmp_path / "kept"))
        orders.sparkSession.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        (folder,) = house.layout.captured.iterdir()
        later = shutil.copytree(folder, folder.with_name("later"))
    record = later / "0" / "write.json"
    write = json.loads(record.read_text())
    record.write_text(json.dumps({**write, "form": 99}))
    with house.open() as warehouse, pytest.raises(BadInput, match="another release") as error:
        warehouse.ingest_captured(later)
    assert str(later) in error.value.found
    assert later.exists()
