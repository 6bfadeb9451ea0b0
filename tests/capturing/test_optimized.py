"""OPTIMIZE, REORG, VACUUM and CLONE of Delta tables inside a block: rows keep their names."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import provhouse
from helpers.changing import Changing
from helpers.warehouse import House

VECTORS = {"enableDeletionVectors": "true"}
MAPPED = {"columnMapping.mode": "name"}


def changed(house: House, folder: Path, properties: Mapping[str, str]) -> Changing:
    """Return a table whose rows have several versions. Captured jobs have deleted two rows."""
    table = Changing(house, folder, properties=properties)
    rows = table.source("orders", k=[*range(12)], v=[k % 4 for k in range(12)])
    table.load(rows, {k: f"orders/{k}" for k in range(12)})
    table.note(table.run("UPDATE {} SET v = 7 WHERE k IN (2, 9)"), {2: [], 9: []})
    table.note(table.run("DELETE FROM {} WHERE k IN (0, 11)"), {}, gone=[0, 11])
    return table


@pytest.mark.long
@pytest.mark.parametrize("properties", [VECTORS, MAPPED], ids=["vectors", "mapped"])
def test_moved_rows_keep_their_versions(
    properties: Mapping[str, str], houses: Callable[..., House], tmp_path: Path
) -> None:
    """A later UPDATE finds the moved rows too."""
    table = changed(houses(), tmp_path, properties)
    assert table.run("OPTIMIZE {}")
    table.note(table.run("UPDATE {} SET v = 8 WHERE k IN (2, 3)"), {2: [], 3: []})
    assert table.run("OPTIMIZE {} ZORDER BY (v)")
    table.check()
    table.note(table.run("DELETE FROM {} WHERE k = 4"), {}, gone=[4])
    table.run("REORG TABLE {} APPLY (PURGE)")
    table.run("VACUUM {}")
    assert not table.run("OPTIMIZE {}")  # nothing is left to do
    table.check()


@pytest.mark.long
def test_a_block_may_change_move_and_change_rows(
    houses: Callable[..., House], tmp_path: Path, spark: SparkSession
) -> None:
    table = changed(houses(), tmp_path, VECTORS)
    with table.house.capture(keys={"balance": "k"}, run="block") as run:
        spark.sql(f"UPDATE {table.table} SET v = 9 WHERE k < 4")
        spark.sql(f"OPTIMIZE {table.table}")
        spark.sql(f"DELETE FROM {table.table} WHERE k = 5")
    assert run.report
    first, _, last = (write.version for write in run.report.writes)
    table.note(first, {1: [], 2: [], 3: []})
    table.note(last, {}, gone=[5])
    table.check()


@pytest.mark.long
def test_rows_of_a_clone_are_rows_of_its_source(
    houses: Callable[..., House], tmp_path: Path, spark: SparkSession
) -> None:
    """The source was written by captured jobs, or by others."""
    table = changed(houses(), tmp_path, VECTORS)
    clone = f"delta.`{tmp_path / 'clone' / 'balance'}`"
    assert not table.run(lambda: spark.sql(f"CREATE TABLE {clone} SHALLOW CLONE {table.table}"))
    table.check_report("clone/balance")
    other, of = tmp_path / "items", tmp_path / "clone" / "items"
    spark.range(3).selectExpr("id AS k").write.format("delta").save(str(other))
    with table.house.capture(keys={"items": "k", "copy": "k"}, run="clone"):
        spark.sql(f"CREATE TABLE delta.`{of}` SHALLOW CLONE delta.`{other}`")
        rows = spark.read.format("delta").load(str(of))
        rows.coalesce(1).write.parquet(str(tmp_path / "copy"))
    with table.house.open() as warehouse:
        assert [each.item for each in warehouse.lineage("copy/2").items] == ["items/2"]


@pytest.mark.long
def test_a_vacuum_of_removed_files_keeps_the_change_out(
    houses: Callable[..., House], tmp_path: Path, spark: SparkSession
) -> None:
    """Without the removed files, it is unknown which rows were deleted."""
    table = changed(houses(), tmp_path, {})
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")

    def delete() -> None:
        spark.sql(f"DELETE FROM {table.table} WHERE k = 5")
        spark.sql(f"VACUUM {table.table} RETAIN 0 HOURS")

    try:
        with pytest.raises(provhouse.ProvhouseError, match="VACUUM"):
            table.run(delete)
    finally:
        spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")
