"""Measure the memory that capture takes for the 22 queries of TPC-H.

python -m benchmarks.capture.capture_memory [--scale 1] [--repeats 3]

Sessions with and without capture alternate, each in a new process. Nothing is landed, since landing
may happen in another process. Results go to `results/capture_memory.json`.
"""

import argparse
import json
import tempfile
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import TypedDict

import psutil

from benchmarks.capture.overhead import QUERIES, Bench
from benchmarks.capture.tpch_data import tables
from benchmarks.shared.costs import EVERY
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages, status
from benchmarks.shared.results_file import run as recorded
from provhouse.runtime.memory_sizes import sampling


class Peak(TypedDict):
    """The largest memory in one session that runs all queries, in megabytes.

    ``spark`` is the anonymous memory of Spark's JVM, which is both driver and executor here;
    ``heap`` is the part of the JVM's heap that was still in use after a full garbage collection;
    ``execution`` is the largest memory that the tasks of one stage together used for sorting, joins
    and aggregates; ``driver`` is the anonymous memory of the Python process.
    """

    spark: int
    heap: int
    execution: int
    driver: int


class Results(Run):
    """The median peaks of all sessions with plain Spark, and of all sessions with capture."""

    scale: str
    repeats: int
    plain: Peak
    captured: Peak


RESULTS = ResultsFile[Results]("capture_memory.json")


PARTS: dict[str, Callable[[Peak], int]] = {
    "JVM": lambda peak: peak["spark"],
    "its heap at the end": lambda peak: peak["heap"],
    "execution memory of a stage": lambda peak: peak["execution"],
    "Python process of the driver": lambda peak: peak["driver"],
}


def table(results: Results) -> str:
    """Return the table and the targets."""
    note = (
        f"Scale factor {results['scale']}, median of {results['repeats']} sessions,"
        f" {cores(results['machine'])}, system load before the run: {results['load']}."
    )
    plain, captured = results["plain"], results["captured"]
    rows = [
        (part, f"{of(plain):,}", f"{of(captured):,}", f"{of(captured) / of(plain):.2f}")
        for part, of in PARTS.items()
    ]
    together = _whole(captured) / _whole(plain)
    met = {f"executor and driver at most 1.15 times ({together:.2f})": together <= 1.15}
    return "\n\n".join([note, grid(("MB", "plain", "captured", "times"), rows), bars(met)])


def _whole(peak: Peak) -> int:
    return peak["spark"] + peak["driver"]


MEGABYTE = 1_000_000


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the memory that capture takes.")
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-H, such as 0.1")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        folder = Path(name)
        tables(folder / "tpch", given.scale)
        found: dict[bool, list[Peak]] = {False: [], True: []}
        for _ in range(given.repeats):
            for capture in found:
                found[capture].append(in_process(folder, capture))
    results: Results = {
        **recorded(load, packages("pyspark", "pyarrow", "provhouse")),
        "scale": given.scale,
        "repeats": given.repeats,
        "plain": middle(found[False]),
        "captured": middle(found[True]),
    }
    RESULTS.write(results)
    print(json.dumps(results, indent=1))


def in_process(folder: Path, capture: bool) -> Peak:
    """Return the peaks of a session in a new process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(session, (folder, capture))


def session(folder: Path, capture: bool) -> Peak:
    """Write all queries in a new session, and return its peaks."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        bench = Bench.prepared(Path(name), folder / "tpch")
        peaks = Sampled()
        with sampling(peaks.sample, EVERY):
            for path in sorted(QUERIES.glob("*.sql")):
                query = partial(bench.spark.sql, path.read_text(encoding="utf-8"))
                if capture:
                    bench.write_captured(path.stem, query)
                else:
                    bench.write_plain(path.stem, query)
        jvm = bench.spark._jvm
        assert jvm is not None
        jvm.System.gc()
        runtime = jvm.Runtime.getRuntime()
        heap = runtime.totalMemory() - runtime.freeMemory()
        gateway = bench.spark.sparkContext._gateway
        assert gateway is not None
        none = gateway.new_array(jvm.double, 0)
        store = bench.spark._jsc.sc().statusStore()
        stages = store.stageList(None, False, False, none, jvm.java.util.ArrayList())
        execution = max(stages.apply(at).peakExecutionMemory() for at in range(stages.size()))
        return {
            "spark": peaks.spark,
            "heap": heap // MEGABYTE,
            "execution": execution // MEGABYTE,
            "driver": peaks.driver,
        }


class Sampled:
    """The largest anonymous memory of Spark's JVM and of this process, in megabytes."""

    def __init__(self) -> None:
        self.spark = self.driver = 0
        self._me = psutil.Process()
        (self._jvm,) = (each for each in self._me.children(recursive=True) if "java" in each.name())

    def sample(self) -> None:
        """Measure the memory now."""
        self.spark = max(self.spark, status("RssAnon", self._jvm))
        self.driver = max(self.driver, status("RssAnon", self._me))


def middle(peaks: list[Peak]) -> Peak:
    """Return the median of each peak."""
    return {
        "spark": round(median(each["spark"] for each in peaks)),
        "heap": round(median(each["heap"] for each in peaks)),
        "execution": round(median(each["execution"] for each in peaks)),
        "driver": round(median(each["driver"] for each in peaks)),
    }


if __name__ == "__main__":
    main()
