"""Find facts about a figure in the warehouse's answers and in the pipeline's tables."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.answer import Answer
from provhouse.query.consequences.what_if import WhatIf

SOURCES = {
    "flights": "flight",
    "weather": "weather reading",
    "planes": "plane",
    "airports": "airport",
    "airlines": "airline",
}
"""The source tables of the pipeline, each with the word for one of its rows."""
WIND = {
    "weather": "wind_speed",
    "weather_clean": "wind_speed",
    "weather_steady": "wind",
    "wind_daily": "wind",
    "departures": "wind",
    "route_daily": "wind",
    "airport_daily": "wind",
    "report": "wind",
}
"""The column with the wind, for each table on a path from a weather reading to the report."""

Row = Mapping[str, object]


class Tables:
    """The tables that the pipeline wrote."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def rows(self, table: str, names: Iterable[str]) -> list[Row]:
        """Return the rows with the given names, sorted by name."""
        return self._read(table, pc.field("id").isin(sorted(map(key, names))))

    def names(self, table: str) -> list[str]:
        """Return the names of all rows of a table, without versions."""
        found = pq.read_table(self._folder / "tables" / table, columns=["id"])
        return [f"{table}/{each}" for each in _texts(found, "id")]

    def where(self, table: str, column: str, value: str) -> list[Row]:
        """Return the rows that have ``value`` in ``column``, sorted by name."""
        return self._read(table, pc.field(column) == pc.scalar(value))

    def _read(self, table: str, condition: pc.Expression) -> list[Row]:
        found = pq.read_table(self._folder / "tables" / table, filters=condition)
        return list(found.sort_by("id").to_pylist())

    def wind(self, names: Iterable[str]) -> dict[str, float]:
        """Return the wind in each of the named rows, in miles per hour."""
        table_of = {plain(name): name.split("/")[0] for name in names}
        return {
            f"{table}/{row['id']}": number(row, WIND[table])
            for table in sorted(set(table_of.values()))
            for row in self.rows(table, (n for n, t in table_of.items() if t == table))
        }


@dataclass(frozen=True)
class Readings:
    """The wind in the weather readings that a figure derives from, in miles per hour."""

    wind: dict[str, float]
    strongest: str
    next_strongest: float

    @property
    def stands_out(self) -> bool:
        """Whether one reading exceeds all others so much that only this one can be the cause."""
        return self.wind[self.strongest] > 3 * self.next_strongest


@dataclass(frozen=True)
class Changed:
    """A mean wind that would change if a reading were deleted."""

    item: str
    op: str
    before: float
    after: float


@dataclass(frozen=True)
class Hop:
    """A row of a path, the operation that made it, and its wind."""

    item: str
    op: str
    wind: float


def plain(item: str) -> str:
    """Return the name of a row without the version that a captured write has given it."""
    return item.rpartition("@")[0] or item


def key(item: str) -> str:
    """Return the key of a row from its name."""
    return plain(item).partition("/")[2]


def number(row: Row, column: str) -> float:
    """Return a row's value in a column as a number; 0 if it is null."""
    return float(str(row[column])) if row[column] is not None else 0.0


def windiest_days(tables: Tables) -> list[Row]:
    """Return the report's lines about each airport's windiest day, the strongest wind first."""
    lines = tables.where("report", "section", "windiest day")
    return sorted(lines, key=lambda line: -number(line, "wind"))


def by_table(answer: Answer) -> dict[str, int]:
    """Return the number of rows of each table in an answer, the nearest table first."""
    return dict(Counter(_texts(answer.items, "table")))


def names(answer: Answer, table: str) -> list[str]:
    """Return the names of the rows of one table in an answer."""
    items = answer.items
    pairs = zip(_texts(items, "item"), _texts(items, "table"), strict=True)
    return sorted({plain(item) for item, its_table in pairs if its_table == table})


def readings(lineage: Answer, tables: Tables) -> Readings:
    """Return the weather readings that a figure derives from."""
    wind = tables.wind(names(lineage, "weather"))
    ordered = sorted(wind, key=lambda name: -wind[name])
    return Readings(wind, ordered[0], wind[ordered[1]])


def path(lineage: Answer, source: str, tables: Tables) -> list[Hop]:
    """Return a shortest path from a source to the item that was asked about, the source first."""
    after: dict[str, list[tuple[str, str]]] = {}
    columns = (_texts(lineage.triples, column) for column in ("src", "dst", "op"))
    for src, dst, op in zip(*columns, strict=True):
        after.setdefault(src, []).append((dst, op))
    steps = _shortest(after, source, lineage.versions[0] if lineage.versions else lineage.item)
    wind = tables.wind(item for item, _ in steps)
    return [Hop(plain(item), op, wind[plain(item)]) for item, op in steps]


def _texts(table: pa.Table, column: str) -> list[str]:
    return [str(value or "") for value in table[column].to_pylist()]


def _shortest(
    after: Mapping[str, list[tuple[str, str]]], start: str, end: str
) -> list[tuple[str, str]]:
    before: dict[str, tuple[str, str]] = {start: ("", "")}
    queue = [start]
    for item in queue:  # the list grows while it is read: breadth first
        for dst, op in after.get(item, ()):
            if dst not in before:
                before[dst] = (item, op)
                queue.append(dst)
    steps = []
    item = end
    while item:
        previous, op = before[item]
        steps.append((item, op))
        item = previous
    return steps[::-1]


def changes(found: WhatIf) -> list[Changed]:
    """Return the means of the wind that a deletion changes, as the warehouse computes them."""
    return [
        Changed(plain(row["item"]), row["op"], row["before"], row["after"])
        for row in sorted(
            found.changed.to_pylist(), key=lambda row: str(row["table"]), reverse=True
        )
    ]


def day_of(changes: Sequence[Changed], origin: str, tables: Tables) -> Row:
    """Return the flights of the day that is now the windiest day at the airport ``origin``.

    The last of ``changes`` is the highest mean; the others are the means of days.
    """
    now = {each.item: each.after for each in changes}
    day = next(
        day
        for day in tables.where("wind_daily", "origin", origin)
        if isclose(now.get(f"wind_daily/{day['id']}", number(day, "wind")), changes[-1].after)
    )
    (flights,) = tables.rows("airport_daily", [f"airport_daily/{day['id']}"])
    return flights
