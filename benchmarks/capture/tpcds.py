"""Measure the cost of capture for the 103 queries of TPC-DS in Spark's own tests.

python -m benchmarks.capture.tpcds [--scale 1] [--repeats 1] [--queries q1 q14a]

Plain and captured runs alternate. Their results are compared by the number of rows and the sum of
all rows' hashes. Nothing is landed. Results go to `results/capture_tpcds.json` after each query, so
that a stopped run can be continued with ``--queries``.
"""

import argparse
import shutil
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from statistics import geometric_mean, median
from typing import Literal, TypedDict

import tpcds_data as tpcds
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from benchmarks.capture.equal_results import Equality, compared, shape
from benchmarks.capture.overhead import Bench
from benchmarks.shared.costs import Cost, middle
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from provhouse.capturing.reading.finished import captured_writes
from provhouse.model.errors import UsageError

Outcome = Equality | Literal["refused", "failed"]
"""The comparison of the captured result with that of plain Spark.

``varies`` means that two runs of plain Spark give different results, too, for example because of a
limit with ties. ``failed`` means that plain Spark fails, for example because it divides by zero.
"""


class Query(TypedDict):
    """The median costs of one query; 0 if the query was refused or failed."""

    query: str
    outcome: Outcome
    why: str
    rows: int
    nodes: int
    plain: Cost
    captured: Cost
    rewriting_seconds: float


class Results(Run):
    """The results of all queries at one scale factor."""

    scale: str
    repeats: int
    queries: list[Query]


RESULTS = ResultsFile[Results]("capture_tpcds.json")


def table(results: Results) -> str:
    """Return the table and the targets."""
    queries = results["queries"]
    head = ("query", "rows", "result", "plan nodes", "plain, s", "captured, s", "time", "CPU",
            "shuffled", "rewriting, s")  # fmt: skip
    note = (
        f"Scale factor {results['scale']}, runs: {results['repeats']} (medians),"
        f" {cores(results['machine'])}, system load before the run: {results['load']}."
    )
    rows = grid(head, map(_row, queries), left=(0, 2))
    return "\n\n".join([note, rows, bars(targets(queries))])


def _row(query: Query) -> tuple[str, ...]:
    plain, captured = query["plain"], query["captured"]
    if not captured["seconds"]:
        return (query["query"], "", f"{query['outcome']}: {query['why']}", *[""] * 7)
    moved = captured["shuffle_bytes"] / plain["shuffle_bytes"] if plain["shuffle_bytes"] else 1.0
    return (
        query["query"],
        f"{query['rows']:,}",
        query["outcome"],
        f"{query['nodes']:,}",
        f"{plain['seconds']:.2f}",
        f"{captured['seconds']:.2f}",
        f"{overhead(query):.2f}",
        f"{captured['cpu_seconds'] / plain['cpu_seconds']:.2f}",
        f"{moved:.2f}",
        f"{query['rewriting_seconds']:.2f}",
    )


def overhead(query: Query) -> float:
    """Return the ratio of seconds: the captured write to the plain write."""
    return query["captured"]["seconds"] / query["plain"]["seconds"]


def targets(queries: list[Query]) -> dict[str, bool]:
    """Return the targets with the measured values, and whether each was met."""
    outcomes = Counter(query["outcome"] for query in queries)
    right = outcomes["equal"] + outcomes["varies"]
    ran = [query for query in queries if query["captured"]["seconds"]]
    mean = geometric_mean(map(overhead, ran))
    largest = max(ran, key=lambda query: query["nodes"])
    return {
        f"at least 101 queries with equal results ({right}, of which {outcomes['varies']} vary)": (
            right >= 101
        ),
        f"geometric mean at most 1.25 times ({mean:.2f})": mean <= 1.25,
        f"rewriting at most 2 s for the largest plan ({largest['query']}, {largest['nodes']} nodes:"
        f" {largest['rewriting_seconds']:.2f} s)": largest["rewriting_seconds"] <= 2,
    }


NOTHING: Cost = {"seconds": 0.0, "cpu_seconds": 0.0, "shuffle_bytes": 0}


def main() -> None:
    """Run from the command line."""
    queries = tpcds.queries()
    names = sorted(path.stem for path in queries.glob("*.sql"))
    parser = argparse.ArgumentParser(description="Measure what capture costs on TPC-DS.")
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-DS, such as 0.1")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--queries", nargs="+", choices=names, default=names)
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        bench = Bench.prepared(Path(name), tpcds.tables(given.scale))
        measure(bench, queries, given.queries[0], 1)  # compiles
        for query in given.queries:
            found = measure(bench, queries, query, given.repeats)
            store(given.scale, load, given.repeats, found)


def store(scale: str, load: float, repeats: int, query: Query) -> None:
    """Print a query, and store it together with the stored queries of the same scale."""
    stored = RESULTS.path.exists() and RESULTS.read()
    before = stored["queries"] if stored and stored["scale"] == scale else []
    queries = {**{each["query"]: each for each in before}, query["query"]: query}
    RESULTS.write(
        {
            **recorded(load, packages("pyspark", "pyarrow", "provhouse")),
            "scale": scale,
            "repeats": repeats,
            "queries": [queries[name] for name in sorted(queries)],
        }
    )
    plain, captured = query["plain"]["seconds"], query["captured"]["seconds"]
    ratio = f"{captured / plain:.2f} times" if captured else query["why"]
    print(f"{query['query']}: {query['outcome']}, {ratio}", flush=True)


def measure(bench: Bench, queries: Path, name: str, repeats: int) -> Query:
    """Return the costs of a query with and without capture, and whether the results are equal."""
    sql = (queries / f"{name}.sql").read_text(encoding="utf-8")
    run = partial(renamed, bench.spark, sql)
    found: Query = {
        "query": name, "outcome": "failed", "why": "", "rows": 0, "nodes": 0,
        "plain": NOTHING, "captured": NOTHING, "rewriting_seconds": 0.0,
    }  # fmt: skip
    without, within, rewriting = list[Cost](), list[Cost](), list[float]()
    try:
        for _ in range(repeats):
            without.append(bench.write_plain(name, run))
            plain = bench.out(name)
            found["outcome"] = "refused"
            cost, block = bench.write_captured(name, run)
            (write,) = captured_writes(block)
            within.append(cost)
            rewriting.append(write.rewriting)
            shutil.rmtree(block)
            found["outcome"] = "equal"
    except (PySparkException, UsageError) as error:
        return {**found, "why": str(error).splitlines()[0]}
    captured = bench.out(name)
    bench.write_plain(name, run)
    shapes = [shape(bench.spark, path) for path in (plain, captured, bench.out(name))]
    shutil.rmtree(bench.folder / "out")
    return {
        **found,
        "outcome": compared(*shapes),
        "rows": shapes[0][0],
        "nodes": len(run()._jdf.queryExecution().optimizedPlan().toString().splitlines()),
        "plain": middle(without),
        "captured": middle(within),
        "rewriting_seconds": round(median(rewriting), 3),
    }


def renamed(spark: SparkSession, sql: str) -> DataFrame:
    """Return the frame of a query with its columns renamed to distinct names, as files require."""
    frame = spark.sql(sql.strip().removesuffix(";"))
    return frame.toDF(*(f"{name}_{at}" for at, name in enumerate(frame.columns)))


if __name__ == "__main__":
    main()
