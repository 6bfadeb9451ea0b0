"""Explore the flights of the demo with SQL: from a line to its flights, and on to the raw rows.

    python examples/flights/clicks.py --data DATA --warehouse WAREHOUSE

`make demo` makes both folders. A query on DuckDB sums up the delays of each carrier. The next step
shows the flights from which the first line of the result was made. The lineage of all lines is then
saved, so that the warehouse can trace the flights back to the rows that the pipeline read.
"""

import argparse
from pathlib import Path
from typing import Any

import provhouse
from provhouse import interactive

DELAYS = """
    select carrier, count(*) as flights, round(avg(dep_delay), 1) as delay
    from departures group by carrier order by delay desc, carrier"""
WORST = "select id, dep_delay from records order by dep_delay desc, id limit 1"


def opened(data: Path, warehouse: provhouse.Warehouse) -> interactive.Connection:
    """Return a session with the pipeline's table ``departures``.

    The column ``item`` of the table names each row as the warehouse does: with the version of the
    write.
    """
    con = interactive.connect()
    files = str(data / "tables" / "departures" / "*.parquet")
    ((first,),) = con.duckdb.sql(f"select min(id) from '{files}'").fetchall()
    (name,) = warehouse.lineage(f"departures/{first}", depth=1).versions
    version = name.rpartition("@")[2]
    rows = f"select *, id || '@{version}' as item from '{files}' order by id"
    con.execute(f"create table departures as {rows}")
    return con


def explore(data: Path, folder: Path, **settings: Any) -> None:
    """Print each step; ``settings`` are the settings of the warehouse."""
    with provhouse.open(folder, **settings) as warehouse:
        con = opened(data, warehouse)
        report = con.sql(DELAYS, lineage=True)
        print(report.to_pandas().head().to_string())
        line = report.to_arrow().slice(0, 1).to_pylist()[0]
        flights = report.backward("departures", rows=[0])
        ((flight, delay),) = (row.values() for row in flights.sql(WORST).to_pylist())
        print(f"\n{line['carrier']} has {len(flights):,} flights.")
        print(f"The latest one left {delay} minutes late: {flight}")
        names = {"departures": "item"}
        report.save(folder, table="delays", key="carrier", names=names, **settings)
    with provhouse.open(folder, **settings) as warehouse:
        answer = warehouse.lineage(f"delays/{line['carrier']}", tables=["flights"])
        raw = {item.item for item in answer.items}
        print(f"\n$ provhouse --warehouse {folder} lineage delays/{line['carrier']}")
        print(f"It derives from {len(raw):,} raw rows of flights, and flights/{flight} is", end=" ")
        print("one of them." if f"flights/{flight}" in raw else "none of them.")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Explore the flights of the demo.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--warehouse", type=Path, required=True)
    given = parser.parse_args()
    explore(given.data, given.warehouse)


if __name__ == "__main__":
    main()
