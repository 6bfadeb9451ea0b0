"""Measure other ways to find the records of lineitem that a query's first row was made of.

Re-execution runs the query again for the values of the row's keys, as hand-written SQL would.
Perm's rewriting (Glavic and Alonso, 2009) makes a table of all pairs of a result row and one of its
records, and queries this table. SmokedDuck captures lineage inside a fork of DuckDB, in an
environment of its own.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import sqlglot
from numpy.typing import NDArray
from sqlglot import exp

from benchmarks import ROOT
from benchmarks.interactive.results_form import Contender, Results, Times
from benchmarks.interactive.timing import middle, timed
from provhouse.interactive import Connection, Result, Want

NAMES = ("q01", "q03", "q05", "q10", "q12", "q18")
FORK = ROOT / ".long" / "smokedduck"
PROGRAM = Path(__file__).parent / "smokedduck.py"
Rids = NDArray[np.int64]
Way = tuple[Callable[[], Any], Callable[[Any], Rids]]
"""A way to find lineage, as two functions.

The first function runs the query and captures lineage. The second one gets the result of the first,
and returns the rids for the query's first row.
"""
SUMS = "select count(*), sum(l_orderkey), sum(l_linenumber) from lineitem where rowid in"
"""A query for sums of keys. Records are compared by these, since rids differ by database."""


def run(
    con: Connection, folder: Path, queries: Path, results: Results, store: Callable[[], None]
) -> None:
    """Measure all queries that were not measured yet."""
    done = {each["query"] for each in results["contenders"]}
    for name in (each for each in NAMES if each not in done):
        sql = (queries / f"{name}.sql").read_text(encoding="utf-8").strip().rstrip(";")
        found, rids = ours(con, name, sql, results["repeats"])
        fork = smokedduck(folder, sql, results["repeats"])
        if isinstance(fork, str):
            results["missing"] = fork
        else:
            con.duckdb.register("__rids", pa.table({"rid": rids}))
            (sums,) = con.duckdb.sql(f"{SUMS} (select rid from __rids)").fetchall()
            same = [int(each) for each in sums] == fork["sums"]
            found.append({
                "query": name, "way": "SmokedDuck", "capture": fork["capture"],
                "lineage": fork["lineage"], "records": fork["sums"][0], "same": same,
            })  # fmt: skip
        results["contenders"] += found
        store()
        print(name, {each["way"]: round(both(each)["wall"], 1) for each in found}, flush=True)


def both(found: Contender) -> Times:
    """Return the time of the query with its first question."""
    return {
        "cpu": found["capture"]["cpu"] + found["lineage"]["cpu"],
        "wall": found["capture"]["wall"] + found["lineage"]["wall"],
    }


def ours(con: Connection, name: str, sql: str, repeats: int) -> tuple[list[Contender], Rids]:
    """Return the times of all ways on unmodified DuckDB, and the rids that provhouse found."""
    times: dict[str, list[tuple[Times, Times]]] = {}
    answers: dict[str, Rids] = {}
    contenders = ways(con, sql)
    for repeat in range(repeats + 1):
        for way, (capture, ask) in contenders.items():
            first, captured = timed(capture)
            second, found = timed(partial(ask, captured))
            answers[way] = np.sort(found)
            if repeat:  # the first turn compiles and reads
                times.setdefault(way, []).append((first, second))
    rids = next(iter(answers.values()))
    return [
        {"query": name, "way": way, "capture": middle([first for first, _ in each]),
         "lineage": middle([second for _, second in each]), "records": answers[way].size,
         "same": np.array_equal(answers[way], rids)}
        for way, each in times.items()
    ], rids  # fmt: skip


def ways(con: Connection, sql: str) -> dict[str, Way]:
    """Return the ways that use unmodified DuckDB, for a query with one GROUP BY at its top."""
    core, keys = grouped(sql)
    columns = ", ".join(f"k{at}" for at in range(len(keys)))
    here = " and ".join(f"k{at} is not distinct from ?" for at in range(len(keys)))
    same = " and ".join(f"q.{key} is not distinct from k{at}" for at, key in enumerate(keys))
    perm = f"select q.*, rid, {columns} from ({sql}) q join ({core}) c on {same}"
    refs = con.sql(sql, lineage=True).references
    ref = next(each for each in refs if each.startswith("lineitem"))

    def plain() -> pa.Table:
        return con.duckdb.sql(sql).to_arrow_table()

    def found(rows: str, result: pa.Table) -> Rids:
        values = [result.column(key)[0].as_py() for key in keys]
        answer = con.duckdb.sql(f"select rid from {rows} where {here}", params=values)
        return answer.to_arrow_table().column(0).to_numpy()  # type: ignore[no-any-return]

    def rewritten() -> pa.Table:
        con.duckdb.execute(f"create or replace temp table __perm as {perm}").fetchall()
        return first

    def ask(result: Result) -> Rids:
        return result.backward(ref, [0]).rids

    first = plain().slice(0, 1)
    want = Want(refs=(ref,))
    return {
        "provhouse, captured": (lambda: con.sql(sql, lineage=True, want=want), ask),
        "provhouse, on demand": (lambda: con.sql(sql, lineage=True), ask),
        "re-execution": (plain, partial(found, f"({core})")),
        "Perm": (rewritten, partial(found, "__perm")),
    }


def grouped(sql: str) -> tuple[str, list[str]]:
    """Return SQL for the rows below a query's GROUP BY, and the names of its keys in the result."""
    query: Any = sqlglot.parse_one(sql, dialect="duckdb")
    keys = query.args["group"].expressions
    names = {each.unalias().sql(): each.alias_or_name for each in query.expressions}
    core = query.copy()
    for clause in ("group", "having", "order", "limit"):
        core.set(clause, None)
    columns = [exp.alias_(each.copy(), f"k{at}") for at, each in enumerate(keys)]
    core.set("expressions", [*columns, exp.alias_(exp.column("rowid", "lineitem"), "rid")])
    return core.sql("duckdb"), [names[each.sql()] for each in keys]


def smokedduck(folder: Path, sql: str, repeats: int) -> Any:
    """Return SmokedDuck's times and the sums of its records, or why it cannot be measured."""
    python = FORK / "bin" / "python"
    if not python.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", FORK], check=True)
            subprocess.run(
                [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet",
                 "--require-hashes", "-r", ROOT / "locks/smokedduck.lock"],
                check=True,
            )  # fmt: skip
        except subprocess.CalledProcessError as error:
            return f"SmokedDuck cannot be installed: {error}"
    given = json.dumps({"folder": str(folder), "sql": sql, "sums": SUMS})
    runs = []
    for _ in range(repeats):
        done = subprocess.run([python, PROGRAM], input=given, capture_output=True, text=True)
        if done.returncode:
            return f"SmokedDuck failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    times = {kind: middle([each[kind] for each in runs]) for kind in ("capture", "lineage")}
    return {**times, "sums": runs[0]["sums"]}
