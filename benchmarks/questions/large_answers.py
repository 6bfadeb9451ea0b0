"""Measure an answer of millions of items as JSON lines, sent as found and sorted by name.

Prints, for both orders, the seconds from the end of the reading until the first byte and until the
end, and the memory of this process above its memory before the question, for each triple read.
Each order is measured in a process of its own. `docs/decisions/0007-queries.md` has the results.
"""

import argparse
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter

import numpy as np

from benchmarks.shared.command import Command
from benchmarks.traces.shapes import Shape
from benchmarks.traces.trace_files import Trace, named, write
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.question import Question
from provhouse.model.settings import Settings
from provhouse.output.json import JsonLinesWriter
from provhouse.output.results.large_answer import answer_result
from provhouse.query.ask import Asker

LAYERS, DEGREE, NEAR, FAR = 5, 2, 40, 0.03
"""The layers below the root, and the parents of an item, of which a few are far away."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure an answer of millions of items.")
    parser.add_argument("--width", type=int, default=1_000_000, help="items of each layer")
    parser.add_argument("--warehouse", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--item", help=argparse.SUPPRESS)
    parser.add_argument("--order", choices=("found", "depth"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.item:
        print(json.dumps(measured(given.warehouse, given.item, given.order)))
        return
    with TemporaryDirectory(prefix="provhouse-bench-") as folder:
        trace, warehouse = layered(given.width).trace("layers"), Path(folder) / "warehouse"
        write(trace, Path(folder) / "trace", form="parquet")
        Command(warehouse).ingest(Path(folder) / "trace")
        for order in ("depth", "found"):
            child = [
                sys.executable,
                "-m",
                "benchmarks.questions.large_answers",
                "--warehouse",
                str(warehouse),
                "--order",
                order,
            ]
            subprocess.run([*child, "--item", root(trace)], check=True)


def layered(width: int) -> Shape:
    """Return a root from which a layer derives, and further layers, each derived from the last."""
    rng = np.random.default_rng(3)
    src, dst = [np.zeros(width, np.int64)], [1 + np.arange(width)]
    for layer in range(1, LAYERS):
        own = np.repeat(np.arange(width), DEGREE)
        near = np.clip(own + rng.integers(-NEAR, NEAR + 1, len(own)), 0, width - 1)
        far = rng.integers(0, width, len(own))
        chosen = np.where(rng.random(len(own)) < FAR, far, near)
        src.append(1 + (layer - 1) * width + chosen)
        dst.append(1 + layer * width + own)
    table = np.append(0, np.repeat(np.arange(1, LAYERS + 1), width))
    names = ("root", *(f"layer{number}" for number in range(LAYERS)))
    return Shape(np.concatenate(src), np.concatenate(dst), table, names)


def root(trace: Trace) -> str:
    """Return the name of the item that has the number 0."""
    first = np.zeros(1, np.int32)
    return str(named(trace, 1, first, first)["src"][0].as_py())


def measured(warehouse: Path, item: str, order: str) -> dict[str, object]:
    """Ask for the impact of an item in this process, and write it to a handle that drops it."""
    question, watch, handle = Question(item, "downstream", method="csprov"), Stopwatch(), _Null()
    with Asker(Settings.load({"warehouse": warehouse}), Silent()) as asker:
        asker.warm()
        asker.spark.partitions.warm(asker.snapshot.partitions)
        with peak_memory() as peak:
            began = perf_counter()
            ask = asker.answer_as_found if order == "found" else asker.answer
            answer = ask(question, watch)
            JsonLinesWriter(handle).write(answer_result(answer))
        read = began + sum(watch.seconds[step] for step in ("locate", "walk", "fetch"))
        return {
            "order": order,
            "triples": answer.read.triples,
            "first_byte_seconds": round(handle.first - read, 2),
            "seconds": round(perf_counter() - began, 1),
            "bytes_a_triple": round(peak[0] / answer.read.triples, 1),
        }


class _Null(io.StringIO):
    """A handle that drops what is written, and records when that began."""

    first = 0.0

    def write(self, text: str) -> int:
        self.first = self.first or perf_counter()
        return len(text)


@contextmanager
def peak_memory() -> Iterator[list[int]]:
    """Yield a list that gets the largest memory of the block, in bytes above that before it."""
    before, over = _anonymous(), Event()
    peak = [0]

    def look() -> None:
        while not over.wait(0.01):
            peak[0] = max(peak[0], _anonymous() - before)

    thread = Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def _anonymous() -> int:
    """Return the memory of this process without mapped files, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon"))


if __name__ == "__main__":
    main()
