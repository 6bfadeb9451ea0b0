"""Measure queries over one result row's records, and GROUP BY with lineage in both directions."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.interactive.results_form import Results, Times
from benchmarks.interactive.timing import medians
from provhouse.interactive import Connection, Want, connect

SHARES = (0.0001, 0.001, 0.01, 0.1, 0.5)
"""Each measured row of the result derives from one of these shares of the table's records."""
GROUPS = (100, 10_000, 1_000_000)
CONSUMING = {
    "filter": "select count(*), max(v) from {} where k < 10",
    "aggregate": "select k, count(*), sum(v) from {} group by k order by k",
}


def run(results: Results, store: Callable[[], None]) -> None:
    """Measure the queries that were not measured yet."""
    done = {(each["query"], each["share"]) for each in results["consuming"]}
    todo = [(query, share) for query in CONSUMING for share in SHARES]
    todo = [each for each in todo if each not in done]
    if todo:
        con = shared(results["rows"])
        for query, share in todo:
            times = consuming(con, query, SHARES.index(share), results["repeats"])
            results["consuming"] += [
                {"query": query, "share": share, "way": way, "times": each}
                for way, each in times.items()
            ]
            store()
            print(query, share, {way: each["wall"] for way, each in times.items()}, flush=True)
        con.close()
    known = {each["groups"] for each in results["groups"]}
    for groups in (each for each in GROUPS if each not in known):
        times = grouping(results["rows"], groups, results["repeats"])
        one = {"plain": times["plain"], "captured": times["captured"]}
        results["groups"].append({"rows": results["rows"], "groups": groups, **one})  # type: ignore[typeddict-item]
        store()
        print(groups, one, flush=True)


def shared(rows: int) -> Connection:
    """Return a connection with a table in which ``SHARES[i]`` of all records have ``g = i``."""
    draw = np.random.default_rng(3)
    rest = 1 - sum(SHARES)
    group = draw.choice(len(SHARES) + 1, rows, p=[*SHARES, rest]).astype(np.int32)
    table = {"g": group, "k": draw.integers(0, 100, rows), "v": draw.integers(0, 1000, rows)}
    con = connect()
    con.register("t", pa.table(table))
    return con


def consuming(con: Connection, query: str, group: int, repeats: int) -> dict[str, Times]:
    """Return each variant's time for a query over a group's records; raise if answers differ."""
    base = "select g, count(*) n, sum(v) s from t group by g"
    result = con.sql(base, lineage=True, want=Want(refs=("t",)))
    row = result.to_arrow().column("g").to_pylist().index(group)
    sql = CONSUMING[query]
    scan = sql.format(f"(from t where g = {group})")
    again = sql.format(f"(select t.* from t join ({base}) q on t.g = q.g where q.g = {group})")
    ways: dict[str, Callable[[], Any]] = {
        "index": lambda: result.backward("t", [row]).sql(sql.format("records")),
        "index-free": lambda: con.duckdb.sql(scan).to_arrow_table(),
        "re-executed": lambda: con.duckdb.sql(again).to_arrow_table(),
    }

    def undecoded() -> None:
        con.columns.clear()
        ways["index"]()

    first, *others = [run().to_pylist() for run in ways.values()]
    assert all(each == first for each in others), query
    return medians(ways, repeats) | medians({"index, first query": undecoded}, repeats)


def grouping(rows: int, groups: int, repeats: int) -> dict[str, Times]:
    """Return the times of a GROUP BY with zipf-distributed keys (exponent 1)."""
    draw = np.random.default_rng(4)
    weights = 1 / np.arange(1, groups + 1)
    bounds = np.cumsum(weights) / weights.sum()
    keys = np.searchsorted(bounds, draw.random(rows)).clip(0, groups - 1).astype(np.int32)
    con = connect()
    con.register("t", pa.table({"g": keys, "v": draw.integers(0, 1000, rows).astype(np.int32)}))
    sql = "select g, count(*) n, sum(v) s from t group by g"
    want = Want(refs=("t",), directions=("backward", "forward"))
    found = medians(
        {
            "plain": lambda: con.duckdb.sql(sql).to_arrow_table(),
            "captured": partial(con.sql, sql, lineage=True, want=want),
        },
        repeats,
    )
    con.close()
    return found
