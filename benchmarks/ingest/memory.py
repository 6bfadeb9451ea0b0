"""Measure the memory of an ingest, by step, with limits: `make bench-memory`.

The limit of the cut is a quarter of what it would take for the whole trace, or ``--limit``, and the
limit of the driver a quarter of what the arrays of sets would take, or ``--driver``. The trace has
copies of the hard shape `pipelines`, in Parquet. Memory is read from `/proc/PID/status` 50 times a
second: anonymous memory (``RssAnon``), which only swapping can take away. Pages of memory-mapped
files are not counted, as the system writes them out when it needs their memory. The driver is this
process, and a worker is a Python worker of Spark. Results go to `results/memory.json`.
"""

import argparse
import re
import sys
import tempfile
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import TypedDict

import psutil

from benchmarks.shared.machine import mean_load, packages
from benchmarks.shared.machine import run as recorded
from benchmarks.shared.results import ResultsFile, SeededRun
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import write
from provhouse.ingest.ingest import ingest
from provhouse.ingest.steps.cut import EDGE_BYTES, ITEM_BYTES, MEGABYTE
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.runtime.memory import sampling

SEED, SHAPE, COPIES = 5, "pipelines", 20
LARGEST_COPY = 4_000_000
"""The most items in a copy, so that one copy fits in memory while it is written."""
ITEMS_A_TRIPLE = 0.77
SETS_A_TRIPLE, SET_BYTES = 0.03, 75
"""The sets of this shape, and the bytes that the driver has for each set if there is no limit."""
EVERY = 0.02
"""Seconds between two measurements."""


class Peak(TypedDict):
    """The largest anonymous memory of one process in a step, in megabytes."""

    driver: int
    worker: int


class Measured(TypedDict):
    """The trace, the limit of the cut, and the peaks by step.

    ``whole_mb`` is what the cut would take for the whole trace.
    """

    triples: int
    items: int
    cut_mb: int
    whole_mb: int
    driver_mb: int
    sets: int
    wall_seconds: float
    seconds: dict[str, float]
    peaks: dict[str, Peak]
    driver_with_files: int
    """The largest resident memory of the driver, with pages of files (``VmHWM``)."""


class Results(SeededRun, Measured):
    """The results of one run."""


RESULTS: ResultsFile[Results] = ResultsFile("memory.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the memory of an ingest, by step.")
    parser.add_argument("--triples", type=int, default=4_000_000)
    parser.add_argument("--limit", type=int, help="cut_mb, by default a quarter of the need")
    parser.add_argument("--driver", type=int, help="driver_mb, by default a quarter of the need")
    parser.add_argument("--folder", type=Path, help="a folder on a large disk")
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-", dir=given.folder) as name:
        folder = Path(name)
        maker = get_context("spawn").Process(target=make, args=(given.triples, folder / "trace"))
        maker.start()  # in a process of its own, whose memory ends with it
        maker.join()
        if maker.exitcode:
            sys.exit("The trace could not be made")
        items, triples = map(int, (folder / "trace.txt").read_text(encoding="utf-8").split())
        results = measure(folder, items, triples, given.limit, given.driver)
    versions = packages("pyspark", "pyarrow", "numba", "provhouse")
    RESULTS.write({**recorded(load, versions), "seed": SEED, **results})


def make(triples: int, out: Path) -> None:
    """Write the trace, and beside it the numbers of its items and triples."""
    items = min(int(triples * ITEMS_A_TRIPLE) // COPIES, LARGEST_COPY)
    trace = SHAPES[SHAPE](items, SEED)
    copies = -(-triples // len(trace.src))
    write(trace, out, copies, "parquet")
    size = len(trace.table) * copies, len(trace.src) * copies
    out.with_suffix(".txt").write_text("{} {}".format(*size), encoding="utf-8")


def measure(
    folder: Path, items: int, triples: int, limit: int | None, driver: int | None
) -> Measured:
    """Ingest the trace, and return the results without those of the machine."""
    whole = (ITEM_BYTES * items + EDGE_BYTES * triples) // MEGABYTE
    limit = limit or whole // 4
    driver = driver or max(int(triples * SETS_A_TRIPLE * SET_BYTES) // MEGABYTE // 4, 1)
    given = {"warehouse": folder / "warehouse", "cut_mb": limit, "driver_mb": driver}
    settings = Settings.load(given)
    begun = perf_counter()
    peaks = Peaks()
    with sampling(peaks.sample, EVERY):
        found = ingest([folder / "trace"], settings, names="global", progress=peaks)
    print(f"{triples:,} triples, {items:,} items; the cut may take {limit:,} of {whole:,} MB")
    print(f"{found.sets:,} sets; the arrays of the driver may take {driver:,} MB")
    for step, peak in peaks.of.items():
        print(f"{step:<22} driver {peak['driver']:>6,} MB, worker {peak['worker']:>6,} MB")
    return {
        "triples": triples,
        "items": items,
        "cut_mb": limit,
        "whole_mb": whole,
        "driver_mb": driver,
        "sets": found.sets,
        "wall_seconds": round(perf_counter() - begun, 1),
        "seconds": found.seconds,
        "peaks": peaks.of,
        "driver_with_files": status("VmHWM", psutil.Process()),
    }


class Peaks(Silent):
    """The peak memory of this process and of Spark's workers, by step."""

    def __init__(self) -> None:
        self.of: dict[str, Peak] = {}
        self._step = "Begin"
        self._me = psutil.Process()

    def begin(self, step: str) -> None:
        """Start a step."""
        self._step = step

    def sample(self) -> None:
        """Measure the memory now."""
        step, driver = self._step, status("RssAnon", self._me)
        workers = [0]
        for child in self._me.children(recursive=True):
            with suppress(psutil.Error, OSError):
                if "python" in child.name():
                    workers.append(status("RssAnon", child))
        peak = self.of.setdefault(step, {"driver": 0, "worker": 0})
        peak["driver"] = max(peak["driver"], driver)
        peak["worker"] = max(peak["worker"], *workers)


def status(field: str, process: psutil.Process) -> int:
    """Return a field of a process's status in megabytes; 0 if the process has no memory."""
    text = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    found = re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)
    return round(int(found[1]) / 1000) if found else 0


if __name__ == "__main__":
    main()
