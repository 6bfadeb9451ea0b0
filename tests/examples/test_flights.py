"""With data of three days, the triples of the demo's pipeline match its tables."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from .conftest import Demo

FIGURE = "report/windiest-day/EWR"
READING = "weather/EWR/2013-02-12T03"

Row = dict[str, object]


@pytest.fixture(scope="module")
def folder(demo: "Demo") -> Path:
    return demo.folder / "data"


@pytest.fixture(scope="module")
def tables(folder: Path) -> dict[str, list[Row]]:
    return {part.name: pq.read_table(part).to_pylist() for part in (folder / "tables").iterdir()}


@pytest.fixture(scope="module")
def triples(folder: Path) -> list[Row]:
    steps = (folder / "triples").iterdir()
    return [row for step in steps for row in pq.read_table(step).to_pylist()]


def test_there_are_at_least_ten_tables_with_rows(tables: dict[str, list[Row]]) -> None:
    assert len(tables) >= 10
    assert all(rows for name, rows in tables.items() if name != "weather_rejected")


def test_names_are_unique_and_begin_with_their_table(tables: dict[str, list[Row]]) -> None:
    names = Counter(str(row["id"]) for rows in tables.values() for row in rows)
    assert max(names.values()) == 1
    assert all(str(row["id"]).startswith(f"{t}/") for t, rows in tables.items() for row in rows)


def test_both_ends_of_a_triple_are_rows_of_its_tables(
    tables: dict[str, list[Row]], triples: list[Row]
) -> None:
    names = {table: {row["id"] for row in rows} for table, rows in tables.items()}
    for triple in triples:
        assert triple["op"]
        assert triple["src"] in names[str(triple["src_table"])], triple
        assert triple["dst"] in names[str(triple["dst_table"])], triple


def test_every_row_of_a_later_table_has_a_source(
    tables: dict[str, list[Row]], triples: list[Row]
) -> None:
    made = {str(triple["dst"]) for triple in triples}
    sources = {"flights", "weather", "planes", "airports", "airlines"}
    rows = {str(row["id"]) for table in tables.keys() - sources for row in tables[table]}
    assert made == rows


def test_no_row_is_lost(tables: dict[str, list[Row]], triples: list[Row]) -> None:
    count = {table: len(rows) for table, rows in tables.items()}
    parts = ("flights_clean", "flights_cancelled", "flights_rejected")
    assert count["flights"] == sum(count[part] for part in parts)
    assert count["weather"] == count["weather_clean"] + count["weather_rejected"]
    assert count["departures"] == count["flights_clean"]
    for level in ("route_daily", "airport_daily", "carrier_daily", "airport_monthly"):
        assert sum(int(str(row["flights"])) for row in tables[level]) == count["departures"]
    cancelled = sum(int(str(row["cancelled"])) for row in tables["airport_daily"])
    assert cancelled == count["flights_cancelled"]


def test_the_figure_derives_from_the_wrong_reading_and_from_one_day_only(
    triples: list[Row],
) -> None:
    before: dict[str, list[str]] = defaultdict(list)
    for triple in triples:
        before[str(triple["dst"])].append(str(triple["src"]))
    lineage, frontier = set(), [FIGURE]
    while frontier:
        frontier = [src for dst in frontier for src in before[dst] if src not in lineage]
        lineage.update(frontier)
    assert READING in lineage
    readings = {item for item in lineage if item.startswith("weather/")}
    assert len(readings) == 22
    assert all("/EWR/2013-02-12T" in reading for reading in readings)


def test_the_figure_is_the_mean_of_its_flights(tables: dict[str, list[Row]]) -> None:
    line = next(row for row in tables["report"] if row["id"] == FIGURE)
    flights = [
        row
        for row in tables["departures"]
        if row["origin"] == "EWR" and str(row["date"]) == "2013-02-12"
    ]
    wind = [float(str(row["wind"])) for row in flights if row["wind"] is not None]
    assert line["subject"] == "2013-02-12"
    assert float(str(line["wind"])) == pytest.approx(sum(wind) / len(wind), abs=0.005)
    assert float(str(line["wind"])) > 60
