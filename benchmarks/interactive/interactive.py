"""Compare the cost of lineage on DuckDB with plain DuckDB and other ways to find lineage.

python -m benchmarks.interactive.interactive [--scale 1] [--rows 10000000] [--repeats 5]

There are four parts: the 22 queries of TPC-H; other ways to find the same records; queries over the
records of one row; GROUP BY with zipf-distributed keys. The measured variants within a part take
turns. Ratios include the time to plan a query whose plan is cached; the time to plan new SQL is
shown separately. Each measurement is stored at once, and a stopped run with the same settings and
code can be continued.
"""

import argparse
import json
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

from benchmarks import ROOT
from benchmarks.capture.tpch_data import tables
from benchmarks.interactive import charts as interactive_charts
from benchmarks.interactive import consuming as interactive_consuming
from benchmarks.interactive import lineage_contenders as interactive_contenders
from benchmarks.interactive.coverage import code
from benchmarks.interactive.results_form import RESULTS, Query, Results
from benchmarks.interactive.timing import medians, timed
from benchmarks.shared.results_file import mean_load, packages
from benchmarks.shared.results_file import run as recorded
from provhouse.interactive import Connection, Want, connect

PARTS = ("tpch", "contenders", "consuming", "groups", "links", "dependencies")
QUERIES = ROOT / "tests" / "capturing" / "tpch"


def main() -> None:
    """Run from the command line."""
    names = sorted(path.stem for path in QUERIES.glob("*.sql"))
    parser = argparse.ArgumentParser(description="Measure lineage of queries on DuckDB.")
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-H")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the other tables")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--queries", nargs="+", choices=names, default=names)
    parser.add_argument("--output", type=Path, help="store the results elsewhere")
    given = parser.parse_args()
    results: Results = begun(given)
    path = given.output or RESULTS.path

    def store() -> None:
        RESULTS.write(results, path)

    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
        con = loaded(Path(folder), given.scale)
        for name in given.queries:
            if name not in [each["query"] for each in results["tpch"]]:
                results["tpch"].append(measured(con, name, given.repeats))
                store()
        interactive_contenders.run(con, Path(folder), QUERIES, results, store)
        con.close()
    interactive_consuming.run(results, store)
    interactive_charts.run(results, store)
    for kind in ("witness", "anchor"):
        rows: list[Any] = [row for row in results["tpch"] if row.get(kind)]
        ratios = [row[kind]["cpu"] / row["plain"]["cpu"] for row in rows]
        print(f"{kind}: geometric mean {geometric_mean(ratios):.2f}, worst {max(ratios):.2f}")


def begun(given: argparse.Namespace) -> Any:
    """Return an earlier run's results with the same settings and code, or empty results."""
    settings = {"scale": given.scale, "rows": given.rows, "repeats": given.repeats, "code": code()}
    path = given.output or RESULTS.path
    empty: dict[str, Any] = {name: [] for name in PARTS}
    if path.exists():
        before: Any = json.loads(path.read_text(encoding="utf-8"))
        if {name: before[name] for name in settings} == settings:
            return {**empty, **before}
    versions = packages("duckdb", "sqlglot", "numba", "provhouse")
    return {**recorded(mean_load(), versions), **settings, **empty, "missing": ""}


def loaded(folder: Path, scale: str) -> Connection:
    """Return a database with the tables of TPC-H."""
    tables(folder, scale)
    con = connect(str(folder / "tpch.db"))
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            con.execute(f"create table {path.name} as from '{path}/*.parquet'")
    return con


def measured(con: Connection, name: str, repeats: int) -> Query:
    """Return the times of a query: plain, with lineage on demand, with lineitem captured."""
    sql = (QUERIES / f"{name}.sql").read_text(encoding="utf-8")
    con.changed()
    con.catalog()
    turn = count()
    planning = medians({"new": lambda: con.plan(f"{sql} -- {next(turn)}")}, repeats)["new"]
    result = con.sql(sql, lineage=True)
    anchors = [ref for ref in result.references if ref.split("#")[0] == "lineitem"]
    want = Want(refs=tuple(anchors[:1]))
    ways: dict[str, Callable[[], object]] = {
        "plain": lambda: con.duckdb.sql(sql).to_arrow_table(),
        "witness": lambda: con.sql(sql, lineage=True),
    }
    if anchors:
        ways["anchor"] = lambda: con.sql(sql, lineage=True, want=want)
    times = medians(ways, repeats)
    row: Query = {
        "query": name, "plain": times["plain"], "witness": times["witness"],
        "anchor": times.get("anchor"), "planning": planning,
        "one_row": None, "hot_row": None, "hot_rids": None,
    }  # fmt: skip
    if len(result) and result.references:
        ref = (anchors or result.references)[0]
        row["one_row"], _ = timed(lambda: result.backward(ref, [0]))
        rids = result.backward(ref).rids[:1000]
        turn = count()
        if rids.size:
            result.forward(ref, rids)  # indexes both directions
            hot: dict[str, Callable[[], object]] = {
                "row": lambda: result.backward(ref, [next(turn) % len(result)]),
                "rids": lambda: result.forward(ref, np.asarray(rids)),
            }
            found = medians(hot, 20)
            row["hot_row"], row["hot_rids"] = found["row"], found["rids"]
    ratios = {way: each["cpu"] / times["plain"]["cpu"] for way, each in times.items()}
    print(name, ", ".join(f"{way} {ratio:.2f}" for way, ratio in ratios.items()), flush=True)
    return row


if __name__ == "__main__":
    main()
