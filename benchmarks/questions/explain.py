"""Compare the time of questions with the estimates of `provhouse explain`: `make bench-explain`.

Half of the items are drawn among all items. The other half are drawn in components that are cut
into sets, where questions differ most in how much they read. CSProv answers all questions, and RQ
and CCProv answer a few, in one warm session that caches nothing between questions.
`results/explain.json` records for each warehouse how much questions read and how long they took.
The table compares the times with the estimates of `query/reading/cost.py`. With `--fit`, nothing
is measured. The program then prints the constants that make these estimates fit all results best.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, cast

import numpy as np
import pyarrow.compute as pc
from scipy.optimize import nnls

from benchmarks.questions.methods import timed
from benchmarks.shared.markup import cores, grid
from benchmarks.shared.results_file import ResultsFile, SeededRun, Totals, mean_load, versions
from benchmarks.shared.results_file import run as recorded
from provhouse.cli.failures import guarded
from provhouse.cli.progress_display import progress_display
from provhouse.cypher import server
from provhouse.model.answer import Read
from provhouse.model.arrays import I64, ItemNumbers
from provhouse.model.progress import Progress
from provhouse.model.question import Direction, Method, Question
from provhouse.model.settings import Settings
from provhouse.query.lineage.ask import Asker
from provhouse.query.reading import cost
from provhouse.query.reading.cost import SET, TRIPLE


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
        f" on {cores(one['machine'])}, system load before the run: {one['load']}"
    )


DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
METHODS: tuple[Method, ...] = ("rq", "ccprov")
SEED = 6
ITEMS = 100
"""The number of items for which CSProv is asked, in both directions."""
FEW = 10
"""The number of items for which RQ and CCProv are asked too, upstream only."""
WARM = 10
"""The number of questions that are asked first, and whose times do not count."""


def run(settings: Settings, progress: Progress) -> WarehouseRun:
    """Draw items, measure questions, and return the results."""
    load = mean_load()  # before the benchmark adds to it
    rng = np.random.default_rng(SEED)
    with Asker(settings, progress) as asker:
        none = ItemNumbers(np.empty(0, np.int64))
        asker.spark.partitions.fetch(asker.snapshot.partitions, none, none)
        _ = asker.graph  # so that no question includes Neo4j's start
        address = server.running(settings.graph_home)
        assert address  # the asker keeps Neo4j running
        items = asker.snapshot.names.names(drawn(asker, rng)).to_pylist()
        for item in items[-WARM:]:
            asker.ask(item, "upstream")
        progress.begin("Ask questions by CSProv")
        by_sets = list(asked(asker, items[:ITEMS]))
        progress.begin("Ask questions by RQ and CCProv")
        filled = timed(lambda: asker.spark.hashed("upstream"))
        for method in METHODS:
            asker.ask(items[-1], "upstream", method)
        return {
            **recorded(load, versions(address.http)),
            "seed": SEED,
            "warehouse": totals(asker),
            "copy_seconds": filled,
            "by_sets": by_sets,
            "by_levels": list(levelled(asker, items[:: ITEMS // FEW])),
        }


def totals(asker: Asker) -> Totals:
    """Return the totals of the warehouse."""
    totals = asker.snapshot.commit.totals
    return cast(Totals, {name: getattr(totals, name) for name in Totals.__annotations__})


def drawn(asker: Asker, rng: np.random.Generator) -> ItemNumbers:
    """Draw ``ITEMS + WARM`` items, alternately from all components and from cut components."""
    snapshot = asker.snapshot
    _, component, sets = np.unique(snapshot.set_components, return_inverse=True, return_counts=True)
    cut = np.flatnonzero(sets[component] > 1)
    every = np.arange(len(snapshot.set_ids))
    chosen = [_within(asker, among, rng) for among in (every, cut if len(cut) else every)]
    return ItemNumbers(np.stack(chosen, axis=1).ravel())


def _within(asker: Asker, sets: I64, rng: np.random.Generator) -> I64:
    """Draw half of the items from these sets. All items of the sets are equally likely."""
    items = asker.snapshot.set_items[sets]
    at = rng.choice(int(items.sum()), (ITEMS + WARM) // 2, replace=False)
    before = np.cumsum(items) - items
    own = np.searchsorted(before, at, "right") - 1
    return asker.snapshot.set_firsts[sets][own] + at - before[own]


def asked(asker: Asker, items: list[str]) -> Iterator[QuestionBySets]:
    """Ask CSProv for each item. Exit if a question reads more or less than ``explain`` expects."""
    for item in items:
        for direction in DIRECTIONS:
            answer = asker.ask(item, direction, "csprov")
            explained = asker.explain(Question(item, direction)).methods[0]
            if explained.read != answer.read:
                sys.exit(f"{item} read {answer.read}, but explain expects {explained.read}")
            yield {
                "sets": answer.read.sets,
                "partitions": answer.read.partitions,
                "triples": answer.read.triples,
                "seconds": round(answer.seconds["total"], 5),
            }


def levelled(asker: Asker, items: list[str]) -> Iterator[QuestionByLevels]:
    """Ask RQ and CCProv for the lineage of each item.

    Yields the expected and the actual number of levels, and the time.
    """
    for item in items:
        for explained in asker.explain(Question(item, "upstream")).methods[1:]:
            answer = asker.ask(item, "upstream", explained.method)
            yield {
                "method": explained.method,
                "guessed": explained.levels or 0,
                "levels": pc.max(answer.items["depth"]).as_py() or 0,
                "seconds": round(answer.seconds["total"], 5),
            }


def fit(results: Results) -> dict[str, float]:
    """Return the constants for `query/reading/cost.py` that minimise the relative errors.

    The constants for a set and for a triple are not fitted, because questions about random
    items read too few sets and triples.
    """
    rows = [row for one in results.values() for row in one["by_sets"]]
    known = [SET * row["sets"] + TRIPLE * row["triples"] for row in rows]
    ask, partition = relative(
        [[1, row["partitions"]] for row in rows], [row["seconds"] for row in rows], known
    )
    levels = [
        ([row["levels"] + 1, one["warehouse"]["triples"] * (row["method"] == "ccprov")], row)
        for one in results.values()
        for row in one["by_levels"]
    ]
    level, filtered = relative([f for f, _ in levels], [row["seconds"] for _, row in levels])
    copies = [one["copy_seconds"] / one["warehouse"]["triples"] for one in results.values()]
    return {
        "ASK": ask, "PARTITION": partition, "LEVEL": level, "FILTERED": filtered,
        "COPIED": float(np.mean(copies)),
    }  # fmt: skip


def relative(
    features: list[list[int]], seconds: list[float], known: Sequence[float] = ()
) -> list[float]:
    """Return the weights with which the weighted sum of the features best predicts the times.

    No weight is negative. The weights minimise the squares of the errors relative to the times.
    ``known`` is the part of each time that is not to be fitted.
    """
    weights = np.array(seconds)
    target = 1 - np.array(known or np.zeros(len(weights))) / weights
    found, _ = nnls(np.array(features, float) / weights[:, None], target)
    return [float(value) for value in found]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Compare times with the estimates of explain.")
    parser.add_argument("--warehouse", type=Path, default=Path("demo-warehouse"))
    parser.add_argument("--name", default="the demo's flights")
    parser.add_argument(
        "--fit", action="store_true", help="print the best constants; measure nothing"
    )
    given = parser.parse_args()
    if given.fit:
        print("\n".join(f"{name} = {value:.3g}" for name, value in fit(RESULTS.read()).items()))
        return
    settings = replace(Settings.load({"warehouse": given.warehouse}), hot_mb=0)
    sys.exit(guarded(lambda: write(settings, given.name), lambda: settings.warehouse / "logs"))


def write(settings: Settings, name: str) -> None:
    """Measure, and write the results."""
    with progress_display() as progress:
        measured = run(settings, progress)
    RESULTS.write({**RESULTS.read(missing={}), name: measured})


if __name__ == "__main__":
    main()
