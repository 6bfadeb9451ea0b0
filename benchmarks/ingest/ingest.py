"""Measure a complete ingest of the paper's trace, from CSV files to the first answer.

`make bench-ingest` runs this benchmark. It runs the same commands as a user. After the ingest, it
asks the first question and compares the answer with the trace. Then it appends three kinds of
triples, 10,000 of each. Results go to `results/ingest.json`, keyed by the number of copies of the
trace.
"""

import argparse
import csv
import math
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NotRequired, TypedDict

import numpy as np
import psutil

from benchmarks.shared.markup import Row, bars, cores, grid
from benchmarks.shared.measured_command import Command, Ingested, size
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages, status
from benchmarks.shared.results_file import run as recorded
from benchmarks.traces.paper_trace import paper
from benchmarks.traces.trace_files import Trace, names, write
from provhouse.model.arrays import I64
from provhouse.model.columns import DST, OP, SRC
from provhouse.runtime.memory_sizes import sampling


class FirstAnswer(TypedDict):
    """The first question after the ingest. A new command asks it, and starts Spark and Neo4j."""

    items: int
    method: str
    triples_read: int
    wall_seconds: float


class IngestRun(Run):
    """The results for one number of copies of the trace.

    ``memory`` has the peak of one process of each kind, in megabytes. ``cut_mb`` is the limit for
    the step cut, if there was one.
    """

    csv_bytes: int
    cut_mb: NotRequired[int | None]
    memory: NotRequired[dict[str, int]]
    ingest: Ingested
    bytes: dict[str, int]
    first_answer: FirstAnswer
    appends: dict[str, Ingested]


Results = dict[str, IngestRun]
"""The last run for each number of copies of the trace, by that number."""


EVERY = 0.1
"""The number of seconds between two measurements of memory."""


KINDS = {
    "driver": "the command",
    "worker": "the largest Python worker",
    "spark": "Spark's Java",
    "neo4j": "Neo4j",
}
"""The kinds of processes, by their names in the results."""


@contextmanager
def measured() -> Iterator[dict[str, int]]:
    """Measure commands for the length of the block; return the peaks by kind of process.

    A peak is the largest anonymous memory of one process, in megabytes. The result is complete when
    the block has ended.
    """
    peaks = dict.fromkeys(KINDS, 0)
    me = psutil.Process()

    def sample() -> None:
        for command in me.children():
            for process in (command, *command.children(recursive=True)):
                with suppress(psutil.Error, OSError):
                    add(peaks, process, process.pid == command.pid)

    with sampling(sample, EVERY):
        yield peaks


def add(peaks: dict[str, int], process: psutil.Process, command: bool) -> None:
    """Add the memory of a process to the peak of its kind."""
    memory = status("RssAnon", process)
    if "java" not in process.name():
        kind = "driver" if command else "worker"
    else:
        kind = "spark" if "org.apache.spark" in " ".join(process.cmdline()) else "neo4j"
    peaks[kind] = max(peaks[kind], memory)


RESULTS = ResultsFile[Results]("ingest.json")
SECONDS = {"1": 75, "9": 600}
GIBIBYTES = {"1": 6, "9": 14}
"""The targets for the time and the memory of an ingest, by the number of copies of the trace."""
BYTES_A_TRIPLE = 40
"""The target for the size of the warehouse in bytes per triple, for any number of copies."""
APPEND_SECONDS = 20
"""The target for the seconds of an append to one copy, without the start of Spark and Neo4j."""
GROWTH = {"between any items": 3.0}
USUAL_GROWTH = 1.5
"""The target for appends to nine copies of the trace, as a multiple of the time on one copy.

It applies to all appends except those in ``GROWTH``.
"""


def tables(results: Results) -> str:
    """Return notes on the runs, a table of ingest steps, a table of appends, and the targets."""
    sizes = sorted(results, key=int)
    parts = [
        "\n".join(note(results[size]) for size in sizes),
        grid(("", *map(heading, sizes)), ingests([results[size] for size in sizes])),
        "Appends of 10,000 triples, in seconds without the start of Spark and Neo4j:",
        grid(("", *map(heading, sizes)), appends([results[size] for size in sizes])),
        bars(dict(targets(results))),
    ]
    return "\n\n".join(parts)


def heading(copies: str) -> str:
    """Return the title of the column for this number of copies of the trace."""
    return "the trace" if copies == "1" else f"{copies} copies"


