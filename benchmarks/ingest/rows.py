"""Measure how many triples a second are read and numbered: row ids, and names of the same items.

A frame in memory goes through ``from_arrow`` up to the end of the step ``number``, so the figures
include writing its temporary files. Nothing is stored. Results go to `results/rows.json`.
"""

import argparse
import json
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypedDict

import numpy as np
import pyarrow as pa

from benchmarks.shared.machine import mean_load, packages
from benchmarks.shared.machine import run as recorded
from benchmarks.shared.results import ResultsFile, SeededRun
from provhouse.ingest.formats.column_mapping import AS_NAMED
from provhouse.ingest.formats.spool import spooled
from provhouse.ingest.job import Inputs, Job
from provhouse.ingest.run import carry_out
from provhouse.ingest.steps.number import number
from provhouse.ingest.steps.order import NUMBER, READ, JobResult
from provhouse.ingest.steps.read import read
from provhouse.model.arrays import I64
from provhouse.model.patterns import usual_pattern
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.names.printed import printed

SEED = 7
GROUP = 100
BATCH = 1 << 18
TABLES = {"src": "lineitem", "dst": "result"}


class Rate(TypedDict):
    """The rate of one shape and one kind of ends; ``seconds`` are those of each run, in order."""

    triples: int
    triples_a_second: int
    seconds: list[float]


class Results(SeededRun):
    """The rates, by shape, then by ``ids`` or ``names``."""

    runs: int
    rates: dict[str, dict[str, Rate]]


RESULTS: ResultsFile[Results] = ResultsFile("rows.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure ingests of row ids up to numbering.")
    parser.add_argument("--triples", type=int, default=16_000_000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    load = mean_load()
    shapes = {shape: ends(shape, given.triples) for shape in ("map", "group", "random")}
    measure(frame(shapes["map"], ids=True), 1)  # starts Spark's workers and compiles
    rates = {}
    for shape, both in shapes.items():
        few = {end: numbers[: given.triples // 4] for end, numbers in both.items()}
        rates[shape] = {
            "ids": measure(frame(both, ids=True), given.runs),
            "names": measure(frame(few, ids=False), given.runs),
        }
        print(shape, json.dumps(rates[shape]), flush=True)
    versions = packages("pyspark", "pyarrow", "numba", "provhouse")
    RESULTS.write({**recorded(load, versions), "seed": SEED, "runs": given.runs, "rates": rates})


def ends(shape: str, count: int) -> dict[str, I64]:
    """Return the ids of both ends of each triple.

    ``map``: row n from row n. ``group``: rows in order, each into one of a hundredth as many
    groups. ``random``: any row from any row.
    """
    rng, rows = np.random.default_rng(SEED), np.arange(count)
    if shape == "map":
        return {"src": rows, "dst": rows}
    if shape == "group":
        return {"src": rows, "dst": rng.integers(0, count // GROUP, count)}
    return {"src": rng.integers(0, count, count), "dst": rng.integers(0, count, count)}


def frame(both: dict[str, I64], *, ids: bool) -> pa.Table:
    """Return triples between row ids, or between the names of the same items."""
    columns: dict[str, object] = {}
    for end, numbers in both.items():
        table = TABLES[end]
        columns[f"{end}_id" if ids else end] = (
            pa.array(numbers) if ids else printed(usual_pattern(table), numbers)
        )
        codes = np.zeros(len(numbers), np.int32)
        columns[f"{end}_table"] = pa.DictionaryArray.from_arrays(codes, [table])
    return pa.table(columns)


def measure(rows: pa.Table, runs: int) -> Rate:
    """Return the rate at which the rows are read and numbered, the median of some runs."""
    seconds = [_seconds(rows) for _ in range(runs)]
    rate = round(rows.num_rows / median(seconds))
    return {"triples": rows.num_rows, "triples_a_second": rate, "seconds": seconds}


def _seconds(rows: pa.Table) -> float:
    with TemporaryDirectory(prefix="provhouse-bench-") as folder:
        settings = Settings.load({"warehouse": f"{folder}/warehouse", "master": "local[2]"})
        began = perf_counter()
        with spooled(iter(rows.to_batches(BATCH)), "frame", AS_NAMED) as found:
            written = perf_counter() - began
            inputs = Inputs(found)
            done = carry_out(_numbered, inputs, settings, Stopwatch(), Silent(), large=True)
    return round(written + done.seconds["read"] + done.seconds["number"], 2)


def _numbered(job: Job) -> JobResult:
    """Run the first two steps of an ingest."""
    with job.step(READ):
        found = read(job)
    with job.step(NUMBER):
        number(job, found)
    return JobResult(found)


if __name__ == "__main__":
    main()
