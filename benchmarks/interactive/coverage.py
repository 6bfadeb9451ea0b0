"""Check the lineage of all queries of TPC-H and TPC-DS, for `docs/interactive-coverage.md`.

python -m benchmarks.interactive.coverage [--suites tpch tpch-1 tpcds] [--seconds 600]

Each outcome is stored at once. Outcomes of the same code are not measured again, so that a stopped
run can be continued. A query without rows is tried again on larger tables.
"""

import argparse
import ast
import hashlib
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypedDict

import duckdb
import sqlglot

from benchmarks import ROOT
from benchmarks.capture.tpch_data import tables as tpch_tables
from benchmarks.shared import results_file as machine
from benchmarks.shared.markup import cores, grid, outcomes, total
from benchmarks.shared.results_file import Record, ResultsFile
from provhouse.interactive import Connection, connect
from provhouse.sql.not_covered import NotCovered


class Query(TypedDict, total=False):
    """One query.

    Its outcome is ``right``, ``wrong``, ``refused``, ``slow``, or ``untested`` (no rows).
    """

    query: str
    outcome: str
    why: str
    references: int
    """The number of uses of base tables."""
    negative: int
    """The number of references in which no record may match a row of the result.

    An example is a table below NOT EXISTS.
    """
    rows: int
    tried: int
    removed: int
    """The number of times that the query was tried without the witnesses of one reference."""
    necessary: int
    """The number of these tries in which the row disappeared or changed."""
    factor: str
    seconds: float
    code: str
    """A digest of the code whose lineage was checked."""


class Suite(Record):
    """The outcomes of all queries."""

    versions: dict[str, str]
    queries: list[Query]


Results = dict[str, Suite]
RESULTS = ResultsFile[Results]("interactive_coverage.json")
FACTORS = {"tpch": ("0.01",), "tpch-1": ("1",), "tpcds": ("0.01", "0.1", "1")}
"""For each suite, the sizes of its tables, to be tried in this order until a query has rows."""
MEANING = {
    "right": "right",
    "wrong": "**wrong**",
    "refused": "refused",
    "slow": "untested: too slow",
    "untested": "untested: no rows",
}
ROWS = 3
"""The number of rows of each query whose lineage is checked."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Check the lineage of TPC-H and TPC-DS.")
    parser.add_argument("--suites", nargs="+", choices=FACTORS, default=list(FACTORS))
    parser.add_argument("--seconds", type=float, default=600, help="the most for one query")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="provhouse-coverage-") as folder:
        for suite in given.suites:
            run(suite, Path(folder), given.seconds)


def run(suite: str, folder: Path, seconds: float) -> None:
    """Check the queries of a suite that have no outcome for this code yet; store each outcome."""
    results = RESULTS.read(missing={})
    found = {each["query"]: each for each in results.get(suite, {"queries": []})["queries"]}

    @cache
    def database(factor: str) -> Connection:
        return loaded(suite, factor, folder)

    for name, sql in queries(suite):
        if found.get(name, {}).get("code") == code():
            continue
        for factor in FACTORS[suite]:
            found[name] = {**checked(database(factor), name, sql, seconds), "factor": factor}
            if found[name]["outcome"] != "untested":
                break
        print(suite, name, found[name]["outcome"], found[name]["why"], flush=True)
        versions = machine.packages("duckdb", "sqlglot", "provhouse")
        listed = sorted(found.values(), key=number)
        results[suite] = {**machine.record(), "versions": versions, "queries": listed}
        RESULTS.write(results)


def queries(suite: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a suite's queries, and their SQL for DuckDB."""
    if suite == "tpcds":
        import tpcds_data as tpcds

        folder = tpcds.queries()
    else:
        folder = ROOT / "tests" / "capturing" / "tpch"
    for path in sorted(folder.glob("q*.sql"), key=lambda path: number({"query": path.stem})):
        text = path.read_text(encoding="utf-8")
        dialect = "spark" if suite == "tpcds" else "duckdb"
        (sql,) = sqlglot.transpile(text, read=dialect, write="duckdb")
        yield path.stem, sql


def loaded(suite: str, factor: str, folder: Path) -> Connection:
    """Return a database with the tables of a suite."""
    con = duckdb.connect(str(folder / f"{suite}-{factor}.db"))
    con.execute("set memory_limit = '6GB'")
    if suite == "tpcds":
        import tpcds_data as tpcds

        made = tpcds.tables(factor)
    else:
        made = folder / f"{suite}-{factor}"
        tpch_tables(made, factor)
    for path in sorted(each for each in made.iterdir() if each.is_dir()):
        con.execute(f"create table {path.name} as from '{path}/*.parquet'")
    return connect(con)


def checked(con: Connection, name: str, sql: str, seconds: float) -> Query:
    """Check the lineage of one query, and return the outcome."""
    from helpers.interactive_oracle import check

    began = time.perf_counter()
    timer = threading.Timer(seconds, con.duckdb.interrupt)
    timer.start()
    found: Query = {"query": name, "outcome": "right", "why": "", "code": code()}
    try:
        done = check(con, sql, most=ROWS)
    except NotCovered as refused:
        return {**found, "outcome": "refused", "why": refused.wanted}
    except duckdb.InterruptException:
        return {**found, "outcome": "slow", "why": f"more than {seconds:.0f} s"}
    except (duckdb.Error, AssertionError) as error:
        return {**found, "outcome": "wrong", "why": str(error).splitlines()[0]}
    finally:
        timer.cancel()
    result = con.sql(sql, lineage=True)
    found |= {
        "references": len(result.references), "negative": len(result.negative),
        "rows": len(result), "tried": done.rows, "removed": done.removed,
        "necessary": done.necessary, "seconds": round(time.perf_counter() - began, 2),
    }  # fmt: skip
    if done.wrong:
        return {**found, "outcome": "wrong", "why": ", ".join(done.wrong)}
    return found if done.rows else {**found, "outcome": "untested"}


@cache
def code() -> str:
    """Return a digest of the code whose lineage is checked, without its docstrings and comments."""
    digest = hashlib.sha256()
    for folder in ("interactive", "sql"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            tree = _WithoutTexts().visit(ast.parse(path.read_bytes()))
            digest.update(ast.dump(tree).encode())
    return digest.hexdigest()[:12]


class _WithoutTexts(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        value = node.value
        text = isinstance(value, ast.Constant) and isinstance(value.value, str)
        return None if text else node


def number(query: Query) -> tuple[int, str]:
    """Return the sort key of a query: the number in its name, and the name."""
    digits = "".join(filter(str.isdigit, query["query"]))
    return int(digits), query["query"]


def table(suite: Suite) -> str:
    """Return how many queries have each outcome, and a table of those that are not right."""
    queries = suite["queries"]
    tried, removed, changed = (total(queries, name) for name in ("tried", "removed", "necessary"))
    note = (
        f"{outcomes(Counter(each['outcome'] for each in queries), MEANING)}. The lineage of"
        f" {tried:,} rows was checked. In {changed:,} of {removed:,} runs without the witnesses of"
        f" one reference, the row disappeared or changed. Run on {cores(suite['machine'])}."
    )
    others = [each for each in queries if each["outcome"] != "right"]
    rows = [(each["query"], MEANING[each["outcome"]], each["why"]) for each in others]
    return f"{note}\n\n{grid(('query', 'lineage', 'why'), rows, left=(0, 1, 2))}" if rows else note


if __name__ == "__main__":
    main()
