"""Measure what lineage costs queries on DuckDB: the 22 queries of TPC-H, beside plain DuckDB.

python benchmarks/interactive.py [--scale 1] [--repeats 5] [--queries q01 q18] [--output FILE]

Plain and captured runs alternate. Ratios include planning from the plan that is kept; planning of a
new text is shown apart. Times are medians, of the processor (all threads) and of the wall clock, in
milliseconds. Results are printed, and written as JSON if a file is named.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from machine import mean_load, packages
from machine import run as recorded
from tpch_data import tables

from provhouse.interactive import Connection, Want, connect

QUERIES = Path(__file__).parent.parent / "tests" / "capturing" / "tpch"


def main() -> None:
    """Run from the command line."""
    names = sorted(path.stem for path in QUERIES.glob("*.sql"))
    parser = argparse.ArgumentParser(description="Measure lineage of queries on DuckDB.")
    parser.add_argument("--scale", default="1")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--queries", nargs="+", choices=names, default=names)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
        con = loaded(Path(folder), given.scale)
        rows = [measured(con, name, given.repeats) for name in given.queries]
    for kind in ("witness", "anchor"):
        ratios = [row[kind]["cpu"] / row["plain"]["cpu"] for row in rows if row[kind]]
        print(f"{kind}: geometric mean {geometric_mean(ratios):.2f}, worst {max(ratios):.2f}")
    if given.output:
        versions = packages("duckdb", "sqlglot", "numba", "provhouse")
        found = {**recorded(load, versions), "scale": given.scale, "queries": rows}
        given.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def loaded(folder: Path, scale: str) -> Connection:
    """Return a database with the tables of TPC-H."""
    tables(folder, scale)
    con = connect(str(folder / "tpch.db"))
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            con.execute(f"create table {path.name} as from '{path}/*.parquet'")
    return con


def measured(con: Connection, name: str, repeats: int) -> dict[str, Any]:
    """Return the times of a query: plain, with lineage on demand, with lineitem captured."""
    sql = (QUERIES / f"{name}.sql").read_text(encoding="utf-8")
    con.changed()
    con.catalog()
    planning = timed(lambda: con.plan(sql))
    ways: dict[str, Callable[[], object]] = {
        "plain": lambda: con.duckdb.sql(sql).to_arrow_table(),
        "witness": lambda: con.sql(sql, lineage=True),
        "anchor": lambda: con.sql(sql, lineage=True, want=Want(refs=(anchor,))),
    }
    result = con.sql(sql, lineage=True)
    anchors = [ref for ref in result.references if ref.split("#")[0] == "lineitem"]
    anchor = anchors[0] if anchors else ""
    if not anchor:
        del ways["anchor"]
    times: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for repeat in range(repeats + 1):
        for way, run in ways.items():
            if repeat == 0:
                run()  # compiles and reads
            else:
                times[way].append(timed(run))
    first: dict[str, float] = {}
    if len(result) and result.references:
        first = timed(lambda: result.backward(result.references[0], [0]))
    row: dict[str, Any] = {
        "query": name, "planning": planning, "one_row": first, "anchor": None,
        **{way: middle(each) for way, each in times.items()},
    }  # fmt: skip
    ratios = {way: row[way]["cpu"] / row["plain"]["cpu"] for way in ways}
    print(name, ", ".join(f"{way} {ratio:.2f}" for way, ratio in ratios.items()), flush=True)
    return row


def timed(run: Callable[[], object]) -> dict[str, float]:
    """Return the milliseconds of a call."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return {
        "cpu": round(1e3 * (time.process_time() - cpu), 3),
        "wall": round(1e3 * (time.perf_counter() - wall), 3),
    }


def middle(times: list[dict[str, float]]) -> dict[str, float]:
    """Return the medians of times."""
    return {kind: median(each[kind] for each in times) for kind in ("cpu", "wall")}


if __name__ == "__main__":
    main()
