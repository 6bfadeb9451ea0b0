"""Linked results that highlight each other's rows, and checks of functional dependencies."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from interactive_form import Dependency, Link, Results
from interactive_times import medians

from provhouse.interactive import Connection, Result, connect

DATES, CARRIERS, REGIONS, KEYS = 365, 16, 5, 100_000
MOVES = 100
LINKS = {
    "date, carrier": ("select date, count(*) n from t group by date",
                      "select carrier, sum(v) s from t group by carrier"),
    "date, region of the carrier": (
        "select date, count(*) n from t group by date",
        "select region, sum(v) s from t join carriers using (carrier) group by region"),
    "key, date": ("select k, count(*) n from t group by k",
                  "select date, count(*) n from t group by date"),
}  # fmt: skip
"""Two queries for each pair of charts."""
ROWS = """
    select rowid from t where k in (select k from t group by k having min(name) <> max(name))"""
"""The rows of all violations, as a person would write it."""


def run(results: Results, store: Callable[[], None]) -> None:
    """Measure what has no results yet."""
    if results["links"] and results["dependencies"]:
        return
    con = flights(results["rows"])
    results["links"] = [linked(con, name, *queries) for name, queries in LINKS.items()]
    results["dependencies"] = [dependency(con, results["repeats"])]
    store()
    print(results["links"], results["dependencies"], flush=True)
    con.close()


def flights(rows: int) -> Connection:
    """Return a table of which ten keys have two names, and a table of carriers."""
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


def linked(con: Connection, charts: str, first: str, second: str) -> Link:
    """Return the times of highlights from some neighbouring rows, in both directions."""
    one, other = (con.sql(query, lineage=True) for query in (first, second))
    begun = time.perf_counter()
    link = con.link(one, other)
    made = time.perf_counter() - begun
    draw, times = np.random.default_rng(6), []
    for turn in range(MOVES):
        result = (one, other)[turn % 2]
        start = int(draw.integers(len(result)))
        rows = range(start, min(len(result), start + 1 + int(draw.integers(7))))
        begun = time.perf_counter()
        found = link.highlight(result, rows)
        times.append(1e3 * (time.perf_counter() - begun))
        if turn < 4:
            assert set(found.tolist()) == by_records(one, other, result, rows)
    p50, p95, most = np.percentile(times, [50, 95, 100]).round(3).tolist()
    return {
        "charts": charts, "made_ms": round(1e3 * made, 1), "p50": p50, "p95": p95, "max": most,
    }  # fmt: skip


def by_records(one: Result, other: Result, result: Result, rows: range) -> set[int]:
    """Return the rows that share a record of ``t``, by a question for each side."""
    records = result.backward("t", rows).rids
    target = other if result is one else one
    return set(target.forward("t", records).tolist())


def dependency(con: Connection, repeats: int) -> Dependency:
    """Return the times of a check with the rows of its violations, and of SQL by hand."""
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