def note(one: IngestRun) -> str:
    """Return a note on the trace, the machine and the first question."""
    answer = one["first_answer"]
    limit = f" The cut was limited to {most:,} MB." if (most := one.get("cut_mb")) else ""
    return (
        f"{one['ingest']['triples']:,} triples of {one['ingest']['items']:,} items from"
        f" {one['csv_bytes'] / 1e6:,.0f} MB of CSV, on"
        f" {cores(one['machine'])}, system load before the run: {one['load']}."
        f" The first question, asked by a new command, took {answer['wall_seconds']:.1f} s for"
        f" {answer['items']:,} items; {answer['method']} read {answer['triples_read']:,} triples."
        f"{limit}"
    )


def ingests(sizes: Sequence[IngestRun]) -> Iterator[Row]:
    """Yield a row for each step with its seconds, then rows for other figures."""
    for step in sizes[0]["ingest"]["seconds"]:
        yield step, *(taken(one, step) for one in sizes)
    yield "the complete command", *(f"{one['ingest']['wall_seconds']:.1f}" for one in sizes)
    yield "peak memory, GiB", *(f"{gibibytes(one):.1f}" for one in sizes)
    if any("memory" in one for one in sizes):
        yield from memories(sizes)
    for part, word in (
        ("all", "bytes a triple"),
        ("names", "of these, names"),
        ("neo4j", "of these, Neo4j"),
    ):
        yield word, *(f"{one['bytes'][part] / one['ingest']['triples']:.1f}" for one in sizes)
    yield "sets", *(f"{one['ingest']['sets']:,}" for one in sizes)
    yield "set dependencies", *(f"{one['ingest']['set_dependencies']:,}" for one in sizes)
    yield "time grows with triples to the power of", *(exponent(sizes[0], one) for one in sizes)


def memories(sizes: Sequence[IngestRun]) -> Iterator[Row]:
    """Yield a row for each kind of process with its peak memory."""
    for kind, name in KINDS.items():
        found = (one.get("memory", {}).get(kind) for one in sizes)
        cells = (f"{each / 1000:.1f}" if each is not None else "" for each in found)
        yield f"anonymous memory of {name}, GB", *cells


def taken(one: IngestRun, step: str) -> str:
    """Return the table cell with the seconds of a step."""
    return f"{one['ingest']['seconds'][step]:.1f}"


def exponent(small: IngestRun, large: IngestRun) -> str:
    """Return the exponent ``e`` with which an ingest's time grows: as ``triples ** e``.

    The time does not include the start of Spark and Neo4j. For equal sizes, "" is returned.
    """
    size = large["ingest"]["triples"] / small["ingest"]["triples"]
    time = without_start(large["ingest"]) / without_start(small["ingest"])
    return "" if size == 1 else f"{math.log(time) / math.log(size):.2f}"


def appends(sizes: Sequence[IngestRun]) -> Iterator[Row]:
    """Yield a row for each kind of append, with its seconds for each number of copies."""
    for name in sizes[0]["appends"]:
        yield name, *(f"{without_start(one['appends'][name]):.1f}" for one in sizes)


def targets(results: Results) -> Iterator[tuple[str, bool]]:
    """Yield each target, and whether it was met."""
    for copies, one in results.items():
        name = heading(copies)
        if copies not in SECONDS:
            continue
        seconds, most = SECONDS[copies], GIBIBYTES[copies]
        answered = one["ingest"]["wall_seconds"] + one["first_answer"]["wall_seconds"]
        yield f"{name}: at most {seconds} s to the first answer", answered <= seconds
        yield f"{name}: at most {most} GiB", gibibytes(one) <= most
        bytes_each = one["bytes"]["all"] / one["ingest"]["triples"]
        yield f"{name}: at most {BYTES_A_TRIPLE} bytes a triple", bytes_each <= BYTES_A_TRIPLE
    for kind, append in results["1"]["appends"].items():
        yield f"the trace, append {kind}: under 20 s", without_start(append) < APPEND_SECONDS
    if "9" in results:
        small, large = (results[copies]["appends"] for copies in ("1", "9"))
        for kind, append in large.items():
            most_times = GROWTH.get(kind, USUAL_GROWTH)
            kept = without_start(append) <= most_times * without_start(small[kind])
            yield f"append {kind}: on nine copies at most {most_times} times as long", kept


def without_start(one: Ingested) -> float:
    """Return the seconds of an ingest without the start of Spark and Neo4j."""
    return one["seconds"]["total"] - one["seconds"]["start"]


def gibibytes(one: IngestRun) -> float:
    """Return the peak memory of an ingest in GiB."""
    return one["ingest"]["peak_memory_mb"] * 1e6 / 2**30


