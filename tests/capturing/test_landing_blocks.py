"""A block with ``landing`` leaves its lineage at an address, and needs no warehouse.

Long tests run it on every version of Spark, with only the files of the wheel provhouse-capture.
``make jars-all`` installs the versions.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.capture_package import copy_package
from helpers.plain_jobs import BLOCK, spark_run, write_orders
from helpers.warehouse import House
from helpers.witnesses import found_of
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion
from provhouse.model.errors import UsageError
from provhouse.runtime.spark.pyspark_internals import java_session
from provhouse.store.warehouse.captured_blocks import Block, blocks_below

KEYS = {"orders": "id", "totals": "customer"}
LINEAGE = {"ann": {0, 2}, "bob": {1, 3}}
"""The positions of each customer's orders."""
NONE: Any = None
"""A session that is not used, because the arguments are refused first."""


def totals(spark: SparkSession, orders: Path) -> DataFrame:
    return spark.read.parquet(str(orders)).groupBy("customer").sum("price")


def lineage(folder: Path) -> dict[str, set[int]]:
    """Return the positions of the source rows of each total."""
    (write,) = captured_writes(folder)
    found = found_of(write)
    return {
        str(row[0]): set().union(*found.witnesses(number)["orders"].values())
        for number, row in enumerate(found.rows)
    }


def left(landing: Path) -> tuple[Path, Block]:
    """Return the only block at an address, and its record."""
    ((folder, block),) = blocks_below(landing).items()
    return folder, block


def test_a_block_leaves_its_lineage_at_an_address(spark: SparkSession, tmp_path: Path) -> None:
    landing, orders = tmp_path / "landing", write_orders(tmp_path)
    given = partial(provhouse.capture, spark, landing=str(landing), keys=KEYS)
    with given(run="nightly", sample=0.5) as run:
        totals(spark, orders).write.parquet(str(tmp_path / "totals"))
        assert blocks_below(landing) == {}  # it is locked until it ends
    totals(spark, orders).write.parquet(str(tmp_path / "later"))
    folder, block = left(landing)
    assert block.keys == {"orders": ("id",), "totals": ("customer",)}
    assert (block.run, block.sample) == ("nightly", 0.5)
    assert block.begun < block.ended
    assert lineage(folder) == LINEAGE
    assert run.report is None


def test_an_application_finds_its_settings_unchanged_once_its_folder_exists(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Java adds a slash to the address of a folder that exists."""
    landing = tmp_path / "landing"
    with provhouse.capture(spark, landing=str(tmp_path / "other")):
        jvm, _ = java_session(spark)
        given = jvm.java.util.HashMap()
        given.put("spark.provhouse.landing", str(landing))
        before = jvm.provhouse.capturing.Settings.of(given)
        landing.mkdir()
        assert jvm.provhouse.capturing.Settings.of(given).equals(before)


def test_an_error_keeps_the_finished_writes(spark: SparkSession, tmp_path: Path) -> None:
    landing, orders = tmp_path / "landing", write_orders(tmp_path)
    with suppress(ZeroDivisionError), provhouse.capture(spark, landing=str(landing)):
        totals(spark, orders).write.parquet(str(tmp_path / "totals"))
        raise ZeroDivisionError
    assert lineage(left(landing)[0]) == LINEAGE


def test_the_names_of_uncaptured_writes_are_left_too(spark: SparkSession, tmp_path: Path) -> None:
    landing, orders = tmp_path / "landing", write_orders(tmp_path)
    folded = F.struct(F.expr("customer COLLATE UTF8_LCASE"))
    counts = spark.read.parquet(str(orders)).groupBy(folded).count()
    with (
        pytest.warns(UserWarning, match="counts was written without its lineage"),
        provhouse.capture(spark, landing=str(landing), on_unsupported="plain"),
    ):
        counts.write.parquet(str(tmp_path / "counts"))
    folder, _ = left(landing)
    (refused,) = json.loads((folder / "uncaptured.json").read_text())
    assert refused["target"].endswith("/counts")


@pytest.mark.parametrize("given", [{"theta": 9}, {"workflow": "shop"}, {"warehouse_password": "x"}])
def test_what_belongs_to_a_warehouse_is_refused(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(UsageError, match=f"A block with landing has no {name}"):
        provhouse.capture(NONE, landing="s3a://bucket/lineage", **given).__enter__()


def test_an_empty_address_is_refused() -> None:
    with pytest.raises(UsageError, match="landing is not an address"):
        provhouse.capture(NONE, landing=" ").__enter__()


def test_walks_and_rdds_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    with provhouse.capture(spark, landing=str(tmp_path)) as run:
        with pytest.raises(UsageError, match=r"run\.context is not possible"):
            _ = run.context
        with pytest.raises(UsageError, match="A walk in the session is not possible"):
            run.trace("totals")


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_the_wheel_of_capture_suffices_for_a_job(
    version: SparkVersion, houses: Callable[..., House], tmp_path: Path
) -> None:
    """The job's environment has neither pyarrow nor provhouse, and the job opens no warehouse."""
    (tmp_path / "job.py").write_text(BLOCK)
    landing, package = tmp_path / "landing", copy_package(tmp_path / "package")
    job = [tmp_path / "job.py", write_orders(tmp_path), tmp_path / "totals", landing]
    done = spark_run(version, "spark-submit", [], job, tmp_path, PYTHONPATH=str(package))
    assert done.returncode == 0, done.stderr
    assert lineage(left(landing)[0]) == LINEAGE
    house = houses()
    with house.open() as warehouse:
        landed = warehouse.ingest_captured(landing)
        assert [(write.table, write.rows) for write in landed.writes] == [("totals", 2)]
        found = {each.item for each in warehouse.lineage("totals/ann").items}
        assert found == {"orders/1", "orders/3"}
