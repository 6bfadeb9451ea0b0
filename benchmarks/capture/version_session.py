"""Write queries of TPC-H with plain Spark and captured, in one session of any version of Spark.

``benchmarks.capture.versions`` runs this module with the PySpark of the version. Arguments: a
folder for everything that is written, the folder with the tables, the number of counted rounds, and
the names of the queries. An uncounted round comes first: it compiles, and its results are compared.
The folder then contains ``session.json``.
"""

import json
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TypedDict

from benchmarks.capture.equal_results import Equality, compared, shape
from benchmarks.capture.overhead import QUERIES, Bench, Frame
from benchmarks.shared.costs import Cost, middle
from provhouse.runtime.spark.pyspark_internals import java_session

WRITTEN = "session.json"


class Query(TypedDict):
    """The median costs of one query, the number of its rows, and whether they are equal."""

    query: str
    rows: int
    result: Equality
    plain: Cost
    captured: Cost


class Session(TypedDict):
    """The full versions of the session's software, and the costs of all queries."""

    versions: dict[str, str]
    queries: list[Query]


def main(folder: Path, tables: Path, rounds: int, names: list[str]) -> None:
    """Write the costs of the queries to a file in the folder."""
    bench = Bench.prepared(folder, tables)
    queries = {name: query(bench, name) for name in names}
    results = {name: checked(bench, name, run) for name, run in queries.items()}
    plain: dict[str, list[Cost]] = {name: [] for name in names}
    captured: dict[str, list[Cost]] = {name: [] for name in names}
    for number in range(rounds):
        for at, (name, run) in enumerate(queries.items()):
            costs = pair(bench, name, run, captured_first=bool((number + at) % 2))
            plain[name].append(costs[0])
            captured[name].append(costs[1])
    found = [
        Query(
            query=name,
            rows=results[name][0],
            result=results[name][1],
            plain=middle(plain[name]),
            captured=middle(captured[name]),
        )
        for name in names
    ]
    session: Session = {"versions": versions(bench), "queries": found}
    (folder / WRITTEN).write_text(json.dumps(session), encoding="utf-8")


def query(bench: Bench, name: str) -> Frame:
    """Return a function that returns a new frame of a query."""
    return partial(bench.spark.sql, (QUERIES / f"{name}.sql").read_text(encoding="utf-8"))


def checked(bench: Bench, name: str, run: Frame) -> tuple[int, Equality]:
    """Return the number of a query's rows, and whether plain and captured results are equal."""
    shapes = []
    for write in (bench.write_plain, bench.write_captured, bench.write_plain):
        write(name, run)
        shapes.append(shape(bench.spark, bench.out(name)))
    clean(bench)
    return shapes[0][0], compared(*shapes)


def pair(bench: Bench, name: str, run: Frame, *, captured_first: bool) -> tuple[Cost, Cost]:
    """Return what a query costs with plain Spark and what it costs captured."""
    if captured_first:
        captured, _ = bench.write_captured(name, run)
        plain = bench.write_plain(name, run)
    else:
        plain = bench.write_plain(name, run)
        captured, _ = bench.write_captured(name, run)
    clean(bench)
    return plain, captured


def clean(bench: Bench) -> None:
    """Remove all results and all captured lineage."""
    shutil.rmtree(bench.folder / "out")
    shutil.rmtree(bench.settings.warehouse)


def versions(bench: Bench) -> dict[str, str]:
    """Return the full versions of Spark, Scala and Java."""
    jvm, _ = java_session(bench.spark)
    return {
        "spark": bench.spark.version,
        "scala": jvm.scala.util.Properties.versionNumberString(),
        "java": jvm.System.getProperty("java.version"),
    }


if __name__ == "__main__":
    place, source, counted, *chosen = sys.argv[1:]
    main(Path(place), Path(source), int(counted), chosen)
