"""The table of the largest questions of deep traces, as Markdown."""

from collections.abc import Iterator
from typing import TypedDict

from form import ResultsFile, SeededRun, Totals
from markup import WORDS, bars, cores, duration, grid


class LargestQuestions(TypedDict):
    """The questions with the largest answers of one shape, in one direction; medians.

    ``plain_seconds`` are those of a Spark job that reads the triples of the same partitions from
    the Delta table and does nothing else.
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
    """One shape and what its warehouse holds."""

    shape: str
    warehouse: Totals
    questions: list[LargestQuestions]


class Results(SeededRun):
    """One run. ``load`` is the machine's mean load over the minute before it began."""

    shapes: list[DeepShape]


RESULTS = ResultsFile[Results]("worst.json")
MOST = 5.0
"""So many times a plain job a question may take."""


def table(results: Results) -> str:
    """A row for each shape and direction, and what it stands on."""
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
