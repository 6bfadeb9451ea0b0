"""Delta tables whose rows are deleted by deletion vectors, as sources and as changed tables."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

import provhouse
from helpers.changing import Changing
from helpers.warehouse import House
from provhouse.capturing.reading.deletion_vector import DeletionVector
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput

VECTORS = {"delta.enableDeletionVectors": "true"}


@pytest.fixture
def orders(spark: SparkSession, tmp_path: Path) -> Path:
    """A table with ten rows in two files. No captured job wrote it."""
    path = tmp_path / "orders"
    rows = spark.range(12).selectExpr("id AS k", "id % 4 AS v").repartitionByRange(2, "k")
    rows.write.format("delta").options(**VECTORS).save(str(path))
    spark.sql(f"DELETE FROM delta.`{path}` WHERE k IN (3, 7)")
    spark.sql(f"UPDATE delta.`{path}` SET v = 9 WHERE k = 5")
    assert len(vectors(path)) > 1
    return path


def vectors(table: Path) -> list[DeletionVector]:
    """Return the deletion vectors in the log of a table, in order."""
    lines = [
        json.loads(line)
        for path in sorted((table / "_delta_log").glob("*.json"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    found = [line["add"].get("deletionVector") for line in lines if "add" in line]
    return [DeletionVector.of(each, table) for each in found if each]


@pytest.mark.parametrize("batches", ["true", "false"])
def test_a_deleted_row_is_no_source(
    batches: str, orders: Path, houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """The key 5 is in two files, but only one of its rows is left."""
    house = houses()
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", batches)
    try:
        with house.capture(keys={"orders": "k", "report": "k"}, run="report"):
            rows = spark.read.format("delta").load(str(orders))
            rows.coalesce(1).write.parquet(str(tmp_path / "report"))
            rows.groupBy("v").count().coalesce(1).write.parquet(str(tmp_path / "counts"))
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
    left = [k for k in range(12) if k not in (3, 7)]
    with house.open() as warehouse:
        for k in left:
            items = {each.item for each in warehouse.lineage(f"report/{k}").items}
            assert items == {f"orders/{k}"}
        for k in (3, 7):
            with pytest.raises(provhouse.ProvhouseError, match=f"report/{k}"):
                warehouse.lineage(f"report/{k}")


@pytest.mark.long
def test_rows_without_a_key_have_their_positions(
    orders: Path, houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    house = houses()
    rows = spark.read.format("delta").load(str(orders))
    found = rows.selectExpr("k", "_metadata.row_index AS at", "_metadata.file_name AS file")
    places = {row["k"]: (row["file"], row["at"]) for row in found.collect()}
    with house.capture(keys={"report": "k"}, run="report"):
        rows.coalesce(1).write.parquet(str(tmp_path / "report"))
    with house.open() as warehouse:
        ids = dict[int, int]()
        for k in places:
            (item,) = warehouse.lineage(f"report/{k}").items
            ids[k] = int(item.item.removeprefix("orders/"))
    assert {k: at for k, (_, at) in places.items()} == {
        k: row & ((1 << ROW_BITS) - 1) for k, row in ids.items()
    }
    assert len({(file, ids[k] >> ROW_BITS) for k, (file, _) in places.items()}) == 3


@pytest.mark.long
def test_a_row_may_return_in_the_file_of_its_deletion(
    houses: Callable[..., House], tmp_path: Path, spark: SparkSession
) -> None:
    """A row that was deleted, inserted again and copied has not ended a second time."""
    table = Changing(houses(), tmp_path, properties={"enableDeletionVectors": "true"})
    first = table.source("orders", k=[*range(8)], v=[*range(8)])
    table.load(first, {k: f"orders/{k}" for k in range(8)})
    table.note(table.run("DELETE FROM {} WHERE k IN (1, 2)"), {}, gone=[1, 2])
    table.source("news", k=[1, 9], v=[5, 5])
    insert = "MERGE INTO {} t USING news s ON t.k = s.k WHEN NOT MATCHED THEN INSERT *"
    table.note(table.run(insert), {1: ["news/1"], 9: ["news/9"]}, new=True)
    spark.conf.set("spark.databricks.delta.delete.deletionVectors.persistent", "false")
    try:
        version = table.run(
            "DELETE FROM {} WHERE k = 3"
        )  # copies the file without the rows 1 and 2
    finally:
        spark.conf.unset("spark.databricks.delta.delete.deletionVectors.persistent")
    table.note(version, {}, gone=[3])
    table.check()


@pytest.mark.long
def test_a_vector_has_the_rows_that_were_deleted(spark: SparkSession, tmp_path: Path) -> None:
    """The vector has blocks of all three kinds: lists, bits and runs."""
    table = tmp_path / "numbers"
    rows = spark.range(300_000).coalesce(1)
    rows.write.format("delta").options(**VECTORS).save(str(table))
    deleted = "id = 7 OR id BETWEEN 70000 AND 90000 OR (id > 150000 AND id % 3 = 0)"
    spark.sql(f"DELETE FROM delta.`{table}` WHERE {deleted}")
    (vector,) = vectors(table)
    expected = np.array([row["id"] for row in rows.where(deleted).sort("id").collect()])
    assert np.array_equal(vector.rows(), expected)
    path = next(table.glob("deletion_vector_*.bin"))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadInput, match="deletion vector"):
        vector.rows()
