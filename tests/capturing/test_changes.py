"""DELETE, UPDATE and MERGE of Delta tables, compared with a model of each row's history."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import provhouse
from helpers.changing import Changing
from helpers.warehouse import House

NAMES = [f"n{k}" for k in range(12)]


@pytest.fixture
def table(houses: Callable[..., House], tmp_path: Path) -> Changing:
    """A table with twelve rows in two files. Each row derives from one row of ``orders``."""
    made = Changing(houses(), tmp_path)
    orders = made.source("orders", k=[*range(12)], v=[k % 4 or None for k in range(12)], name=NAMES)
    made.load(orders, {k: f"orders/{k}" for k in range(12)})
    return made


def test_a_merge_changes_only_its_rows(table: Changing) -> None:
    """Copied rows keep their versions, and deleted rows end."""
    table.source("news", k=[1, 2, 20, 21], v=[7, None, 8, None], name=["a", "b", "c", "d"])
    version = table.run(
        "MERGE INTO {} t USING news s ON t.k = s.k "
        "WHEN MATCHED AND s.v IS NULL THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED AND s.v > 7 THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.v = 3 AND t.k > 5 THEN UPDATE SET v = t.v + 1"
    )
    table.note(version, {20: ["news/20"]}, new=True, gone=[2])
    table.note(version, {1: ["news/1"], 7: [], 11: []})
    table.check()


@pytest.mark.long
def test_an_update_and_a_delete_change_only_their_rows(table: Changing) -> None:
    version = table.run("UPDATE {} SET name = concat(name, '!') WHERE v = 1")
    table.note(version, {1: [], 5: [], 9: []})
    version = table.run("DELETE FROM {} WHERE v IS NULL")
    table.note(version, {}, gone=[0, 4, 8])
    table.check()


@pytest.mark.long
def test_a_merge_may_use_groups_and_the_table_itself(table: Changing) -> None:
    table.source("orders", k=[*range(12)], v=[*range(12)])
    version = table.run(
        "MERGE INTO {} t USING (SELECT k % 4 AS k, max(v) AS v FROM orders GROUP BY k % 4) s "
        "ON t.k = s.k WHEN MATCHED AND t.k > 0 THEN UPDATE SET v = s.v"
    )
    table.note(version, {k: [f"orders/{each}" for each in range(k, 12, 4)] for k in (1, 2, 3)})
    old = {k: table.names[k] for k in (1, 5)}
    version = table.run(
        "MERGE INTO {0} t USING (SELECT k + 100 AS k, v, name FROM {0} WHERE k IN (1, 5)) s "
        "ON t.k = s.k WHEN NOT MATCHED THEN INSERT *"
    )
    table.note(version, {k + 100: [name] for k, name in old.items()}, new=True)
    table.check()


@pytest.mark.long
@pytest.mark.parametrize(
    "properties",
    [{}, {"columnMapping.mode": "name"}, {"enableChangeDataFeed": "true"}],
    ids=["plain", "mapped", "feed"],
)
def test_a_merge_into_partitions_may_add_columns(
    properties: dict[str, str], table: Changing, spark: SparkSession
) -> None:
    table.properties = properties
    rows = table.source("orders", k=[*range(8)], part=[k % 2 for k in range(8)])
    shutil.rmtree(table.folder / "balance")
    table.names.clear()
    table.load(rows, {k: f"orders/{k}" for k in range(8)}, ["part"])
    table.source("news", k=[2, 9], part=[1, 1], more=["a", "b"])
    version = table.run(
        "MERGE WITH SCHEMA EVOLUTION INTO {} t USING news s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.k = 4 THEN DELETE"
    )
    table.note(version, {9: ["news/9"]}, new=True, gone=[4])
    table.note(version, {2: ["news/2"]})
    table.check()
    found = spark.read.format("delta").load(str(table.folder / "balance")).where("more IS NOT NULL")
    assert {(row["k"], row["part"], row["more"]) for row in found.collect()} == {
        (2, 1, "a"),
        (9, 1, "b"),
    }


@pytest.mark.long
def test_restored_and_cloned_tables_have_the_versions_of_their_rows(
    table: Changing, spark: SparkSession
) -> None:
    """RESTORE and SHALLOW CLONE outside of a block reuse files that captured jobs wrote."""
    before = dict(table.names)
    version = table.run("UPDATE {} SET v = 1 WHERE k < 3")
    spark.sql(f"RESTORE TABLE {table.table} TO VERSION AS OF 0")
    assert version
    table.names = before
    table.check_report()
    clone = table.folder / "clone" / "balance"
    spark.sql(f"CREATE TABLE delta.`{clone}` SHALLOW CLONE {table.table}")
    shutil.rmtree(table.folder / "report")
    table.check_report("clone/balance")


@pytest.mark.long
def test_the_api_of_delta_runs_the_same_commands(table: Changing, spark: SparkSession) -> None:
    """The test uses Delta's Scala class, to which Python's ``DeltaTable`` only forwards calls."""
    jvm = spark._jvm
    assert jvm
    path = str(table.folder / "balance")
    delta = jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, path)
    version = table.run(lambda: delta.updateExpr("k = 3", {"name": "'x'"}))
    table.note(version, {3: []})
    version = table.run(lambda: delta.delete("k = 5"))
    table.note(version, {}, gone=[5])
    news = table.source("news", k=[5, 6], v=[1, 1], name=["a", "b"])
    merge = getattr(delta, "as")("t").merge(getattr(news._jdf, "as")("s"), "t.k = s.k")
    merge = merge.whenMatched().updateAll().whenNotMatched().insertAll()
    version = table.run(merge.execute)
    table.note(version, {5: ["news/5"]}, new=True)
    table.note(version, {6: ["news/6"]})
    table.check()


@pytest.mark.long
def test_a_block_may_change_a_table_several_times(table: Changing, spark: SparkSession) -> None:
    with table.house.capture(keys={"balance": "k", "orders": "k"}, run="block") as run:
        spark.sql(f"UPDATE {table.table} SET v = 9")
        spark.sql(f"DELETE FROM {table.table} WHERE k = 1")
        spark.sql(f"UPDATE {table.table} SET name = 'y' WHERE k < 3")
        spark.sql(f"DELETE FROM {table.table} WHERE k = 99")
    assert run.report
    first, second, third = (write.version for write in run.report.writes)
    table.note(first, {k: [] for k in range(12)})
    table.note(second, {}, gone=[1])
    table.note(third, {0: [], 2: []})
    table.check()
    table.run("DELETE FROM {}")
    table.note(0, {}, gone=[*table.names])
    table.check()


@pytest.mark.long
@pytest.mark.parametrize("vectors", ["true", "false"])
def test_truncate_ends_all_rows(vectors: str, table: Changing, spark: SparkSession) -> None:
    """Rows that a deletion vector had marked before end only once."""
    spark.sql(
        f"ALTER TABLE {table.table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')"
    )
    version = table.run("DELETE FROM {} WHERE k = 3")
    table.note(version, {}, gone=[3])
    version = table.run("TRUNCATE TABLE {}")
    assert version
    table.note(version, {}, gone=[*table.names])
    table.check()
    again = table.source("again", k=[3, 4], v=[1, 1], name=["a", "b"])
    version = table.run(
        lambda: again.write.format("delta").mode("append").save(str(table.folder / "balance"))
    )
    table.note(version, {3: ["again/3"], 4: ["again/4"]}, new=True)
    table.check()


@pytest.mark.long
def test_a_change_that_fails_leaves_nothing(table: Changing, spark: SparkSession) -> None:
    table.source("twice", k=[1, 1], v=[1, 2], name=["a", "b"])
    for statement in (
        "MERGE INTO {} t USING twice s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v",
        "UPDATE {} SET v = raise_error('stop') WHERE k = 2",
    ):
        with (
            table.house.capture(keys={"balance": "k"}, run="fails") as run,
            pytest.raises(Exception, match=r"stop|DELTA_MULTIPLE_SOURCE_ROW"),
        ):
            spark.sql(statement.format(table.table))
        assert run.report
        assert not run.report.writes
    with table.house.open() as warehouse:
        assert warehouse.lineage("balance/1").versions == (table.names[1],)


@pytest.mark.long
def test_row_tracking_is_refused_by_name(table: Changing, spark: SparkSession) -> None:
    spark.sql(f"ALTER TABLE {table.table} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    before = sorted((table.folder / "balance").rglob("*.json"))
    with pytest.raises(provhouse.ProvhouseError, match="ids of copied rows"):
        table.run("UPDATE {} SET v = 1 WHERE k = 1")
    assert sorted((table.folder / "balance").rglob("*.json")) == before


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM {} WHERE k = 1",
        pytest.param("UPDATE {} SET v = 1 WHERE k = 1", marks=pytest.mark.long),
        pytest.param(
            "MERGE INTO {} t USING (SELECT 1 AS k) s ON t.k = s.k WHEN MATCHED THEN DELETE",
            marks=pytest.mark.long,
        ),
    ],
)
@pytest.mark.parametrize("moved", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_table_that_was_written_with_a_key_needs_it(
    moved: bool, statement: str, table: Changing, spark: SparkSession
) -> None:
    """Otherwise, a plain name would still mean the version before the change.

    OPTIMIZE outside of a block moves all rows to a file that no captured job wrote.
    """
    if moved:
        spark.sql(f"OPTIMIZE {table.table}")
    with (
        pytest.raises(provhouse.ProvhouseError, match="named its rows by the key k"),
        table.house.capture(run="no key"),
    ):
        spark.sql(statement.format(table.table))
