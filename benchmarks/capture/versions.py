"""Measure the cost of capture on the 22 queries of TPC-H, on each version of Spark.

python -m benchmarks.capture.versions [--spark 3.5 4.0] [--scale 1] [--repeats 3] [--queries q01]

Each version runs in a new process, with its own PySpark and its own plain Spark to compare with:
plain and captured writes alternate in one session. Nothing is landed. Results go to
`results/capture_versions.json` after each version, so that a stopped run can be continued with
``--spark``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean
from typing import Literal, TypedDict, cast

from jars_all import package

from benchmarks import ROOT
from benchmarks.capture.overhead import QUERIES
from benchmarks.capture.tpch_data import tables as tpch_tables
from benchmarks.capture.version_session import WRITTEN, Query, Session
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion, named

REFERENCE = SparkVersion("4.2")
"""The version on which capture is measured in detail, by ``benchmarks.capture.overhead``."""
MOST = 0.05
"""The most by which the geometric mean of a version may exceed that of the reference."""


class Version(Run):
    """The costs of all queries on one version of Spark."""

    queries: list[Query]


class Results(TypedDict):
    """The results of all versions at one scale factor, and the program that made the tables."""

    scale: str
    data: str
    repeats: int
    versions: dict[str, Version]


Unit = Literal["seconds", "cpu_seconds"]
RESULTS = ResultsFile[Results]("capture_versions.json")


def table(results: Results) -> str:
    """Return a table of versions, one of queries, and the targets."""
    found = {
        version: results["versions"][str(version)]
        for version in VERSIONS
        if str(version) in results["versions"]
    }
    note = (
        f"Scale factor {results['scale']}, tables by {results['data']}, "
        f"counted runs: {results['repeats']} (medians)."
    )
    head = ("Spark", "Scala", "Java", "plain, s", "captured, s", "time", "CPU", "slowest query",
            "equal results", "machine", "system load before")  # fmt: skip
    summary = grid(head, map(_row, found.values()), left=(0, 1, 2, 9))
    by_query = grid(
        ("time", *(f"{each.spark}, {each.scala}" for each in found)),
        _by_query(list(found.values())),
    )
    return "\n\n".join([note, summary, by_query, bars(targets(found))])


def _row(version: Version) -> tuple[str, ...]:
    queries, software = version["queries"], version["versions"]
    slowest = max(queries, key=lambda query: ratio(query, "seconds"))
    return (
        software["spark"],
        software["scala"],
        software["java"],
        f"{sum(query['plain']['seconds'] for query in queries):.1f}",
        f"{sum(query['captured']['seconds'] for query in queries):.1f}",
        f"{mean(version, 'seconds'):.2f}",
        f"{mean(version, 'cpu_seconds'):.2f}",
        f"{slowest['query']}: {ratio(slowest, 'seconds'):.2f}",
        f"{sum(query['result'] == 'equal' for query in queries)} of {len(queries)}",
        cores(version["machine"]),
        str(version["load"]),
    )


def _by_query(versions: list[Version]) -> list[tuple[str, ...]]:
    columns = [
        {query["query"]: f"{ratio(query, 'seconds'):.2f}" for query in version["queries"]}
        for version in versions
    ]
    names = sorted({name for column in columns for name in column})
    return [(name, *(column.get(name, "-") for column in columns)) for name in names]


def targets(found: dict[SparkVersion, Version]) -> dict[str, bool]:
    """Return the targets with the measured values, and whether each was met."""
    queries = [query for version in found.values() for query in version["queries"]]
    differing = sum(query["result"] == "different" for query in queries)
    met = {f"no result differs from that of plain Spark ({differing})": not differing}
    if REFERENCE not in found:
        return met
    most = mean(found[REFERENCE], "seconds") + MOST
    for version in (each for each in found if each != REFERENCE):
        name = f"{version.spark}, Scala {version.scala}"
        value = mean(found[version], "seconds")
        met[f"geometric mean of {name}, at most {most:.2f} times ({value:.2f})"] = value <= most
    return met


def mean(version: Version, unit: Unit) -> float:
    """Return the geometric mean of the ratios of a version's queries."""
    return geometric_mean(ratio(query, unit) for query in version["queries"])


def ratio(query: Query, unit: Unit) -> float:
    """Return what the captured query costs as a multiple of the plain one's costs."""
    return query["captured"][unit] / query["plain"][unit]


def main() -> None:
    """Run from the command line."""
    names = sorted(path.stem for path in QUERIES.glob("*.sql"))
    parser = argparse.ArgumentParser(description="Measure what capture costs on each Spark.")
    parser.add_argument("--spark", nargs="+", type=named, default=VERSIONS)
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-H, such as 0.1")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--queries", nargs="+", choices=names, default=names)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        folder = Path(name)
        data = tpch_tables(folder / "tpch", given.scale)
        for version in given.spark:
            load = mean_load()
            session = measured(version, folder, given.repeats, given.queries)
            results: Version = {
                **recorded(load, {**packages("provhouse"), **session["versions"]}),
                "queries": session["queries"],
            }
            store(version, results, given.scale, data, given.repeats)


def measured(version: SparkVersion, folder: Path, repeats: int, queries: list[str]) -> Session:
    """Return the costs of queries on a version of Spark, measured in a new process."""
    place = folder / str(version)
    place.mkdir()
    given = [place, folder / "tpch", repeats, *queries]
    subprocess.run(
        [sys.executable, "-m", "benchmarks.capture.version_session", *map(str, given)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(package(version).parent)},
        check=True,
    )
    session = cast(Session, json.loads((place / WRITTEN).read_text(encoding="utf-8")))
    assert session["versions"]["spark"].startswith(f"{version.spark}.")
    assert session["versions"]["scala"].startswith(f"{version.scala}.")
    return session


def store(version: SparkVersion, results: Version, scale: str, data: str, repeats: int) -> None:
    """Add a version to the stored results of the same scale and repeats, and print it."""
    new = Results(scale=scale, data=data, repeats=repeats, versions={})
    stored = RESULTS.read(new)
    same = all(stored[each] == new[each] for each in ("scale", "data", "repeats"))
    before = stored["versions"] if same else {}
    RESULTS.write({**new, "versions": {**before, str(version): results}})
    print(f"Spark {version}: {mean(results, 'seconds'):.2f} times", flush=True)


if __name__ == "__main__":
    main()
