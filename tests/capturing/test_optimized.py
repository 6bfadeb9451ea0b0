"""OPTIMIZE, REORG and CLONE of Delta tables inside a block: rows keep their names."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from helpers.changing import Changing
from helpers.warehouse import House

VECTORS = {"enableDeletionVectors": "true"}
MAPPED = {"columnMapping.mode": "name"}


def changed(house: House, folder: Path, properties: Mapping[str, str]) -> Changing:
    """Return a table of several files whose rows have several versions; two rows were deleted."""
    table = Changing(house, folder, properties=properties)
    rows = table.source("orders", k=[*range(12)], v=[k % 4 for k in range(12)])
    table.load(rows, {k: f"orders/{k}" for k in range(12)})
    table.note(table.run("UPDATE {} SET v = 7 WHERE k IN (2, 9)"), {2: [], 9: []})
    table.note(table.run("DELETE FROM {} WHERE k IN (0, 11)"), {}, gone=[0, 11])
    table.source("news", k=[20, 21], v=[1, 2])
    insert = "MERGE INTO {} t USING news s ON t.k = s.k WHEN NOT MATCHED THEN INSERT *"
    table.note(table.run(insert), {k: [f"news/{k}"] for k in (20, 21)}, new=True)
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
