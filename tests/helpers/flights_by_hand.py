"""The pairs of the demo's lineage, made by hand from the tables that the demo's pipeline wrote.

Each function computes, with dictionaries and loops, the rows that a step of the pipeline uses. The
pairs are the oracle for the pairs that capture finds. Earlier versions of the pipeline wrote their
own triples. The pairs were once compared with these triples: all 20,322 pairs of three days were
equal.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]
Pair = tuple[str, str]
"""The name of a source row and the name of a row that derives from it, both without versions."""


def pairs(tables: Tables) -> set[Pair]:
    """Return all pairs of a row and a row that one pipeline step made from it."""
    steps: tuple[Callable[[Tables], Iterator[Pair]], ...] = (
        _cleaned, _steady_wind, _departures, _days, _months, _report
    )  # fmt: skip
    return {pair for step in steps for pair in step(tables)}


def name(table: str, row: Row) -> str:
    """Return the name of a row of a table."""
    return f"{table}/{row['id']}"


def _cleaned(tables: Tables) -> Iterator[Pair]:
    for source, results in (
        ("flights", ("flights_clean", "flights_cancelled", "flights_rejected")),
        ("weather", ("weather_clean", "weather_rejected")),
        ("planes", ("planes_clean",)),
    ):
        for table in results:
            yield from ((name(source, row), name(table, row)) for row in tables[table])


def _steady_wind(tables: Tables) -> Iterator[Pair]:
    readings = _by(tables["weather_clean"], "origin", "time_hour")
    for row in tables["weather_steady"]:
        time: datetime = row["time_hour"]
        for hours in range(6):
            for used in readings[row["origin"], time - timedelta(hours=hours)]:
                yield name("weather_clean", used), name("weather_steady", row)


def _departures(tables: Tables) -> Iterator[Pair]:
    winds = _by(tables["weather_steady"], "origin", "time_hour")
    planes = _by(tables["planes_clean"], "tailnum")
    flights = {row["id"]: row for row in tables["flights_clean"]}
    for row in tables["departures"]:
        flight, here = flights[row["id"]], name("departures", row)
        yield name("flights_clean", flight), here
        for wind in winds[flight["origin"], flight["time_hour"]]:
            yield name("weather_steady", wind), here
        for plane in planes[flight["tailnum"],]:
            yield name("planes_clean", plane), here


def _days(tables: Tables) -> Iterator[Pair]:
    route = ("date", "carrier", "origin", "dest")
    yield from _summed(tables, "departures", "route_daily", route)
    for table, key in (("carrier_daily", "carrier"), ("airport_daily", "origin")):
        for source in ("route_daily", "flights_cancelled"):
            yield from _summed(tables, source, table, ("date", key))
    yield from _summed(tables, "weather_clean", "wind_daily", ("date", "origin"))


def _months(tables: Tables) -> Iterator[Pair]:
    for kind, keys in (
        ("route", ("origin", "dest")),
        ("carrier", ("carrier",)),
        ("airport", ("origin",)),
    ):
        days = [{**row, "month": f"{row['date']:%Y-%m}"} for row in tables[f"{kind}_daily"]]
        months = {**tables, f"{kind}_daily": days}
        yield from _summed(months, f"{kind}_daily", f"{kind}_monthly", ("month", *keys))


def _report(tables: Tables) -> Iterator[Pair]:
    airports = {row["faa"]: name("airports", row) for row in tables["airports"]}
    airlines = {row["carrier"]: name("airlines", row) for row in tables["airlines"]}
    for row in tables["report"]:
        here, subject = name("report", row), row["subject"]
        section, _, last = row["id"].partition("/")
        if section == "windiest-day":
            yield f"airport_daily/{subject}/{last}", here
            yield f"wind_daily/{subject}/{last}", here
            yield airports[last], here
        elif section == "highest-wind":
            for used in _by(tables["wind_daily"], "origin")[last,]:
                yield name("wind_daily", used), here
        elif section == "windiest-route":
            month, ends = subject.split()
            yield f"route_monthly/{month}/{ends}", here
            if ends.split("-")[1] in airports:
                yield airports[ends.split("-")[1]], here
        else:
            yield airlines[last], here
            for used in _by(tables["carrier_monthly"], "carrier")[last,]:
                yield name("carrier_monthly", used), here


def _summed(tables: Tables, source: str, table: str, keys: Sequence[str]) -> Iterator[Pair]:
    parts = _by(tables[source], *keys)
    for row in tables[table]:
        for used in parts[tuple(row[key] for key in keys)]:
            yield name(source, used), name(table, row)


def _by(rows: Iterable[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    found: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[key] for key in keys)].append(row)
    return found
