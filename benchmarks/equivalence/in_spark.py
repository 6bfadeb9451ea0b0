"""Execute the queries of proved pairs in Spark: both must give the same rows there too.

    python -m benchmarks.equivalence.in_spark --calcite PAIRS SCHEMA [--tpch 100] [--tpcds 100]

The pairs are those that the other benchmarks prove, according to their results. Each pair is
executed on random contents of its tables for which the first query gives rows in DuckDB, if such
contents are found. The queries are translated to Spark's SQL by sqlglot.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import duckdb
import sqlglot

from benchmarks.equivalence import pairs, proofs
from benchmarks.equivalence.calcite_text import ddl
from benchmarks.equivalence.calcite_text import pairs as calcite_pairs
from benchmarks.equivalence.constant_views import view
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages, run
from provhouse.equivalence.empty_database import EmptyDatabase, empty_database
from provhouse.equivalence.random_rows import RandomRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED, TRIED = 43, 40
"""The seed of the random contents, and how many contents are tried until a query gives rows."""


class InSpark(Run):
    """The results of the benchmark."""

    executed: int
    with_rows: int
    """The number of executed pairs that gave rows in Spark."""
    differ: list[str]
    failed: dict[str, str]
    """The pairs that Spark or the translation refuses, with the first line of the reason."""


RESULTS = ResultsFile[InSpark]("proofs_in_spark.json")


class Proved(NamedTuple):
    """Two queries that are proved to be equal, with the DDL of their tables."""

    name: str
    ddl: str
    first: str
    second: str


def main() -> None:
    """Run the benchmark and write its results."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--calcite", nargs=2, type=Path, metavar=("PAIRS", "SCHEMA"))
    given.add_argument("--tpch", type=int, default=100, help="the most pairs of TPC-H")
    given.add_argument("--tpcds", type=int, default=100, help="the most pairs of TPC-DS")
    found = given.parse_args()
    load = mean_load()
    listed = [*(_calcite(*found.calcite) if found.calcite else ())]
    listed += [*islice(_suite("tpch"), found.tpch), *islice(_suite("tpcds"), found.tpcds)]
    made = {**run(load, packages("duckdb", "pyspark", "sqlglot")), **_results(listed)}
    RESULTS.write(cast(InSpark, made))


def _calcite(path: Path, schema: Path) -> Iterator[Proved]:
    known = proofs.RESULTS.read()
    lists = (known["refuted"], known["unproved"], known["ill_formed"], known["ties"])
    left = {each["pair"] for listed in lists for each in listed}
    tables = ddl(schema)
    for each in calcite_pairs(path):
        if each.name not in left:
            yield Proved(each.name, proofs.used(tables, each), each.first, each.second)


def _suite(name: str) -> Iterator[Proved]:
    undecided = pairs.RESULTS.read()[name]["verdicts"]["undecided"]
    for each in pairs.SUITES[name](pairs.MUTANTS):
        if each.name not in undecided:
            yield Proved(f"{name} {each.name}", each.one.ddl, each.one.text, each.other.text)


def _results(listed: list[Proved]) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    executed, with_rows, differ, failed = 0, 0, list[str](), dict[str, str]()
    try:
        for each in listed:
            try:
                one, other = _executed(spark, each)
            except Exception as error:  # Spark's errors have no common class
                failed[each.name] = str(error).strip().splitlines()[0][:120]
                print(each.name, failed[each.name], flush=True)
                continue
            executed += 1
            with_rows += bool(one)
            if one != other:
                differ.append(each.name)
            print(each.name, sum(one.values()), one == other, flush=True)
    finally:
        spark.stop()
    return {"executed": executed, "with_rows": with_rows, "differ": differ, "failed": failed}


def _executed(spark: "SparkSession", pair: Proved) -> tuple[Counter[Any], Counter[Any]]:
    """Return the rows of both queries of a pair in Spark."""
    with empty_database(pair.ddl) as database:
        for view in _views(database, pair):
            spark.sql(view)
    one, other = (_rows(spark, text) for text in (pair.first, pair.second))
    return one, other


def _rows(spark: "SparkSession", text: str) -> Counter[Any]:
    (made,) = sqlglot.transpile(text, read="duckdb", write="spark")
    return Counter(tuple(map(_plain, row)) for row in spark.sql(made).collect())


def _plain(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else repr(value)


def _views(database: EmptyDatabase, pair: Proved) -> Iterator[str]:
    """Yield statements that define the tables of a pair as views of constant rows."""
    plans = database.plan(pair.first), database.plan(pair.second)
    made = RandomRows(database, plans, SEED)
    rows = {table[-1]: list[tuple[Any, ...]]() for table in database.columns}
    for _ in range(TRIED):
        made.fill()
        try:
            gives_rows = database.con.execute(pair.first).fetchone()
        except duckdb.Error:
            continue  # Spark would raise an error, too
        rows = made.rows()
        if gives_rows:
            break
    for table, columns in database.columns.items():
        yield view(table[-1], columns, rows[table[-1]])


def sentence(found: InSpark) -> str:
    """Return what the results show."""
    failed = f", and refused or failed for {len(found['failed'])} others" if found["failed"] else ""
    return (
        f"Spark executed both queries of {found['executed']} proved pairs{failed}. "
        f"{found['with_rows']} of the executed pairs gave rows, and the two queries of "
        f"{len(found['differ'])} pairs gave different rows."
    )


if __name__ == "__main__":
    main()
