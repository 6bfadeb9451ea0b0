"""A Delta table that captured statements change, and a model of its rows and their past."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from helpers.warehouse import House
from provhouse.model.errors import NotFound

Key = int | str
Sources = Mapping[Key, Iterable[str]]


@dataclass
class Changing:
    """The Delta table ``balance`` with the key ``k``, and the model of its rows."""

    house: House
    folder: Path
    key: str = "k"
    names: dict[Key, str] = field(default_factory=dict)
    """The name of each row that is in the table now."""
    parents: dict[str, set[str]] = field(default_factory=dict)
    ended: dict[Key, str] = field(default_factory=dict)
    """The last name of each row that was deleted."""
    last: str = ""
    """The name of the last source."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """The properties of the table, without the prefix ``delta.``."""

    @property
    def spark(self) -> SparkSession:
        return self.house.session

    @property
    def table(self) -> str:
        """The table's name in SQL."""
        return f"delta.`{self.folder / 'balance'}`"

    def source(self, name: str, /, **columns: Sequence[object]) -> DataFrame:
        """Write a source with the key ``k`` as Parquet; create a view of it; return its frame."""
        pq.write_table(pa.table(columns), self.folder / f"{name}.parquet")
        frame = self.spark.read.parquet(str(self.folder / f"{name}.parquet"))
        frame.createOrReplaceTempView(name)
        self.last = name
        return frame

    def run(self, change: str | Callable[[], object]) -> int:
        """Run a statement or function in a separate block; return the written version, or 0."""
        reads = self.last and (callable(change) or self.last in change)
        keys = {"balance": self.key} | ({self.last: self.key} if reads else {})
        with self.house.capture(keys=keys, run="change") as run:
            if isinstance(change, str):
                self.spark.sql(change.format(self.table))
            else:
                change()
        assert run.report
        return run.report.writes[-1].version if run.report.writes else 0

    def load(self, rows: DataFrame, where: Mapping[Key, str], layout: Iterable[str] = ()) -> None:
        """Write the first rows. ``where`` gives the source of each."""
        properties = {f"delta.{name}": value for name, value in self.properties.items()}
        writer = rows.coalesce(2).write.format("delta").partitionBy(*layout).options(**properties)
        version = self.run(lambda: writer.save(str(self.folder / "balance")))
        self.note(version, {key: [source] for key, source in where.items()}, new=True)

    def note(
        self, version: int, made: Sources, *, new: bool = False, gone: Iterable[Key] = ()
    ) -> None:
        """Record the rows that a change made, the sources of each row, and the rows that it ended.

        Unless the rows are ``new``, each also derives from the row that it replaces.
        """
        for key in gone:
            self.ended[key] = self.names.pop(key)
        for key, sources in made.items():
            name = f"balance/{key}@{version}"
            self.parents[name] = {*sources, *([] if new else [self.names[key]])}
            self.names[key] = name
            self.ended.pop(key, None)

    def past(self, name: str) -> set[str]:
        """Return all items from which a row derives, directly or not."""
        found, waiting = set[str](), [name]
        while waiting:
            above = self.parents.get(waiting.pop(), set()) - found
            found |= above
            waiting += above
        return found

    def check(self) -> None:
        """Compare each row's complete lineage, and the plain names of current and ended rows."""
        self.check_report()
        with self.house.open() as warehouse:
            for key, name in self.names.items():
                if name in self.parents:
                    assert warehouse.lineage(f"balance/{key}").versions == (name,)
            for key, name in self.ended.items():
                if name in self.parents:
                    with pytest.raises(NotFound, match="was deleted"):
                        warehouse.lineage(f"balance/{key}")

    def check_report(self, table: str = "balance") -> None:
        """Compare the complete lineage of each row of a report, a captured copy of the table."""
        report = self.folder / "report"
        keys = {"balance": self.key, "report": self.key}
        with self.house.capture(keys=keys, run="report"):
            rows = self.spark.read.format("delta").load(str(self.folder / table))
            rows.coalesce(1).write.mode("overwrite").parquet(str(report))
        assert {row[self.key] for row in rows.select(self.key).collect()} == set(self.names)
        with self.house.open() as warehouse:
            for key, name in self.names.items():
                items = {each.item for each in warehouse.lineage(f"report/{key}").items}
                assert items == {name, *self.past(name)}, name
