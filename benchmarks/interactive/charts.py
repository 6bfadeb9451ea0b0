"""Measure linked results that highlight each other's rows, and functional dependency checks."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.interactive.results_form import Dependency, Link, Results
from benchmarks.interactive.timing import medians
from provhouse.interactive import Connection, connect

DATES, CARRIERS, REGIONS, KEYS = 365, 16, 5, 100_000
MOVES = 100
JOINED = "t join carriers using (carrier)"
CHARTS = {"date": "t", "carrier": "t", "k": "t", "region": JOINED}
"""The columns that charts show, each with the FROM clause that provides it."""
LINKS = (("date", "carrier"), ("date", "region"), ("k", "date"))
ROWS = """
    select rowid from t where k in (select k from t group by k having min(name) <> max(name))"""
"""The query for the rows of all violations, as a user would write it by hand."""


def run(results: Results, store: Callable[[], None]) -> None:
    """Measure the links and dependencies that were not measured yet."""
    if results["links"] and results["dependencies"]:
        return
    con = flights(results["rows"])
    results["links"] = [linked(con, *columns) for columns in LINKS]
    results["dependencies"] = [dependency(con, results["repeats"])]
    store()
    print(results["links"], results["dependencies"], flush=True)
    con.close()


def flights(rows: int) -> Connection:
    """Return a connection with tables of carriers and of keys; ten keys have two names."""
    draw = np.random.default_rng(5)
    key = draw.integers(0, KEYS, rows)
    name = np.where((key < 10) & (draw.random(rows) < 0.1), -1, key % 97)
    con = connect()
    con.register(
        "t",
        pa.table(
            {
                "date": draw.integers(0, DATES, rows), "carrier": draw.integers(0, CARRIERS, rows),
                "v": draw.integers(0, 1000, rows), "k": key, "name": name,
            }
        ),
    )  # fmt: skip
    carriers = np.arange(CARRIERS)
    con.register("carriers", pa.table({"carrier": carriers, "region": carriers % REGIONS}))
    return con


def linked(con: Connection, first: str, second: str) -> Link:
    """Return the times of highlighting from a few neighboring rows, in both directions."""
    one, other = (con.sql(chart(column), lineage=True) for column in (first, second))
    begun = time.perf_counter()
    link = con.link(one, other)
    made = time.perf_counter() - begun
    draw, times = np.random.default_rng(6), []
    for turn in range(MOVES):
        forth = turn % 2 == 0
        result, target = (one, other) if forth else (other, one)
        start = int(draw.integers(len(result)))
        rows = range(start, min(len(result), start + 1 + int(draw.integers(7))))
        begun = time.perf_counter()
        found = link.highlight(result, rows)
        times.append(1e3 * (time.perf_counter() - begun))
        if turn < 4:
            columns = (first, second) if forth else (second, first)
            keys = result.to_arrow().column(0).take(pa.array(rows)).to_pylist()
            lit = target.to_arrow().column(0).take(pa.array(found)).to_pylist()
            assert set(lit) == by_sql(con, *columns, keys)
    p50, p95, most = np.percentile(times, [50, 95, 100]).round(3).tolist()
    return {
        "charts": f"{first}, {second}", "made_ms": round(1e3 * made, 1),
        "p50": p50, "p95": p95, "max": most,
    }  # fmt: skip


def chart(column: str) -> str:
    """Return the query of a chart."""
    return f"select {column}, count(*) n from {CHARTS[column]} group by {column}"


def by_sql(con: Connection, first: str, second: str, keys: list[int]) -> set[int]:
    """Return the values of ``second`` in the records whose value of ``first`` is in ``keys``."""
    listed = ", ".join(map(str, keys))
    text = f"select distinct {second} from {JOINED} where {first} in ({listed})"
    return {value for (value,) in con.duckdb.sql(text).fetchall()}


def dependency(con: Connection, repeats: int) -> Dependency:
    """Return the times of a check that finds the violating rows, and of hand-written SQL."""
    found = con.check_fd("t", "k -> name")
    expected = sorted(rid for (rid,) in con.duckdb.sql(ROWS).fetchall())
    assert sorted(found.records().rids.tolist()) == expected
    ways: dict[str, Callable[[], Any]] = {
        "checked": lambda: con.check_fd("t", "k -> name"),
        "by_hand": lambda: con.duckdb.sql(ROWS).to_arrow_table(),
    }
    times = medians(ways, repeats)
    return {
        "violations": len(found), "records": len(expected),
        "checked": times["checked"], "by_hand": times["by_hand"],
    }  # fmt: skip
