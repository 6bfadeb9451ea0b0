"""Types for the results of `time_left.py`, and functions that turn these results into Markdown."""

from typing import TypedDict

from benchmarks.shared.markup import bars, grid
from benchmarks.shared.results import Record, ResultsFile


class Step(TypedDict):
    """A step of an ingest: its seconds, and the errors of the total times shown while it ran.

    ``told`` is the number of forecasts that were shown after the step's first quarter. ``median``
    and ``most`` are the median and the largest of their errors, relative to the actual time.
    """

    step: str
    seconds: float
    told: int
    median: float
    most: float


class Results(Record):
    """The results of one ingest of several copies of the paper's trace."""

    copies: int
    seconds: float
    steps: list[Step]


RESULTS = ResultsFile[Results]("time_left.json")
MOST = 0.3
"""The target for the largest relative error of the total times shown for a step.

Only times that are shown after the first quarter of the step count.
"""


def table(results: Results) -> str:
    """Return a table of each step's forecast errors, and whether they meet the target."""
    title = f"{results['copies']} copies of the trace, ingested in {results['seconds']:,.0f} s:"
    head = ("step", "it took", "error (median)", "largest error")
    kept = all(step["most"] <= MOST for step in results["steps"])
    bar = f"after the first quarter of a step its forecast is right within {MOST:.0%}"
    return "\n\n".join([title, grid(head, map(_row, results["steps"])), bars({bar: kept})])


def _row(step: Step) -> tuple[str, ...]:
    return step["step"], f"{step['seconds']:.1f} s", f"{step['median']:.0%}", f"{step['most']:.0%}"
