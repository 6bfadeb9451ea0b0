"""The types of the results that `explain.py` writes, and their table in Markdown."""

from collections.abc import Iterator
from typing import TypedDict

import numpy as np

from benchmarks.shared.markup import cores, grid
from benchmarks.shared.results import ResultsFile, SeededRun, Totals
from provhouse.model.answer import Read
from provhouse.query import cost


class QuestionBySets(TypedDict):
    """One question by CSProv: how much it read, and its total seconds."""

    sets: int
    partitions: int
    triples: int
    seconds: float


class QuestionByLevels(TypedDict):
    """One question by RQ or CCProv, with its total seconds.

    ``guessed`` is the number of levels that ``explain`` expected, and ``levels`` the actual number.
    """

    method: str
    guessed: int
    levels: int
    seconds: float


class WarehouseRun(SeededRun):
    """The results of one run of `explain.py` on one warehouse.

    ``copy_seconds`` is the time that it took to make RQ's copy of all triples.
    """

    warehouse: Totals
    copy_seconds: float
    by_sets: list[QuestionBySets]
    by_levels: list[QuestionByLevels]


Results = dict[str, WarehouseRun]
"""The last run on each warehouse, by the warehouse's name."""


RESULTS = ResultsFile[Results]("explain.json")
TIMES = 2.0
"""An estimate is near if it and the measured time differ by at most this factor."""
NAMES = {"csprov": "CSProv", "rq": "RQ", "ccprov": "CCProv"}


def table(results: Results) -> str:
    """Return a table with a row for each warehouse and method, and notes on the runs."""
    head = ("warehouse", "method", "asked", "median time", "within 2 times", "estimate / time: "
            "p5", "p50", "p95")  # fmt: skip
    rows = (
        (name, NAMES[method], *_cells(pairs))
        for name, one in results.items()
        for method, pairs in estimated(one).items()
    )
    notes = (_note(name, one) for name, one in results.items())
    return "\n".join([grid(head, rows, left=(0, 1)), "", *notes])


def estimated(one: WarehouseRun) -> dict[str, list[tuple[float, float]]]:
    """Return the estimated and the measured seconds of each question, by method."""
    pairs: dict[str, list[tuple[float, float]]] = {"csprov": [], "rq": [], "ccprov": []}
    for asked in one["by_sets"]:
        read = Read(asked["sets"], asked["partitions"], asked["triples"])
        pairs["csprov"].append((cost.csprov_seconds(read), asked["seconds"]))
    for row in one["by_levels"]:
        estimate = (
            cost.ccprov_seconds(one["warehouse"]["triples"], row["guessed"])
            if row["method"] == "ccprov"
            else cost.rq_seconds(row["guessed"])
        )
        pairs[row["method"]].append((estimate, row["seconds"]))
    return pairs


def near(pairs: list[tuple[float, float]]) -> float:
    """Return the share of estimates that are within ``TIMES`` of the measured time."""
    ratios = [estimate / took for estimate, took in pairs]
    return sum(1 / TIMES <= ratio <= TIMES for ratio in ratios) / len(ratios)


def _cells(pairs: list[tuple[float, float]]) -> Iterator[str]:
    estimate, took = np.array(pairs).T
    yield f"{len(pairs)}"
    yield f"{np.median(took) * 1000:,.0f} ms"
    yield f"{near(pairs):.0%}"
    yield from (f"{value:.2f}" for value in np.quantile(estimate / took, [0.05, 0.5, 0.95]))


def _note(name: str, one: WarehouseRun) -> str:
    totals = one["warehouse"]
    return (
        f"- {name}: {totals['triples']:,} triples in {totals['sets']:,} sets, seed {one['seed']},"
        f" on {cores(one['machine'])}, load before {one['load']}"
    )
