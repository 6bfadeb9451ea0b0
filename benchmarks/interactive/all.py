"""Measure the cost of planning a query, and of capturing all its references at once.

The queries are the 22 of TPC-H, the 43 of ClickBench, and small queries of one operator each
(``SHAPES``). Ratios compare processor times of this process, since other programs may use the
machine. Runs without lineage, with lineage on demand, and with all references captured take turns.
The time of planning is the shortest time for several new SQL texts.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import ROOT
from benchmarks.capture.tpch_data import tables
from benchmarks.interactive import clickbench
from benchmarks.interactive.all_table import RESULTS, Query, Results
from benchmarks.interactive.results_form import Times
from benchmarks.interactive.timing import medians, timed
from benchmarks.shared.results_file import mean_load, packages, run
from provhouse.interactive import Connection, Want, connect
from provhouse.model.errors import UsageError

TPCH = ROOT / "tests" / "capturing" / "tpch"
PLANS = 7
LINES = 6_000_000
"""The number of rows of lineitem at scale factor 1."""
SHAPES = {
    "filter": "select id, v from t where v < 10",
    "few groups": "select g, sum(v) s from t group by g",
    "few groups, average of doubles": "select g, avg(x) a from t group by g",
    "small groups": "select k, sum(v) s from t group by k",
    "DISTINCT": "select distinct k from t",
    "join, few groups": "select c, sum(v) s from t join u using (k) group by c",
    "join, small groups": "select u.k, sum(v) s from t join u on t.k = u.k group by u.k",
    "IN over GROUP BY, HAVING": "select id, v from t where k in "
    "(select k from t group by k having count(*) > 9)",
    "window": "select id, row_number() over (partition by g order by id) r from t where v < 20",
    "GROUP BY of strings": "select s, count(*) n from t group by s",
}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the capture of all references.")
    parser.add_argument("--rows", type=int, default=1_500_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=list(SUITES))
    given = parser.parse_args()
    results: Results = {
        **run(mean_load(), packages("duckdb", "sqlglot", "numba", "provhouse")),
        "rows": given.rows, "repeats": given.repeats, "queries": [], "refused": [],
    }  # fmt: skip
    for suite in given.suites:
        make = SUITES[suite]
        with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder, connect() as con:
            for name, sql in make(con, given.rows, Path(folder)).items():
                try:
                    row = measured(con, suite, name, sql, given.repeats)
                except UsageError as error:
                    results["refused"].append(f"{suite} {name}: {error.wanted}")
                    continue
                results["queries"].append(row)
                ratio = row["every"]["cpu"] / row["plain"]["cpu"]
                planning = row["planning"]["wall"]
                print(
                    f"{suite} {name} {row['mode']} {ratio:.2f}, planned in {planning:.1f} ms",
                    file=sys.stderr,
                )
                RESULTS.write(results)


def measured(con: Connection, suite: str, name: str, sql: str, repeats: int) -> Query:
    """Return the times of a query, plain and with the lineage of all references."""
    con.changed()
    con.catalog()
    plans = [timed(partial(con.plan, f"{sql} -- {at}"))[0] for at in range(PLANS)]
    planning: Times = {
        "cpu": min(each["cpu"] for each in plans), "wall": min(each["wall"] for each in plans),
    }  # fmt: skip
    result = con.sql(sql, lineage=True)
    want = Want(refs=tuple(result.references))
    times = medians(
        {
            "plain": lambda: con.duckdb.sql(sql).to_arrow_table(),
            "witness": lambda: con.sql(sql, lineage=True),
            "every": lambda: con.sql(sql, lineage=True, want=want),
        },
        repeats,
    )
    first, _ = timed(lambda: result.backward(result.references[0], range(min(1, len(result)))))
    mode = con.sql(sql, lineage=True, want=want).mode
    return {
        "suite": suite, "query": name, "plain": times["plain"], "witness": times["witness"],
        "every": times["every"], "first": first, "mode": mode, "planning": planning,
    }  # fmt: skip


def tpch(con: Connection, rows: int, folder: Path) -> Mapping[str, str]:
    """Make the tables of TPC-H, and return its queries."""
    tables(folder, str(rows / LINES))
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            con.execute(f"create table {path.name} as from '{path}/*.parquet'")
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(TPCH.glob("*.sql"))}


def clicks(con: Connection, rows: int, _: Path) -> Mapping[str, str]:
    """Make the table of ClickBench, and return its queries."""
    clickbench.make(con.duckdb, rows)
    con.changed()
    return clickbench.queries()


def shapes(con: Connection, rows: int, _: Path) -> Mapping[str, str]:
    """Make two tables with five rows for each key, and return the queries of ``SHAPES``."""
    con.execute(
        f"create table t as select i id, (hash(i) % 1000)::int g, "
        f"(hash(i * 7) % {rows // 5})::int k, "
        "(hash(i * 3) % 100)::int v, 'name ' || hash(i * 11) % 200 s, (hash(i) % 100000) / 7.0 x "
        f"from range({rows}) r(i)"
    )
    con.execute(f"create table u as select i k, 'u' || i % 50 c from range({rows // 5}) r(i)")
    return SHAPES


SUITES: dict[str, Callable[[Connection, int, Path], Mapping[str, Any]]] = {
    "shape": shapes,
    "TPC-H": tpch,
    "ClickBench": clicks,
}

if __name__ == "__main__":
    main()
