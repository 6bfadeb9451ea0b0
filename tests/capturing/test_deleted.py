"""If a captured overwrite left out a row, the row's plain name no longer refers to any row."""

from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.shop import write_shop
from helpers.warehouse import House
from provhouse.care.rollback import rollback
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent

KEYS = {"orders": "id", "balance": "id"}


class Table:
    """A table that is written repeatedly, and a model of its rows."""

    def __init__(self, house: House, folder: Path, form: str) -> None:
        self._house, self._folder, self._form = house, folder, form
        self.now: dict[int, int] = {}
        """The current version of each row that is in the table now."""
        self.last: dict[int, int] = {}
        """The last version of each row that was ever in the table."""
        self.deleted: dict[int, int] = {}
        """For each row that is now deleted, the version of the write that deleted it."""

    def write(
        self, numbers: Collection[int], mode: str, path: str = "balance", more: Collection[int] = ()
    ) -> int:
        """Write rows in a block, and append the rows ``more``, if any. Return the generation."""
        spark = self._house.session
        orders = spark.read.parquet(str(self._folder / "orders")).select("id")
        parts = [(numbers, mode), (more, "append")][: 2 if more else 1]
        with self._house.capture(keys=KEYS, run=f"{mode} {len(numbers)}") as run:
            for part, how in parts:
                rows = orders.where(F.col("id").isin(*part))
                rows.write.format(self._form).mode(how).save(str(self._folder / path))
        assert run.report
        for (part, how), write in zip(parts, run.report.writes, strict=True):
            self._note(part, how, path, write.version)
        return run.report.generation

    def _note(self, numbers: Collection[int], mode: str, path: str, version: int) -> None:
        self.last |= dict.fromkeys(numbers, version)
        if mode == "overwrite" and path == "balance":
            self.deleted |= dict.fromkeys(self.now.keys() - set(numbers), version)
            self.now = {}
        self.now |= dict.fromkeys(numbers, version)
        for number in numbers:
            self.deleted.pop(number, None)

    def check(self, warehouse: provhouse.Warehouse, as_of: int | None = None) -> None:
        """Ask about each row that was ever written, by its plain name and by its last version."""
        for number, version in self.last.items():
            name = f"balance/{number}"
            if number in self.deleted:
                with pytest.raises(NotFound, match="was deleted") as error:
                    warehouse.lineage(name, as_of=as_of)
                assert f"Write {self.deleted[number]} of run 'overwrite" in error.value.found
                assert f"'{name}@{version}'" in error.value.remedy
            else:
                assert warehouse.lineage(name, as_of=as_of).versions == (f"{name}@{version}",)
            for found in (f"{name}@{version}", name):
                every = warehouse.lineage(found, all_versions=True, as_of=as_of)
                assert {each.item for each in every.items} == {f"orders/{number}"}


@pytest.mark.long
@pytest.mark.parametrize(
    "form", ["parquet", *(pytest.param(form, marks=pytest.mark.long) for form in ("delta", "json"))]
)
def test_an_overwrite_deletes_the_rows_that_it_leaves_out(
    form: str, houses: Callable[..., House], tmp_path: Path
) -> None:
    write_shop(tmp_path)
    house = houses()
    table = Table(house, tmp_path, form)
    first = table.write([1, 2, 3, 4], "overwrite", more=[5])
    table.write([2, 6], "overwrite", more=[3])
    with house.open() as warehouse:
        table.check(warehouse)
        assert table.deleted.keys() == {1, 4, 5}
        for number in (1, 2, 3, 4):  # before the overwrite
            found = warehouse.lineage(f"balance/{number}", as_of=first).items
            assert {each.item for each in found} == {f"orders/{number}"}
    rollback(house.settings, Silent())
    with house.open() as warehouse:
        for number in (1, 4, 5):
            found = warehouse.lineage(f"balance/{number}").items
            assert {each.item for each in found} == {f"orders/{number}"}


@pytest.mark.long
def test_a_table_in_another_folder_deletes_nothing(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    write_shop(tmp_path)
    table = Table(house := houses(), tmp_path, "parquet")
    table.write([1, 2], "overwrite", "monday/balance")
    table.write([2], "overwrite", "tuesday/balance")
    with house.open() as warehouse:
        table.check(warehouse)


@pytest.mark.long
def test_an_overwrite_with_a_row_of_nothing_proves_no_deletion(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """An aggregate of no rows has no lineage, so the plain name means the version before it."""
    write_shop(tmp_path)
    house = houses()
    orders = spark.read.parquet(str(tmp_path / "orders"))
    for highest in (3, 0):
        with house.capture(keys={"orders": "id", "sums": "n"}):
            counted = orders.where(F.col("id") <= highest).agg(
                F.lit("all").alias("n"), F.count("*")
            )
            counted.write.mode("overwrite").parquet(str(tmp_path / "sums"))
    with house.open() as warehouse:
        found = {each.item for each in warehouse.lineage("sums/all").items}
        assert found == {"orders/1", "orders/2", "orders/3"}
