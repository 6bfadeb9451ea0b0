"""The table that tells what `time_left.py` measured, as Markdown."""

from typing import TypedDict

from form import Record, ResultsFile
from markup import bars, grid


class Step(TypedDict):
    """A step of an ingest: what it took, and how wrong the times were that it was said to take.

    ``median`` and ``most`` are parts of what it took, of all ``told`` times after its first
    quarter.
    """

    step: str
    seconds: float
    told: int
    median: float
    most: float


class Results(Record):
    """One ingest of so many copies of the paper's trace."""

    copies: int
    seconds: float
    steps: list[Step]


RESULTS = ResultsFile[Results]("time_left.json")
WRONG = 0.3
"""By which part of a step its time may be wrong after its first quarter."""


def table(results: Results) -> str:
    """Each step that takes long enough, and by how much its time was wrong."""
    title = f"{results['copies']} copies of the trace, ingested in {results['seconds']:,.0f} s:"
    head = ("step", "it took", "error (median)", "largest error")
    kept = all(step["most"] <= WRONG for step in results["steps"])
    bar = f"after the first quarter of a step its forecast is right within {WRONG:.0%}"
    return "\n\n".join([title, grid(head, map(_row, results["steps"])), bars({bar: kept})])


def _row(step: Step) -> tuple[str, ...]:
    return step["step"], f"{step['seconds']:.1f} s", f"{step['median']:.0%}", f"{step['most']:.0%}"
