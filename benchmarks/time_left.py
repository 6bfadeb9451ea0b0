"""How right the time left is that an ingest of the paper's trace shows.

For each step that tells how far it is, and takes at least ``LEAST`` seconds, the whole time that
is shown (what is behind it and what is left) is compared with what the step took, whenever that
was told after its first quarter. What was measured goes to `results/time_left.json`.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

from machine import record
from paper_trace import paper
from time_left_table import RESULTS, Results, Step
from trace_files import write

from provhouse.cli.failures import guarded
from provhouse.cli.remaining import Remaining
from provhouse.ingest.ingest import ingest
from provhouse.model.settings import Settings

SEED = 1
LEAST = 2.0


@dataclass
class _ShownStep:
    """A step, and what was shown of it: after how many seconds, and how many it would take."""

    name: str
    began: float
    ended: float = 0.0
    remaining: Remaining = field(default_factory=Remaining)
    wholes: list[tuple[float, float]] = field(default_factory=list)


class Listener:
    """Keeps what a person would be shown."""

    def __init__(self) -> None:
        self.steps: list[_ShownStep] = []

    def begin(self, step: str) -> None:
        """The step before has ended."""
        self.end()
        self.steps.append(_ShownStep(step, perf_counter()))

    def end(self) -> None:
        """The last step has ended."""
        if self.steps and not self.steps[-1].ended:
            self.steps[-1].ended = perf_counter()

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """A part is done."""
        step, now = self.steps[-1], perf_counter()
        if 0 < done <= total:
            step.remaining.add(now - step.began, done / total)
        if whole := step.remaining.whole():
            step.wholes.append((now - step.began, max(whole, now - step.began)))

    def count(self, name: str, value: int) -> None:
        """Counts don't matter here."""

    def say(self, sentence: str) -> None:
        """Nor do sentences."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure how right the time left is.")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="work there and leave it, else in a temporary")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        folder = given.folder or Path(temporary)
        sys.exit(guarded(lambda: run(folder, given.copies), lambda: folder / "warehouse" / "logs"))


def run(folder: Path, copies: int) -> None:
    """Take the trace in, and write what was told."""
    paths = write(paper(SEED), folder / "trace", copies)
    listener = Listener()
    settings = Settings.load({"warehouse": folder / "warehouse"})
    began = perf_counter()
    ingest(paths, settings, progress=listener)
    listener.end()
    results: Results = {
        **record(),
        "copies": copies,
        "seconds": round(perf_counter() - began, 1),
        "steps": list(judged(listener.steps)),
    }
    RESULTS.write(results)
    print(json.dumps(results["steps"], indent=1))


def judged(steps: Sequence[_ShownStep]) -> Iterator[Step]:
    """By how much each step was wrong."""
    for step in steps:
        took = step.ended - step.began
        wrong = [abs(whole - took) / took for at, whole in step.wholes if at >= took / 4]
        if took >= LEAST and wrong:
            yield {
                "step": step.name,
                "seconds": round(took, 2),
                "told": len(wrong),
                "median": round(median(wrong), 3),
                "most": round(max(wrong), 3),
            }


if __name__ == "__main__":
    main()
