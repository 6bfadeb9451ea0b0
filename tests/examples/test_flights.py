"""On the data of three days, the pairs captured from the demo's pipeline equal handmade pairs."""

from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import provhouse
from helpers.flights_by_hand import Pair, name
from helpers.flights_by_hand import pairs as by_hand
from provhouse.model.progress import Silent
from provhouse.query.exporting.export import export_warehouse
from provhouse.store.warehouse.layout import Layout

FIGURE = "report/windiest-day/EWR"
READING = "weather/EWR/2013-02-12T03"

Row = dict[str, object]


@pytest.fixture(scope="module")
def folder(made: Path) -> Path:
    return made / "data"


@pytest.fixture(scope="module")
def tables(folder: Path) -> dict[str, list[Row]]:
    return {part.name: pq.read_table(part).to_pylist() for part in (folder / "tables").iterdir()}


@pytest.fixture(scope="module")
def pairs(tables: dict[str, list[Row]]) -> set[Pair]:
    return by_hand(tables)


@pytest.mark.long
def test_captured_pairs_are_those_made_by_hand(
    made: Path, pairs: set[Pair], tmp_path: Path
) -> None:
    """Windows and joins add no pairs to the handmade ones.

    A line picked by rank derives from a window, too. But Spark drops all rows except the picked one
    before, so the window adds only the pairs of that row.
    """
    export_warehouse(Layout(made / "warehouse"), tmp_path / "out", Silent(), None)
    (file,) = (tmp_path / "out").glob("triples-*.parquet")
    found = pq.read_table(file, columns=["src", "dst", "op"]).to_pylist()
    assert {(_plain(row["src"]), _plain(row["dst"])) for row in found} == pairs
    windows = {(row["src"], row["dst"]) for row in found if "window" in row["op"]}
    others = {(row["src"], row["dst"]) for row in found if "window" not in row["op"]}
    assert windows
    assert windows < others


def _plain(item: str) -> str:
    return item.partition("@")[0]


@pytest.mark.long
def test_there_are_at_least_ten_tables_with_rows(tables: dict[str, list[Row]]) -> None:
    assert len(tables) >= 10
    assert all(rows for name, rows in tables.items() if name != "weather_rejected")


@pytest.mark.long
def test_keys_are_unique(tables: dict[str, list[Row]]) -> None:
    for rows in tables.values():
        assert len({row["id"] for row in rows}) == len(rows)


@pytest.mark.long
def test_every_row_of_a_later_table_has_a_source(
    tables: dict[str, list[Row]], pairs: set[Pair]
) -> None:
    sources = {"flights", "weather", "planes", "airports", "airlines"}
    rows = {name(table, row) for table in tables.keys() - sources for row in tables[table]}
    assert {dst for _, dst in pairs} == rows


@pytest.mark.long
def test_no_row_is_lost(tables: dict[str, list[Row]]) -> None:
    count = {table: len(rows) for table, rows in tables.items()}
    parts = ("flights_clean", "flights_cancelled", "flights_rejected")
    assert count["flights"] == sum(count[part] for part in parts)
    assert count["weather"] == count["weather_clean"] + count["weather_rejected"]
    assert count["departures"] == count["flights_clean"]
    for level in ("route_daily", "airport_daily", "carrier_daily", "airport_monthly"):
        assert sum(int(str(row["flights"])) for row in tables[level]) == count["departures"]
    cancelled = sum(int(str(row["cancelled"])) for row in tables["airport_daily"])
    assert cancelled == count["flights_cancelled"]


@pytest.mark.long
def test_the_figure_derives_from_the_wrong_reading_and_from_one_day_only(
    pairs: set[Pair],
) -> None:
    before: dict[str, list[str]] = defaultdict(list)
    for src, dst in pairs:
        before[dst].append(src)
    lineage, frontier = set(), [FIGURE]
    while frontier:
        frontier = [src for dst in frontier for src in before[dst] if src not in lineage]
        lineage.update(frontier)
    assert READING in lineage
    readings = {item for item in lineage if item.startswith("weather/")}
    assert len(readings) == 24
    assert all("/EWR/2013-02-12T" in reading for reading in readings)


@pytest.mark.long
def test_the_figure_is_the_mean_of_its_readings(tables: dict[str, list[Row]]) -> None:
    line = next(row for row in tables["report"] if name("report", row) == FIGURE)
    wind = _winds(tables)["2013-02-12"]
    assert line["subject"] == "2013-02-12"
    assert float(str(line["wind"])) == pytest.approx(sum(wind) / len(wind), abs=0.005)
    assert float(str(line["wind"])) > 50


def _winds(tables: dict[str, list[Row]], without: str = "") -> dict[str, list[float]]:
    """Return the winds of the readings at Newark, by day.

    Omit the reading ``without``.
    """
    found = defaultdict[str, list[float]](list)
    for row in tables["weather_clean"]:
        if row["origin"] == "EWR" and name("weather", row) != without:
            found[str(row["date"])].append(float(str(row["wind_speed"])))
    return found


@pytest.mark.long
def test_a_figure_without_the_wrong_reading_is_that_of_the_job_run_again(
    made: Path, graph_home: Path, tables: dict[str, list[Row]]
) -> None:
    _check_without(made, graph_home, tables, [READING])


@pytest.mark.long
def test_figures_without_a_reading_are_those_of_the_job_run_again(
    made: Path, graph_home: Path, tables: dict[str, list[Row]]
) -> None:
    """Thirty readings at Newark are deleted: every other one, and the wrong one."""
    readings = [name("weather", row) for row in tables["weather_clean"] if row["origin"] == "EWR"]
    _check_without(made, graph_home, tables, [READING, *sorted(readings)[::2][:29]])


def _check_without(
    made: Path, graph_home: Path, tables: dict[str, list[Row]], readings: list[str]
) -> None:
    """Delete each reading, and compare the changes with recomputed means and their maximum."""
    before = _means(_winds(tables))
    with provhouse.open(made / "warehouse", neo4j_home=graph_home) as warehouse:
        for reading in readings:
            after = _means(_winds(tables, reading))
            found = warehouse.what_if(reading)
            changed = {
                row.item.partition("@")[0]: (row.before, row.after)
                for row in found.changed
                if row.table in ("wind_daily", "report")
            }
            expected = {
                item: (mean, after[item]) for item, mean in before.items() if after[item] != mean
            }
            assert changed.keys() == expected.keys()
            for item, pair in expected.items():
                assert changed[item] == pytest.approx(pair)


def _means(winds: dict[str, list[float]]) -> dict[str, float]:
    means = {f"wind_daily/{day}/EWR": sum(each) / len(each) for day, each in winds.items()}
    return {**means, "report/highest-wind/EWR": max(means.values())}
