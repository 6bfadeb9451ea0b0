"""DELETE, UPDATE and MERGE of Delta tables for which no key is declared.

A row is then named by its file and position. So a row that Delta copies to another file is another
row, which derives from the first one. The oracle identifies a row by the column ``n``, and finds
out from plain Spark whether the row has moved to another file. Other columns have NULL and repeated
values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.warehouse import House

COUNT = 12
MERGE = (
    "MERGE INTO {} t USING news s ON t.k = s.k "
    "WHEN MATCHED AND s.v IS NULL THEN DELETE "
    "WHEN MATCHED AND t.n % 2 = 0 THEN UPDATE SET name = s.name "
    "WHEN NOT MATCHED AND s.v > 7 THEN INSERT * "
    "WHEN NOT MATCHED BY SOURCE AND t.n = 11 THEN UPDATE SET v = 5"
)
"""A MERGE that updates, deletes, inserts and copies rows; see ``merged``."""


@dataclass
class Table:
    """The table ``balance``, and a model of the rows that each of its rows derives from."""

    house: House
    folder: Path
    properties: Mapping[str, str]
    sources: dict[int, set[str]] = field(default_factory=dict)
    """For each row, its sources in other tables."""
    rows: dict[int, int] = field(default_factory=dict)
    """For each row, the number of rows of the table that it is or derives from."""

    @property
    def name(self) -> str:
        """The table's name in SQL."""
        return f"delta.`{self.folder / 'balance'}`"

    def source(self, name: str, /, **columns: list[object]) -> None:
        """Write a source with the key ``n``, and make it a view."""
        path = self.folder / f"{name}.parquet"
        pq.write_table(pa.table(columns), path)
        self.house.session.read.parquet(str(path)).createOrReplaceTempView(name)

    def load(self) -> None:
        """Write the first rows into two files."""
        self.source(
            "orders",
            n=[*range(COUNT)],
            k=[None, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6],
            v=[n % 4 or None for n in range(COUNT)],
            name=[f"n{n}" for n in range(COUNT)],
        )
        options = {f"delta.{name}": value for name, value in self.properties.items()}
        with self.house.capture(keys={"orders": "n"}, run="load"):
            rows = self.house.session.table("orders").coalesce(1).sortWithinPartitions("n")
            writer = rows.write.format("delta").options(**options)
            writer.option("maxRecordsPerFile", 8).save(str(self.folder / "balance"))
        self.sources = {n: {f"orders/{n}"} for n in range(COUNT)}
        self.rows = dict.fromkeys(range(COUNT), 1)
        assert len(set(self.files().values())) == 2

    def files(self) -> dict[int, str]:
        """Return the file of each row of the table."""
        rows = self.house.session.read.format("delta").load(str(self.folder / "balance"))
        found = rows.select("n", F.input_file_name().alias("file")).collect()
        return {row["n"]: row["file"] for row in found}

    def run(self, statement: str, made: Mapping[int, set[str]]) -> None:
        """Change the table in a block. ``made`` has the changed rows and their further sources."""
        before = self.files()
        self.change(statement.format(self.name), {"news": "n"} if "news" in statement else {})
        after = self.files()
        assert all(after[n] != before.get(n) for n in made)
        for n in after:
            if after[n] != before.get(n):
                self.rows[n] = self.rows.get(n, 0) + 1
                self.sources[n] = self.sources.get(n, set()) | made.get(n, set())
        for n in before.keys() - after.keys():
            del self.rows[n], self.sources[n]

    def change(self, statement: str, keys: dict[str, str]) -> None:
        """Run a statement in a block."""
        with self.house.capture(keys=keys, run="change"):
            self.house.session.sql(statement)

    def report(self) -> None:
        """Make ``report``, a captured copy of the table."""
        report = self.folder / "report"
        with self.house.capture(keys={"report": "n"}, run="report"):
            rows = self.house.session.read.format("delta").load(str(self.folder / "balance"))
            rows.coalesce(1).write.mode("overwrite").parquet(str(report))

    def check(self) -> None:
        """Compare the complete lineage of each row of a captured copy of the table."""
        self.report()
        assert self.files().keys() == self.rows.keys()
        with self.house.open() as warehouse:
            for n, expected in self.sources.items():
                items = {each.item for each in warehouse.lineage(f"report/{n}").items}
                found = {item for item in items if item.startswith(("orders/", "news/"))}
                assert found == expected, n
                assert len(items - found) == self.rows[n], n


@pytest.fixture
def table(request: pytest.FixtureRequest, houses: Callable[..., House], tmp_path: Path) -> Table:
    """A table with twelve rows in two files, and with the properties of the test's parameter."""
    made = Table(houses(), tmp_path, getattr(request, "param", {}))
    made.load()
    return made


def merged(table: Table, first: int, new: int) -> None:
    """Run ``MERGE``. No row of ``news`` is an input of row 3, which is only copied."""
    table.source(
        "news",
        n=[*range(first, first + 5)],
        k=[1, 2, None, new, 1000],
        v=[7, None, 8, 9, 1],
        name=["a", "b", "c", "d", "e"],
    )
    inserted = {n: {f"news/{n}"} for n in (first + 2, first + 3)}
    table.run(MERGE, {2: {f"news/{first}"}, 11: set(), **inserted})


def test_a_copied_row_derives_from_its_original_alone(table: Table) -> None:
    merged(table, 100, 9)
    assert table.rows.keys() == {*range(COUNT), 102, 103} - {4, 5}
    table.check()


@pytest.mark.long
@pytest.mark.parametrize(
    "table",
    [
        {},
        {"enableDeletionVectors": "true"},
        {"enableChangeDataFeed": "true"},
        {"columnMapping.mode": "name"},
    ],
    ids=["plain", "vectors", "feed", "mapped"],
    indirect=True,
)
@pytest.mark.parametrize("all_rows", ["DELETE FROM {}", "TRUNCATE TABLE {}"])
def test_several_changes_of_a_table(all_rows: str, table: Table) -> None:
    merged(table, 100, 9)
    table.run("UPDATE {} SET name = 'x' WHERE v = 1", {1: set(), 9: set()})
    table.run("DELETE FROM {} WHERE v IS NULL", {})
    table.run("UPDATE {} SET name = 'y' WHERE n > 1000", {})
    merged(table, 200, 10)
    table.check()
    table.run(all_rows, {})
    table.check()


@pytest.mark.long
def test_moved_rows_need_a_key(table: Table, spark: SparkSession) -> None:
    before = table.files()
    with (
        pytest.raises(provhouse.ProvhouseError, match="moves rows of balance"),
        table.house.capture(run="moved"),
    ):
        spark.sql(f"OPTIMIZE {table.name}")
    assert table.files() == before
