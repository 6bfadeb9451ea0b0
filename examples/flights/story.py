"""What the warehouse's answers say about a figure, put together from rows of the pipeline."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.answer import Answer

SOURCES = {
    "flights": "flight",
    "weather": "weather reading",
    "planes": "plane",
    "airports": "airport",
    "airlines": "airline",
}
"""The tables that the data entered the pipeline with, and what one row of each is."""
WIND = {
    "weather": "wind_speed",
    "weather_clean": "wind_speed",
    "weather_steady": "wind",
    "departures": "wind",
    "route_daily": "wind",
    "airport_daily": "wind",
    "report": "wind",
}
"""The column that holds the wind, in each table on its way."""

Row = Mapping[str, object]


class Tables:
    """The tables that the pipeline left."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def rows(self, table: str, names: Iterable[str]) -> list[Row]:
        """The rows of these names, in the order of names."""
        return self._read(table, pc.field("id").isin(sorted(names)))

    def names(self, table: str) -> list[str]:
        """The names of all rows."""
        return _texts(pq.read_table(self._folder / "tables" / table, columns=["id"]), "id")

    def where(self, table: str, column: str, value: str) -> list[Row]:
        """The rows that have this text in ``column``."""
        return self._read(table, pc.field(column) == pc.scalar(value))

    def _read(self, table: str, condition: pc.Expression) -> list[Row]:
        found = pq.read_table(self._folder / "tables" / table, filters=condition)
        return list(found.sort_by("id").to_pylist())

    def wind(self, names: Iterable[str]) -> dict[str, float]:
        """The wind in miles an hour that each of these rows states."""
        table_of = {name: name.split("/")[0] for name in names}
        return {
            str(row["id"]): number(row, WIND[table])
            for table in sorted(set(table_of.values()))
            for row in self.rows(table, (n for n, t in table_of.items() if t == table))
        }


@dataclass(frozen=True)
class Readings:
    """The weather readings below a figure: miles an hour by name, and what stands out."""

    wind: dict[str, float]
    strongest: str
    next_strongest: float

    @property
    def stands_out(self) -> bool:
        """Whether one reading is far from all others, so that it alone can be the cause."""
        return self.wind[self.strongest] > 3 * self.next_strongest


@dataclass(frozen=True)
class Hop:
    """A row on the way of a value, the operation that made it, and the wind that it states."""

    item: str
    op: str
    wind: float


def number(row: Row, column: str) -> float:
    """A column as a number; 0 where there is none."""
    return float(str(row[column])) if row[column] is not None else 0.0


def windiest_days(tables: Tables) -> list[Row]:
    """The lines of the report about each airport's windiest day, the strongest wind first."""
    lines = tables.where("report", "section", "windiest day")
    return sorted(lines, key=lambda line: -number(line, "wind"))


def by_table(answer: Answer) -> dict[str, int]:
    """How many rows of each table an answer names, the nearest table first."""
    return dict(Counter(_texts(answer.items, "table")))


def names(answer: Answer, table: str) -> list[str]:
    """The rows of one table among an answer."""
    items = answer.items
    pairs = zip(_texts(items, "item"), _texts(items, "table"), strict=True)
    return [item for item, its_table in pairs if its_table == table]


def readings(lineage: Answer, tables: Tables) -> Readings:
    """The weather readings that a figure derives from."""
    wind = tables.wind(names(lineage, "weather"))
    ordered = sorted(wind, key=lambda name: -wind[name])
    return Readings(wind, ordered[0], wind[ordered[1]])


def path(lineage: Answer, source: str, tables: Tables) -> list[Hop]:
    """A shortest way from a source to the item that was asked for, the source first."""
    after: dict[str, list[tuple[str, str]]] = {}
    columns = (_texts(lineage.triples, column) for column in ("src", "dst", "op"))
    for src, dst, op in zip(*columns, strict=True):
        after.setdefault(src, []).append((dst, op))
    steps = _shortest(after, source, lineage.item)
    wind = tables.wind(item for item, _ in steps)
    return [Hop(item, op, wind[item]) for item, op in steps]


def _texts(table: pa.Table, column: str) -> list[str]:
    return [str(value or "") for value in table[column].to_pylist()]


def _shortest(
    after: Mapping[str, list[tuple[str, str]]], start: str, end: str
) -> list[tuple[str, str]]:
    before: dict[str, tuple[str, str]] = {start: ("", "")}
    queue = [start]
    for item in queue:  # grows while it is read: breadth first
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


def untouched_day(impact: Answer, origin: str, tables: Tables) -> Row:
    """The windiest day of an airport among those that the impact did not reach."""
    reached = set(names(impact, "airport_daily"))
    days = tables.where("airport_daily", "origin", origin)
    return max((day for day in days if day["id"] not in reached), key=lambda d: number(d, "wind"))
