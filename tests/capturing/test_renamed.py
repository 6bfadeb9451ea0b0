"""Folders that captured jobs have written, and that were renamed or copied before the next job."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.warehouse import House
from provhouse.model.errors import BadInput

KEYS = dict.fromkeys(("orders", "keyed", "delta", "csv"), "id")


@pytest.fixture
def house(houses: Callable[..., House], spark: SparkSession, tmp_path: Path) -> House:
    """A warehouse with a captured job that has written a table in each way."""
    house = houses()
    pq.write_table(pa.table({"id": [1, 2, 3]}), tmp_path / "orders.parquet")
    orders = spark.read.parquet(str(tmp_path / "orders.parquet"))
    (tmp_path / "log.txt").write_text("a\n1\n2\n")
    with house.capture(keys=KEYS) as run:
        orders.coalesce(1).write.parquet(str(tmp_path / "keyed"))
        orders.coalesce(1).write.parquet(str(tmp_path / "plain"))
        orders.coalesce(1).write.format("delta").save(str(tmp_path / "delta"))
        orders.coalesce(1).write.csv(str(tmp_path / "csv"), header=True)
        log = run.context.textFile(str(tmp_path / "log.txt"))
        log.filter(str.isdecimal).saveAsTextFile(str(tmp_path / "lines"))
        orders.coalesce(1).write.mode("overwrite").saveAsTable("night")
    return house


def test_lineage_goes_on_in_renamed_and_copied_folders(
    house: House, spark: SparkSession, tmp_path: Path
) -> None:
    for name in ("keyed", "plain", "delta"):
        (tmp_path / name).rename(tmp_path / f"{name}-old")
    shutil.copytree(tmp_path / "csv", tmp_path / "csv-old", copy_function=shutil.copy)
    (tmp_path / "lines").rename(tmp_path / "lines-old")
    spark.sql("ALTER TABLE night RENAME TO morning")
    frames = {
        "keyed": spark.read.parquet(str(tmp_path / "keyed-old")),
        "plain": spark.read.parquet(str(tmp_path / "plain-old")),
        "delta": spark.read.format("delta").load(str(tmp_path / "delta-old")),
        "csv": spark.read.csv(str(tmp_path / "csv-old"), header=True),
        "night": spark.table("morning"),
    }
    keys = {"csv-old": "id"} | {f"out-{name}": "id" for name in frames}
    with house.capture(keys=keys) as run:
        for name, frame in frames.items():
            frame.where("id = 2").write.parquet(str(tmp_path / f"out-{name}"))
        lines = run.context.textFile(str(tmp_path / "lines-old"))
        lines.filter(lambda line: line == "2").saveAsTextFile(str(tmp_path / "out-lines"))
    with house.open() as warehouse:
        for name in frames:
            found = {each.item for each in warehouse.lineage(f"out-{name}/2").items}
            assert "orders/2" in found, name
            assert any(each.startswith(f"{name}/") for each in found - {"orders/2"}), name
        (row,) = warehouse.find("out-lines/").items
        tables = {each.table for each in warehouse.lineage(row.item).items}
    assert tables == {"lines", "log"}


def test_a_file_that_may_be_another_one_is_refused(
    house: House, spark: SparkSession, tmp_path: Path
) -> None:
    """It was written again elsewhere, under the name that Spark had given it."""
    hidden = shutil.ignore_patterns(".*")  # with checksums
    shutil.copytree(tmp_path / "keyed", tmp_path / "changed", ignore=hidden)
    for file in (tmp_path / "changed").glob("*.parquet"):
        pq.write_table(pq.read_table(file).slice(1), file, compression="none")
    frame = spark.read.parquet(str(tmp_path / "changed"))
    with (
        pytest.raises(BadInput, match=r"unknown whether the rows of .*/changed/"),
        house.capture(keys={"report": "id"}),
    ):
        frame.write.parquet(str(tmp_path / "report"))


@pytest.mark.long
def test_a_folder_that_is_renamed_in_its_block_keeps_out_what_reads_it(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    house = houses()
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "orders.parquet")
    orders = spark.read.parquet(str(tmp_path / "orders.parquet"))

    def job() -> None:
        with house.capture(keys={"orders": "id", "keyed": "id", "report": "id"}):
            orders.write.parquet(str(tmp_path / "keyed"))
            orders.write.parquet(str(tmp_path / "report"))
            (tmp_path / "keyed").rename(tmp_path / "old")
            spark.read.parquet(str(tmp_path / "old")).write.parquet(str(tmp_path / "built"))

    with pytest.raises(BadInput, match="is gone") as error:
        job()
    assert error.value.found.endswith("It keeps out keyed, built; the other 1 writes were ingested")
    with house.open() as warehouse:
        assert {each.item for each in warehouse.lineage("report/2").items} == {"orders/2"}
