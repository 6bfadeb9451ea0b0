"""Rows of Delta tables keep their lineage if they are moved to other files between two blocks."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from helpers.shop import write_shop
from helpers.warehouse import House

STATEMENTS = (
    "UPDATE {} SET cust = 'zoe' WHERE id = 2",
    "OPTIMIZE {}",
    "DELETE FROM {} WHERE id = 7",
)


class Table:
    """A Delta table with two captured writes, which uncaptured commands change afterwards."""

    def __init__(self, house: House, folder: Path, tracked: bool, key: bool) -> None:
        write_shop(folder)
        self._house, self._folder, self._spark = house, folder, house.session
        self._keys = {"orders": "id", **({"balance": "id"} if key else {})}
        self.path = f"delta.`{folder / 'balance'}`"
        tracking = f"TBLPROPERTIES ('delta.enableRowTracking' = '{str(tracked).lower()}')"
        self._spark.sql(f"CREATE TABLE {self.path} (id LONG, cust STRING) USING delta {tracking}")
        orders = self._spark.read.parquet(str(folder / "orders")).select("id", "cust")
        with house.capture(keys=self._keys, run="night") as run:
            for which in ("id < 5", "id >= 5"):
                writer = orders.where(which).coalesce(1).write.format("delta").mode("append")
                writer.save(str(folder / "balance"))
        assert run.report
        self.versions = [write.version for write in run.report.writes]

    def report(self) -> dict[int, set[str]]:
        """Copy the table in a captured block; return the direct sources of each copied row."""
        table = self._spark.read.format("delta").load(str(self._folder / "balance"))
        with self._house.capture(keys={**self._keys, "report": "id"}):
            table.where("id > 1").write.mode("overwrite").parquet(str(self._folder / "report"))
        with self._house.open() as warehouse:
            return {
                id: {each.item for each in warehouse.lineage(f"report/{id}", depth=1).items}
                for (id,) in table.where("id > 1").select("id").collect()
            }

    def version(self, id: int) -> int:
        """Return the version of the captured write that wrote the given row."""
        return self.versions[id >= 5]


@pytest.mark.long
@pytest.mark.parametrize(
    ("statements", "gone"),
    [(STATEMENTS[:1], set()), pytest.param(STATEMENTS, {7}, marks=pytest.mark.long)],
)
def test_rows_that_delta_has_moved_keep_their_versions(
    statements: Sequence[str],
    gone: set[int],
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    """Of the remaining rows, only the updated one no longer belongs to a captured write."""
    house = houses()
    table = Table(house, tmp_path, tracked=True, key=True)
    for statement in statements:
        spark.sql(statement.format(table.path))
    found = table.report()
    kept = {*range(3, 10)} - gone
    expected = {id: {f"balance/{id}@{table.version(id)}"} for id in kept}
    assert found == {**expected, 2: {"balance/2"}}
    with house.open() as warehouse:
        assert {each.item for each in warehouse.lineage("report/4").items} > {"orders/4"}
        assert {each.item for each in warehouse.lineage("report/2").items} == {"balance/2"}


@pytest.mark.long
def test_moved_rows_without_a_key_keep_their_row_ids(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(houses(), tmp_path, tracked=True, key=False)
    before = table.report()
    spark.sql(STATEMENTS[0].format(table.path))
    updated = table.report()
    assert {id for id in before if before[id] != updated[id]} == {2}
    spark.sql(STATEMENTS[1].format(table.path))
    moved = table.report()
    assert {id for id in before if before[id] != moved[id]} == {2}


@pytest.mark.long
def test_without_row_tracking_moved_rows_are_those_of_any_source(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(houses(), tmp_path, tracked=False, key=True)
    assert table.report()[3] == {f"balance/3@{table.version(3)}"}
    spark.sql(STATEMENTS[1].format(table.path))
    assert table.report()[3] == {"balance/3"}
