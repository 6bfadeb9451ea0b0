"""Search slowly for the best sets of small components, to compare them with an ingest's sets.

Simulated annealing (`annealing.py`) tries assignments of items to sets, which need not be
connected. It minimises the number of triples that questions read, upstream and downstream. Here the
questions are about all items with a lineage, whereas an ingest only samples questions. There is at
most one set or dependency per five items, and sets are smaller than theta. The search begins at
several starting points. One of them is the sets that an ingest finds.

The components are the largest ones of small hard shapes. Results go to `results/optimised.json`.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import numpy as np

from benchmarks.sets.annealing import annealed
from benchmarks.sets.cuts import Large, found, large, packed, score
from benchmarks.sets.sets_form import SLOWLY, Cut, mean
from benchmarks.shared.results import ResultsFile
from benchmarks.traces.shapes import SHAPES
from provhouse.model.arrays import I32
from provhouse.sets.depths import depths
from provhouse.sets.distinct import dense_values
from provhouse.sets.forest import Forest
from provhouse.sets.search import ENOUGH

ITEMS, THETA = 2_000, 120
LIMIT = THETA - 1
"""The largest number of items of a packed set, in an ingest with ``THETA``."""
SEED = 5
CAN_HELP = ("merkle", "runs", "ladder", "zipf", "cyclic")


class Best(TypedDict):
    """The best cut of one shape, and how it was found.

    ``starts`` has the result from each starting point: the mean number of triples that a question
    reads in both directions together. ``steps`` is the total number of annealing steps.
    """

    shape: str
    items: int
    triples: int
    best: Cut
    starts: dict[str, float]
    steps: int


class Results(TypedDict):
    """The results of one complete search, with its parameters."""

    seed: int
    items: int
    theta: int
    limit: int
    minutes: float
    shapes: list[Best]


RESULTS = ResultsFile[Results]("optimised.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Search slowly for the best sets.")
    parser.add_argument("--minutes", type=float, default=12, help="time for each shape")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path)
    parser.add_argument("shapes", nargs="*", default=CAN_HELP, metavar="SHAPE")
    given = parser.parse_args()
    results: Results = {
        "seed": given.seed,
        "items": ITEMS,
        "theta": THETA,
        "limit": LIMIT,
        "minutes": given.minutes,
        "shapes": [],
    }
    for name in given.shapes:
        results["shapes"].append(search(name, given.seed, given.minutes))
        print(json.dumps(results["shapes"][-1]), flush=True)
        RESULTS.write(results, given.out)


def instance(shape: str, seed: int) -> Large:
    """Generate a small trace of a shape, and return its largest component."""
    trace = SHAPES[shape](ITEMS, seed)
    table = trace.table if trace.tabled else np.zeros_like(trace.table)
    every, _ = large(trace.src, trace.dst, table, 1)
    return large(every.src, every.dst, every.table, int(np.bincount(every.component).max()))[0]


def search(shape: str, seed: int, minutes: float) -> Best:
    """Anneal from each starting point for an equal share of the time, and return the best cut."""
    graph = instance(shape, seed)
    asked = graph.derived()
    begun = dict(starts(graph))
    cuts: dict[str, Cut] = {}
    steps = 0
    for number, (name, label) in enumerate(begun.items()):
        label, taken = annealed(
            graph, label, graph.items // ENOUGH, THETA, 60 * minutes / len(begun), seed + number
        )
        steps += taken
        cut = score(graph, dense_values(label), asked, SLOWLY)
        if ENOUGH * (cut["sets"] + cut["dependencies"]) <= graph.items:
            cuts[name] = cut
    ends = {name: round(mean(cut), 1) for name, cut in cuts.items()}
    best = cuts[min(ends, key=ends.__getitem__)]
    return {
        "shape": shape,
        "items": graph.items,
        "triples": len(graph.src),
        "best": best,
        "starts": ends,
        "steps": steps,
    }


def starts(graph: Large) -> Iterator[tuple[str, I32]]:
    """Yield the name and the assignment of each starting point.

    An assignment has at most one set per ``ENOUGH`` items.
    """
    yield "found", packed(graph, found(graph, THETA, LIMIT)[0], LIMIT)
    forest, largest = Forest.of(graph.items), 1
    while len(np.unique(forest.roots())) > graph.items // (2 * ENOUGH):
        largest += 1
        forest.join_some(graph.src, graph.dst, largest)
    yield "few items", dense_values(forest.roots())
    depth = depths(graph.items, graph.src, graph.dst)
    slices = np.empty(graph.items, np.int32)
    slices[np.argsort(depth, kind="stable")] = np.arange(graph.items) // (THETA - 1)
    yield "slices by depth", slices


if __name__ == "__main__":
    main()
