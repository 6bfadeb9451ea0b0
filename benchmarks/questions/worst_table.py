"""Types for the results of `worst.py`, and functions that turn these results into Markdown."""

from collections.abc import Iterator
from typing import TypedDict

from benchmarks.shared.markup import WORDS, bars, cores, duration, grid
from benchmarks.shared.results import ResultsFile, SeededRun, Totals


class LargestQuestions(TypedDict):
    """The median figures of the questions with the largest answers, for one shape and direction.

    ``plain_seconds`` is the time of a Spark job that only reads the triples of the same partitions
    from the Delta table.
    """

    direction: str
    asked: int
    items: float
    depth: float
    sets: float
    partitions: float
    triples: float
    seconds: dict[str, float]
    plain_seconds: float


class DeepShape(TypedDict):
    """The results of one deep shape: the size of its warehouse, and its questions."""

    shape: str
    warehouse: Totals
    questions: list[LargestQuestions]


class Results(SeededRun):
    """The results of one run of `worst.py`."""

    shapes: list[DeepShape]


RESULTS = ResultsFile[Results]("worst.json")
MOST = 5.0
"""The target for the time of a question, as a multiple of the plain Spark job's time."""


def table(results: Results) -> str:
    """Return a table with a row for each shape and direction, a note on the run, and the target."""
    head = ("", "items", "levels", "sets", "triples read", "walk", "fetch", "recurse", "total",
            "plain job", "total / plain job")  # fmt: skip
    rows = [
        (f"{shape['shape']}, {WORDS[one['direction']]}", *_cells(one))
        for shape in results["shapes"]
        for one in shape["questions"]
    ]
    kept = all(_times(one) <= MOST for shape in results["shapes"] for one in shape["questions"])
    note = (
        f"Medians of the {results['shapes'][0]['questions'][0]['asked']} largest answers, on"
        f" {cores(results['machine'])}, load {results['load']} before, seed"
        f" {results['seed']}."
    )
    bar = bars({f"at most {MOST:g} times the plain job": kept})
    return f"{grid(head, rows)}\n\n{note}\n\n{bar}"


def _cells(one: LargestQuestions) -> Iterator[str]:
    yield from (f"{one[name]:,.0f}" for name in ("items", "depth", "sets", "triples"))
    yield from (duration(one["seconds"][step]) for step in ("walk", "fetch", "recurse", "total"))
    yield duration(one["plain_seconds"])
    yield f"{_times(one):.2f}"


def _times(one: LargestQuestions) -> float:
    return one["seconds"]["total"] / one["plain_seconds"]