SEED = 5
APPENDED = 10_000
PARTS = {
    "all": ".",
    "names": "base-1/names",
    "triples": "base-1/triples",
    "neo4j": "neo4j",
    "neo4j_log": "neo4j/data/transactions",
}
"""The folders of the warehouse whose sizes are recorded, by the names that the results use."""
Rows = Iterator[tuple[str, str]]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure a complete ingest, and appends.")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="a folder to work in, which is kept")
    parser.add_argument("--cut-mb", type=int, help="a limit for the memory of the step cut")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        measured = run(given.folder or Path(temporary), given.copies, given.cut_mb)
    RESULTS.write({**RESULTS.read(missing={}), str(given.copies): measured})


def run(folder: Path, copies: int, cut_mb: int | None) -> IngestRun:
    """Write the trace, ingest it, ask the first question, and append to the warehouse."""
    trace, files = paper(SEED), folder / "trace"
    if not files.exists():
        write(trace, files, copies)
    if cut_mb:
        os.environ["PROVHOUSE_CUT_MB"] = str(cut_mb)
    command = Command(folder / "warehouse")
    rng = np.random.default_rng(SEED)
    load = mean_load()
    with measured() as memory:
        first = command.ingest(files)
    disk = {part: size(Path(command.warehouse) / where) for part, where in PARTS.items()}
    answer = asked(command, trace, rng)
    appended = {
        "new small components": into_small(),
        "onto and within a large component": into_large(trace, rng),
        "between any items": between_any(trace, copies, rng),
    }
    appends = {
        name: command.ingest(append_file(folder / "append.csv", rows))
        for name, rows in appended.items()
    }
    return {
        **recorded(load, packages("pyspark", "pyarrow", "numba", "provhouse")),
        "csv_bytes": size(files),
        "ingest": first,
        "memory": memory,
        "cut_mb": cut_mb,
        "bytes": disk,
        "first_answer": answer,
        "appends": appends,
    }


def asked(command: Command, trace: Trace, rng: np.random.Generator) -> FirstAnswer:
    """Ask for the lineage of an item. Exit if the number of items in the answer is wrong."""
    item = int(rng.choice(trace.dst))
    answer = command.json("lineage", texts(trace, 1, np.array([item]))[0])
    if len(answer["items"]) != len(upstream(trace, item)):
        raise SystemExit(f"the lineage of item {item} is wrong")
    return {
        "items": len(answer["items"]),
        "method": answer["method"],
        "triples_read": answer["read"]["triples"],
        "wall_seconds": answer["wall_seconds"],
    }


def upstream(trace: Trace, item: int) -> set[int]:
    """Search level by level for the items that ``item`` derives from, and return them."""
    found: set[int] = set()
    near = np.array([item])
    while len(near):
        near = np.setdiff1d(trace.src[np.isin(trace.dst, near)], [*found])
        found.update(near.tolist())
    return found


def into_small() -> Rows:
    """Return triples, each of which forms a new component of two items."""
    return ((f"fresh/{number}/a", f"fresh/{number}/b") for number in range(APPENDED))


def into_large(trace: Trace, rng: np.random.Generator) -> Rows:
    """Yield triples of a large component.

    Half of them add a new item to the component, and half connect two of its items.
    """
    among = np.flatnonzero(trace.document == np.bincount(trace.document).argmax())
    one, other = np.sort(rng.choice(among, (2, APPENDED // 2)), axis=0)
    old = texts(trace, 1, one)
    yield from zip(old, (f"new/{number}" for number in range(len(old))), strict=True)
    yield from zip(old, texts(trace, 1, other), strict=True)


def between_any(trace: Trace, copies: int, rng: np.random.Generator) -> Rows:
    """Yield triples that connect random items of the same copy of the trace."""
    copy = rng.integers(1, copies + 1, APPENDED)
    one, other = np.sort(rng.integers(0, len(trace.table), (2, APPENDED)), axis=0)
    for number in range(1, copies + 1):
        here = copy == number
        yield from zip(
            texts(trace, number, one[here]), texts(trace, number, other[here]), strict=True
        )


def texts(trace: Trace, copy: int, items: I64) -> list[str]:
    """Return the names of the items in the copy of the trace with the number ``copy``."""
    found: list[str] = names(trace, copy, items.astype(np.int32)).to_pylist()
    return found


def append_file(path: Path, rows: Rows) -> Path:
    """Write the given triples to a CSV file, and return its path."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow((SRC, DST, OP))
        writer.writerows((*row, "append") for row in rows)
    return path


if __name__ == "__main__":
    main()
