"""Measure ingest, size and questions on two hard traces: `make bench-hard`.

``pipelines`` has runs of a pipeline that read one another's items, so that its workflow graph has
cycles and three components have over 400,000 items. ``repository`` is the history of a repository
as content-addressed commits, trees and blobs, hundreds of levels deep. Questions are about random
items that have a lineage, and are sent one after the other to a warm server. Results go to
`results/hard.json`.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import cast

import numpy as np

import provhouse
from benchmarks.ingest.hard_form import Asked, HardRun
from benchmarks.ingest.hard_table import RESULTS
from benchmarks.shared.command import Command, size
from benchmarks.shared.machine import mean_load, packages
from benchmarks.shared.machine import run as recorded
from benchmarks.shared.results import Totals
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import Trace, names, write
from provhouse.model.arrays import I32

SEED = 5
QUESTIONS = 300
ITEMS = {"pipelines": 4_800_000, "repository": 530_000}
"""About how many items each trace has."""
WAYS = ("lineage", "impact")
PARTS = {"all": ".", "names": "base-1/names", "triples": "base-1/triples", "neo4j": "neo4j"}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure ingest and questions on hard traces.")
    parser.add_argument("--shape", choices=tuple(ITEMS), action="append", help="default: all")
    given = parser.parse_args()
    for shape in given.shape or ITEMS:
        with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
            measured = run(SHAPES[shape](ITEMS[shape], SEED), Path(folder))
        RESULTS.write({**RESULTS.read(missing={}), shape: measured})


def run(trace: Trace, folder: Path) -> HardRun:
    """Write the trace, ingest it, and ask a warm server."""
    write(trace, folder / "trace", 1, "parquet")
    items = drawn(trace)
    del trace
    command = Command(folder / "warehouse")
    load = mean_load()
    found = command.json("ingest", folder / "trace", "--names", "global")
    sizes = {part: size(command.warehouse / where) for part, where in PARTS.items()}
    command.run("up")
    try:
        asked = {way: ask(command.warehouse, way, items, found["triples"]) for way in WAYS}
    finally:
        command.run("down")
    totals = cast(Totals, {name: found[name] for name in Totals.__annotations__})
    return {
        **recorded(load, packages("pyspark", "pyarrow", "numba", "provhouse")),
        **totals,
        "seconds": found["seconds"],
        "wall_seconds": found["wall_seconds"],
        "bytes": sizes,
        "questions": QUESTIONS,
        "asked": asked,
    }


def drawn(trace: Trace) -> Sequence[str]:
    """Return the names of random items that have a lineage."""
    rng = np.random.default_rng(SEED)
    items: I32 = rng.choice(np.unique(trace.dst), QUESTIONS, replace=False).astype(np.int32)
    return [str(name) for name in names(trace, 1, items).to_pylist()]


def ask(warehouse: Path, way: str, items: Sequence[str], triples: int) -> Asked:
    """Ask for all items one after the other; return the times and what was read."""
    seconds, read, answered = [], [], []
    with provhouse.open(warehouse) as opened:
        question = getattr(opened, way)
        question(items[0], depth=1)  # the first question of a process imports and connects
        for item in items:
            begun = perf_counter()
            answer = question(item)
            seconds.append(perf_counter() - begun)
            read.append(answer.read.triples)
            answered.append(len(answer.triples))
    p50, p95 = np.percentile(seconds, [50, 95])
    return {
        "p50": round(float(p50), 4),
        "p95": round(float(p95), 4),
        "read": round(float(np.mean(read)) / triples, 5),
        "answered": round(float(np.mean(answered)) / triples, 5),
    }


if __name__ == "__main__":
    main()
