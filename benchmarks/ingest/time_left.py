"""Measure the error of the remaining time that an ingest shows, on the paper's trace.

Only steps that report their progress and take at least ``LEAST`` seconds are measured. After the
first quarter of a step, each total time shown (elapsed plus remaining) is compared with the time
that the step actually took. Results go to `results/time_left.json`.
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

from benchmarks.ingest.time_left_table import RESULTS, Results, Step
from benchmarks.shared.machine import record
from benchmarks.traces.paper_trace import paper
from benchmarks.traces.trace_files import write
from provhouse.cli.failures import guarded
from provhouse.cli.progress_display import Remaining
from provhouse.ingest.ingest import ingest
from provhouse.model.settings import Settings

SEED = 1
LEAST = 2.0


@dataclass
class _ShownStep:
    """A step of an ingest. ``totals`` has pairs of elapsed seconds and the total shown then."""

    name: str
    began: float
    ended: float = 0.0
    remaining: Remaining = field(default_factory=Remaining)
    totals: list[tuple[float, float]] = field(default_factory=list)


class ProgressRecorder:
    """A progress display that shows nothing, but records the total times that it would show."""

    def __init__(self) -> None:
        self.steps: list[_ShownStep] = []

    def begin(self, step: str) -> None:
        """End the current step, and begin another."""
        self.end()
        self.steps.append(_ShownStep(step, perf_counter()))

    def end(self) -> None:
        """End the current step, if it has not ended yet."""
        if self.steps and not self.steps[-1].ended:
            self.steps[-1].ended = perf_counter()

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Record the total time that would be shown now for the current step."""
        step, now = self.steps[-1], perf_counter()
        if 0 < done <= total:
            step.remaining.add(now - step.began, done / total)
        if shown := step.remaining.total_seconds():
            step.totals.append((now - step.began, max(shown, now - step.began)))

    def count(self, name: str, value: int) -> None:
        """Ignore a count, which does not affect the remaining time."""

    def say(self, sentence: str) -> None:
        """Ignore a sentence, which does not affect the remaining time."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the error of the remaining time.")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="a folder to work in, which is kept")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        folder = given.folder or Path(temporary)
        sys.exit(guarded(lambda: run(folder, given.copies), lambda: folder / "warehouse" / "logs"))


def run(folder: Path, copies: int) -> None:
    """Ingest copies of the paper's trace, and write the errors of the times shown."""
    paths = write(paper(SEED), folder / "trace", copies)
    recorder = ProgressRecorder()
    settings = Settings.load({"warehouse": folder / "warehouse"})
    began = perf_counter()
    ingest(paths, settings, progress=recorder)
    recorder.end()
    results: Results = {
        **record(),
        "copies": copies,
        "seconds": round(perf_counter() - began, 1),
        "steps": list(judged(recorder.steps)),
    }
    RESULTS.write(results)
    print(json.dumps(results["steps"], indent=1))


def judged(steps: Sequence[_ShownStep]) -> Iterator[Step]:
    """Yield the errors of each step that took at least ``LEAST`` seconds."""
    for step in steps:
        took = step.ended - step.began
        errors = [abs(total - took) / took for at, total in step.totals if at >= took / 4]
        if took >= LEAST and errors:
            yield {
                "step": step.name,
                "seconds": round(took, 2),
                "told": len(errors),
                "median": round(median(errors), 3),
                "most": round(max(errors), 3),
            }


if __name__ == "__main__":
    main()
