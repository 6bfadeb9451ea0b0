"""Lineage continues through folders that were renamed or copied between two captured jobs."""

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("renamed")


@pytest.fixture(scope="module")
def house(houses: Callable[..., House], spark: SparkSession, folder: Path) -> House:
    """A warehouse with a captured job that has written a table by each method of writing."""
    house = houses()
    pq.write_table(pa.table({"id": [1, 2, 3]}), folder / "orders.parquet")
    orders = spark.read.parquet(str(folder / "orders.parquet"))
    (folder / "log.txt").write_text("a\n1\n2\n")
    with house.capture(keys=KEYS) as run:
        orders.coalesce(1).write.parquet(str(folder / "keyed"))
        orders.coalesce(1).write.parquet(str(folder / "plain"))
        orders.coalesce(1).write.format("delta").save(str(folder / "delta"))
        orders.coalesce(1).write.csv(str(folder / "csv"), header=True)
        log = run.context.textFile(str(folder / "log.txt"))
        log.filter(str.isdecimal).saveAsTextFile(str(folder / "lines"))
        orders.coalesce(1).write.mode("overwrite").saveAsTable("night")
    return house


@pytest.mark.long
def test_a_file_that_may_be_another_one_is_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """A file in the copied folder has the name that Spark gave to the original, but other rows."""
    house, folder = houses(), tmp_path
    pq.write_table(pa.table({"id": [1, 2, 3]}), folder / "orders.parquet")
    orders = spark.read.parquet(str(folder / "orders.parquet"))
    with house.capture(keys={"orders": "id", "keyed": "id"}):
        orders.coalesce(1).write.parquet(str(folder / "keyed"))
    hidden = shutil.ignore_patterns(".*")  # the files with checksums
    shutil.copytree(folder / "keyed", folder / "changed", ignore=hidden)
    for file in (folder / "changed").glob("*.parquet"):
        pq.write_table(pq.read_table(file).slice(1), file, compression="none")
    frame = spark.read.parquet(str(folder / "changed"))
    with (
        pytest.raises(BadInput, match=r"unknown whether the rows of .*/changed/"),
        house.capture(keys={"report": "id"}),
    ):
        frame.write.parquet(str(folder / "report"))


@pytest.mark.long
def test_lineage_goes_on_in_renamed_and_copied_folders(
    house: House, spark: SparkSession, folder: Path
) -> None:
    """This test must be the last one that uses ``house``, because it renames the job's tables."""
    for name in ("keyed", "plain", "delta"):
        (folder / name).rename(folder / f"{name}-old")
    shutil.copytree(folder / "csv", folder / "csv-old", copy_function=shutil.copy)
    (folder / "lines").rename(folder / "lines-old")
    spark.sql("ALTER TABLE night RENAME TO morning")
    frames = {
        "keyed": spark.read.parquet(str(folder / "keyed-old")),
        "plain": spark.read.parquet(str(folder / "plain-old")),
        "delta": spark.read.format("delta").load(str(folder / "delta-old")),
        "csv": spark.read.csv(str(folder / "csv-old"), header=True),
        "night": spark.table("morning"),
    }
    keys = {"csv-old": "id"} | {f"out-{name}": "id" for name in frames}
    with house.capture(keys=keys) as run:
        for name, frame in frames.items():
            frame.where("id = 2").write.parquet(str(folder / f"out-{name}"))
        lines = run.context.textFile(str(folder / "lines-old"))
        lines.filter(lambda line: line == "2").saveAsTextFile(str(folder / "out-lines"))
    with house.open() as warehouse:
        for name in frames:
            found = {each.item for each in warehouse.lineage(f"out-{name}/2").items}
            assert "orders/2" in found, name
            assert any(each.startswith(f"{name}/") for each in found - {"orders/2"}), name
        (row,) = warehouse.find("out-lines/").items
        tables = {each.table for each in warehouse.lineage(row.item).items}
    assert tables == {"lines", "log"}


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
