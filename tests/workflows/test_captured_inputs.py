"""Inputs of captured jobs whose state is easily mistaken: external tables, partitions, JDBC."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from helpers.warehouse import House
from provhouse.capturing.analysed_plan import plan_of
from provhouse.equivalence.plan_form import doubts

DERBY = "jdbc:derby:memory:pinned;create=true"


@pytest.fixture
def house(houses: Callable[..., House]) -> House:
    """An empty warehouse."""
    return houses()


@pytest.fixture
def table(spark: SparkSession) -> Iterator[str]:
    """The name of a table in Spark's catalog, which is dropped after the test."""
    yield "orders"
    spark.sql("drop table if exists orders")


def write(spark: SparkSession, folder: Path, *ids: int) -> Path:
    frame = spark.createDataFrame([(each, each * 10) for each in ids], "id int, price int")
    frame.coalesce(1).write.parquet(str(folder))
    return folder


def job(house: House, read: DataFrame, folder: Path, *keyed: str) -> str:
    """Execute and capture a job with a key for some tables, and return its revision."""
    keys = dict.fromkeys(keyed or ("orders", "report"), "id")
    with house.capture(keys=keys, workflow="nightly") as run:
        read.where("price > 10").select("id", "price").write.mode("overwrite").parquet(
            str(folder / "report")
        )
    assert run.report
    return run.report.revision


def reused(house: House, revision: str) -> tuple[str, list[int]]:
    """Return the decision on a revision, and the ids of the result that it names."""
    with house.open() as warehouse:
        found = warehouse.reuse(revision)
    rows = pq.read_table(found.path)["id"].to_pylist() if found.decision == "reuse" else []
    return found.decision, sorted(rows)


@pytest.mark.long
def test_an_external_table_in_another_folder_is_another_input(
    house: House, spark: SparkSession, table: str, tmp_path: Path
) -> None:
    """The plan has the name of the table, which stays the same; its data do not."""
    for name, ids in (("one", (1, 2, 3)), ("other", (3, 4))):
        place = write(spark, tmp_path / name, *ids)
        spark.sql(f"create table {table} using parquet location '{place}'")
        assert job(house, spark.table(table), tmp_path) == "nightly@r1"
        kept = [each for each in ids if each > 1]
        assert reused(house, "nightly@r1") == ("reuse", kept)
        spark.sql(f"drop table {table}")
    write(spark, tmp_path / "more", 9)
    (file,) = (tmp_path / "more").glob("*.parquet")
    file.rename(tmp_path / "other" / file.name)
    assert reused(house, "nightly@r1") == ("build", [])


@pytest.mark.long
def test_a_partition_in_another_folder_is_not_pinned(
    house: House, spark: SparkSession, table: str, tmp_path: Path
) -> None:
    """The files of the table's own folder are those that were read, but others were read too.

    With a key for its rows, the job is refused, since two folders would have rows of one name.
    """
    spark.sql(
        f"create table {table}(id int, price int, day int) using parquet "
        f"partitioned by (day) location '{tmp_path / 'table'}'"
    )
    spark.sql(f"insert into {table} values (1, 20, 1)")
    place = write(spark, tmp_path / "elsewhere", 7)
    spark.sql(f"alter table {table} add partition (day = 2) location '{place}'")
    assert spark.table(table).count() == 2
    with pytest.warns(UserWarning, match="report is not stored"):
        revision = job(house, spark.table(table), tmp_path, "report")
    assert reused(house, revision) == ("build", [])


def test_a_plan_that_reads_jdbc_is_in_doubt(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, 20)], "id int, price int")
    frame.write.jdbc(DERBY, "orders", "overwrite")
    read = [spark.read.jdbc(DERBY, "orders"), spark.read.jdbc(DERBY, "(select * from orders) o")]
    assert ["neither a table nor files" in " ".join(doubts(plan_of(each))) for each in read] == [
        True,
        True,
    ]


@pytest.mark.long
def test_a_result_from_jdbc_is_never_reused(
    house: House, spark: SparkSession, tmp_path: Path
) -> None:
    for price in (20, 30):
        frame = spark.createDataFrame([(1, price)], "id int, price int")
        frame.write.jdbc(DERBY, "orders", "overwrite")
        revision = job(house, spark.read.jdbc(DERBY, "orders"), tmp_path)
        assert reused(house, revision) == ("build", [])
    with house.open() as warehouse:
        found = warehouse.diff_revisions("nightly@r1", "nightly@r1", records=True)
    assert found.results
    assert "The rows may depend on more than the inputs" in found.results.notes[0]
