"""Measure a complete ingest of the paper's trace, from CSV files to the first answer.

`make bench-ingest` runs this benchmark. It uses the command as a user does. After the ingest, it
asks the first question and compares the answer with the trace. Then it appends three kinds of
triples, 10,000 of each. Results go to `results/ingest.json`, by the number of copies of the trace.
With `--shape`, a hard shape takes the place of the paper's trace, and the results are printed.
"""

import argparse
import csv
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.ingest import memory_by_process
from benchmarks.ingest.ingest_form import FirstAnswer, IngestRun
from benchmarks.ingest.ingest_table import RESULTS
from benchmarks.shared.command import Command, size
from benchmarks.shared.machine import mean_load, packages
from benchmarks.shared.machine import run as recorded
from benchmarks.traces.paper_trace import paper
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import Trace, names, write
from provhouse.model.arrays import I64
from provhouse.model.columns import DST, OP, SRC

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
    parser.add_argument("--shape", choices=tuple(SHAPES), help="a hard shape instead of the trace")
    parser.add_argument("--items", type=int, default=500_000, help="items of the shape, about")
    given = parser.parse_args()
    trace = SHAPES[given.shape](given.items, SEED) if given.shape else paper(SEED)
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        measured = run(trace, given.folder or Path(temporary), given.copies, given.cut_mb)
    if given.shape:
        print(json.dumps(measured))
        return
    RESULTS.write({**RESULTS.read(missing={}), str(given.copies): measured})


def run(trace: Trace, folder: Path, copies: int, cut_mb: int | None = None) -> IngestRun:
    """Write the trace, ingest it, ask the first question, and append to the warehouse."""
    files = folder / "trace"
    if not files.exists():
        write(trace, files, copies)
    if cut_mb:
        os.environ["PROVHOUSE_CUT_MB"] = str(cut_mb)
    command = Command(folder / "warehouse")
    rng = np.random.default_rng(SEED)
    load = mean_load()
    with memory_by_process.measured() as memory:
        first = command.ingest(files)
    disk = {part: size(command.warehouse / where) for part, where in PARTS.items()}
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
    """Ask for the lineage of one item. Exit if the answer has a wrong number of items."""
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
    """Return triples that each make a new component of two items."""
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
    """Return the names of items in one copy of the trace, whose number is ``copy``."""
    found: list[str] = names(trace, copy, items.astype(np.int32)).to_pylist()
    return found


def append_file(path: Path, rows: Rows) -> Path:
    """Write these triples to a CSV file, and return its path."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow((SRC, DST, OP))
        writer.writerows((*row, "append") for row in rows)
    return path


if __name__ == "__main__":
    main()
