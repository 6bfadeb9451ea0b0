"""Nightly jobs read their own results; the chains of versions equal those of a model.

Each night, the job updates a state as MERGE would, by joining the old rows with the changes. It
appends the changed rows to a report, and overwrites the totals of the state.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.warehouse import House
from provhouse.care.prune import prune
from provhouse.model.errors import NotFound, ProvhouseError
from provhouse.model.progress import Silent

KEYS = {"changes": "id", "balance": "k", "report": "line", "totals": "rest"}


def changes(night: int) -> list[tuple[int, int, int | None]]:
    """Return a night's changes: an id, a row's key, and the row's amount or None to delete it."""
    rows: list[tuple[int, int, int | None]] = [
        (100 * night + k, k, night * k) for k in range(1, 7) if (k + night) % 3 == 0 or night == 1
    ]
    gone = 1 + night % 5
    if night > 1 and not any(k == gone for _, k, _ in rows):
        rows.append((100 * night + gone, gone, None))
    return rows


@dataclass
class Model:
    """The versions of all rows, and the items that each version was made from."""

    direct: dict[str, set[str]] = field(default_factory=dict)
    newest: dict[str, str] = field(default_factory=dict)
    """The last version of each row that was ever written, by the row's plain name."""
    balance: dict[int, str] = field(default_factory=dict)
    """The rows of the state, by key."""

    def add(self, row: str, version: int, sources: set[str]) -> str:
        """Add a version of a row."""
        name = f"{row}@{version}"
        self.direct[name], self.newest[row] = sources, name
        return name

    def night(self, number: int, versions: dict[str, int]) -> None:
        """Add the versions of all rows that a night writes."""
        changed = {k: (id, amount) for id, k, amount in changes(number)}
        state = dict[int, str]()
        for k in sorted({*self.balance, *changed}):
            id, amount = changed.get(k, (0, 0))
            if amount is None:
                continue
            sources = {self.balance[k]} if k in self.balance else set()
            sources |= {f"changes/{id}"} if k in changed else set()
            state[k] = self.add(f"balance/{k}", versions["balance"], sources)
            if k in changed:
                self.add(f"report/{number}-{k}", versions["report"], {state[k]})
        for rest in {k % 2 for k in state}:
            rows = {name for k, name in state.items() if k % 2 == rest}
            self.add(f"totals/{rest}", versions["totals"], rows)
        self.balance = state

    def deleted(self, folders: bool) -> set[str]:
        """Return the rows that an overwrite left out.

        If ``folders`` is true, each night writes the state to a new folder, so no overwrite leaves
        out any of its rows.
        """
        here = {f"totals/{k % 2}" for k in self.balance} | {f"balance/{k}" for k in self.balance}
        tables = ("totals/",) if folders else ("totals/", "balance/")
        return {row for row in self.newest if row.startswith(tables) and row not in here}

    def lineage(self, name: str) -> set[str]:
        """Return all items that a row was derived from."""
        found = set[str]()
        waiting = [name]
        while waiting:
            sources = self.direct.get(waiting.pop(), set()) - found
            found |= sources
            waiting += sources
        return found


class Nights:
    """A job that runs each night and makes three writes in one block."""

    def __init__(self, form: str, runs: int, house: House, folder: Path) -> None:
        self._form, self._runs, self._house, self._folder = form, runs, house, folder
        self.model, self.generations = Model(), list[int]()

    def run(self, number: int) -> None:
        """Run the job of a night, and add its rows to the model."""
        spark = self._house.session
        rows = spark.createDataFrame(changes(number), "id long, key long, amount long")
        rows.coalesce(1).write.parquet(str(self._folder / str(number) / "changes"))
        with self._house.capture(keys=KEYS, run=f"night {number % self._runs}") as run:
            read = spark.read.parquet(str(self._folder / str(number) / "changes"))
            state = self._changed(read, number)
            self._write(state, self._state(number), "overwrite")
            balance = spark.read.format(self._form).load(str(self._state(number)))
            line = F.concat(F.lit(f"{number}-"), "k").alias("line")
            report = balance.where(F.col("night") == number).select(line, "amount")
            self._write(report, self._folder / "report", "append")
            totals = balance.groupBy((F.col("k") % 2).alias("rest")).agg(F.sum("amount").alias("n"))
            self._write(totals, self._folder / "totals", "overwrite")
        assert run.report
        self.generations.append(run.report.generation)
        self.model.night(number, {each.table: each.version for each in run.report.writes})

    def _changed(self, read: DataFrame, night: int) -> DataFrame:
        now = F.lit(night).cast("long")
        if night == 1:
            return read.select(F.col("key").alias("k"), "amount", now.alias("night"))
        spark = self._house.session
        old = spark.read.format(self._form).load(str(self._state(night - 1)))
        merged = old.join(
            read.withColumnRenamed("amount", "new"), F.col("k") == F.col("key"), "full"
        )
        return merged.where("key IS NULL OR new IS NOT NULL").select(
            F.coalesce("k", "key").alias("k"),
            F.coalesce("new", "amount").alias("amount"),
            F.when(F.col("key").isNotNull(), now).otherwise(F.col("night")).alias("night"),
        )

    def _state(self, night: int) -> Path:
        """Return the folder of the state.

        Spark cannot overwrite the Parquet files that it is reading.
        """
        return self._folder / ("balance" if self._form == "delta" else f"{night}/balance")

    def _write(self, frame: DataFrame, path: Path, mode: str) -> None:
        frame.write.format(self._form).mode(mode).save(str(path))


def items(warehouse: provhouse.Warehouse, item: str, as_of: int | None = None) -> set[str]:
    """Return the items in the lineage of an item."""
    return {found.item for found in warehouse.lineage(item, as_of=as_of).items}


def plain(warehouse: provhouse.Warehouse, row: str, as_of: int | None = None) -> set[str] | None:
    """Return the items in the lineage of a row named without a version; None if it was deleted."""
    try:
        return items(warehouse, row, as_of)
    except NotFound as error:
        if "was deleted" not in error.wanted:
            raise
        return None


@pytest.mark.long
@pytest.mark.parametrize(
    ("form", "runs", "count"),
    [
        ("delta", 1, 2),
        *(
            pytest.param(form, runs, 30, marks=pytest.mark.long)
            for form in ("parquet", "delta")
            for runs in (1, 2)
        ),
    ],
)
def test_nights_are_chains_of_versions(
    form: str,
    runs: int,
    count: int,
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    house = houses()
    nights = Nights(form, runs, house, tmp_path)
    before, deleted = dict[int, dict[str, str]](), dict[int, set[str]]()
    for number in range(1, count + 1):
        nights.run(number)
        before[number] = dict(nights.model.newest)
        deleted[number] = nights.model.deleted(form == "parquet")
    model = nights.model
    with house.open() as warehouse:
        for name in model.direct:  # also rows that were overwritten or deleted since
            assert items(warehouse, name) == model.lineage(name), name
        for row, version in model.newest.items():
            expected = None if row in deleted[count] else model.lineage(version)
            assert plain(warehouse, row) == expected, row
        for number, generation in enumerate(nights.generations[:-1], start=1):
            for row, version in list(before[number].items())[::count]:
                expected = None if row in deleted[number] else model.lineage(version)
                assert plain(warehouse, row, as_of=generation) == expected
    prune(house.settings, Silent(), keep=1)
    with house.open() as warehouse:
        with pytest.raises(ProvhouseError, match="generation"):
            items(warehouse, "balance/6", as_of=nights.generations[0])
        oldest = next(name for name in model.direct if name.startswith("balance/"))
        assert items(warehouse, oldest) == model.lineage(oldest)
