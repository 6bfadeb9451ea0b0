"""Measure what capture costs the 103 queries of TPC-DS that Spark's own tests have.

python benchmarks/capture_tpcds.py [--scale 1] [--repeats 1] [--queries q1 q14a]

Plain and captured runs alternate, and their results are compared by the number of their rows and a
sum of the hashes of all rows. Nothing is landed. Results go to `results/capture_tpcds.json` after
each query, so that a run that was stopped is continued with ``--queries``.
"""

import argparse
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from capture_overhead import Bench, middle
from capture_overhead_form import Cost
from capture_tpcds_form import RESULTS, Outcome, Query
from machine import mean_load, packages
from machine import run as recorded
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from provhouse.ingest.captured.finished import captured_writes
from provhouse.model.errors import UsageError

sys.path.append(str(Path(__file__).parent.parent / "tools"))
import tpcds

NOTHING: Cost = {"seconds": 0.0, "cpu_seconds": 0.0, "shuffle_bytes": 0}


def main() -> None:
    """Run from the command line."""
    queries = tpcds.queries()
    names = sorted(path.stem for path in queries.glob("*.sql"))
    parser = argparse.ArgumentParser(description="Measure what capture costs on TPC-DS.")
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-DS, such as 0.1")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--queries", nargs="+", choices=names, default=names)
    parser.add_argument("--folder", type=Path, help="a folder on a large disk")
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-", dir=given.folder) as name:
        bench = Bench.prepared(Path(name), tpcds.tables(given.scale))
        measure(bench, queries, given.queries[0], 1)  # compiles
        for query in given.queries:
            found = measure(bench, queries, query, given.repeats)
            store(given.scale, load, given.repeats, found)


def store(scale: str, load: float, repeats: int, query: Query) -> None:
    """Add a query to the stored results, unless these are of another scale, and print it."""
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
    """Return the frame of a query, with different names for its columns, as files need it."""
    frame = spark.sql(sql.strip().removesuffix(";"))
    return frame.toDF(*(f"{name}_{at}" for at, name in enumerate(frame.columns)))


def shape(spark: SparkSession, path: Path) -> tuple[int, object]:
    """Return the number of the rows of a result, and a sum of their hashes."""
    frame = spark.read.parquet(str(path))
    hashed = f.sum(f.xxhash64(*frame.columns).cast("decimal(20)"))
    row = frame.agg(f.count("*"), hashed).first()
    assert row is not None
    return row[0], row[1]


def compared(plain: object, captured: object, again: object) -> Outcome:
    """Return the outcome for the shapes of three results, two of them by plain Spark."""
    if captured in (plain, again):
        return "equal"
    return "varies" if plain != again else "different"


if __name__ == "__main__":
    main()
