"""How long questions take beside what `provhouse explain` estimates: `make bench-explain`.

It draws items at random, half of them among all items, half among those of components that are cut,
where what is read differs most. Each is asked by CSProv, a few by RQ and CCProv too, in one session
that is warm, but keeps nothing of one question for the next. What they read and took goes to
`results/explain.json` by the name of the warehouse; `explain_table.py` compares it with what
`query/cost.py` says. `--fit` measures nothing and prints the constants that fit all results best.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow.compute as pc
from explain_form import Asked, Levels, Measured, Results
from explain_table import RESULTS, read
from form import Totals
from machine import machine, versions
from methods import timed
from scipy.optimize import nnls

from provhouse.cli.failures import guarded
from provhouse.cli.progress_display import progress_display
from provhouse.cypher import server
from provhouse.model.arrays import I64, ItemNumbers
from provhouse.model.progress import Progress
from provhouse.model.question import Direction, Method, Question
from provhouse.model.settings import Settings
from provhouse.query.ask import Asker
from provhouse.query.cost import SET, TRIPLE

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
METHODS: tuple[Method, ...] = ("rq", "ccprov")
ITEMS = 100
"""So many are asked by CSProv, in both directions."""
FEW = 10
"""Of these so many by the others, upstream."""
WARM = 10
"""So many questions more before the first one that counts."""


def run(settings: Settings, seed: int, progress: Progress) -> Measured:
    """Draw, measure, and say what came out."""
    load = os.getloadavg()[0]  # before we make some ourselves
    rng = np.random.default_rng(seed)
    with Asker(settings, progress) as asker:
        none = ItemNumbers(np.empty(0, np.int64))
        asker.spark.partitions.fetch(asker.snapshot.partitions, none, none)
        _ = asker.graph  # Neo4j's start belongs to no question either
        address = server.running(settings.graph_home)
        assert address  # the asker keeps it up
        items = asker.snapshot.names.names(drawn(asker, rng)).to_pylist()
        for item in items[-WARM:]:
            asker.ask(item, "upstream")
        progress.begin("Ask by CSProv")
        by_sets = list(asked(asker, items[:ITEMS]))
        progress.begin("Ask by RQ and CCProv")
        filled = timed(lambda: asker.spark.hashed("upstream"))
        for method in METHODS:
            asker.ask(items[-1], "upstream", method)
        return {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "seed": seed,
            "load": round(load, 2),
            "machine": machine(),
            "versions": versions(address.http),
            "warehouse": totals(asker),
            "copy_seconds": filled,
            "by_sets": by_sets,
            "by_levels": list(levelled(asker, items[:: ITEMS // FEW])),
        }


def totals(asker: Asker) -> Totals:
    """What the warehouse holds."""
    held = asker.snapshot.commit.totals
    return cast(Totals, {name: getattr(held, name) for name in Totals.__annotations__})


def drawn(asker: Asker, rng: np.random.Generator) -> ItemNumbers:
    """Items from all and from cut components, in turn; some more than are asked."""
    snapshot = asker.snapshot
    _, component, sets = np.unique(snapshot.set_components, return_inverse=True, return_counts=True)
    cut = np.flatnonzero(sets[component] > 1)
    every = np.arange(len(snapshot.set_ids))
    chosen = [_within(asker, among, rng) for among in (every, cut if len(cut) else every)]
    return ItemNumbers(np.stack(chosen, axis=1).ravel())


def _within(asker: Asker, sets: I64, rng: np.random.Generator) -> I64:
    """Items of some sets, each as likely as any other."""
    items = asker.snapshot.set_items[sets]
    at = rng.choice(int(items.sum()), (ITEMS + WARM) // 2, replace=False)
    before = np.cumsum(items) - items
    own = np.searchsorted(before, at, "right") - 1
    return asker.snapshot.set_firsts[sets][own] + at - before[own]


def asked(asker: Asker, items: list[str]) -> Iterator[Asked]:
    """Each item by CSProv; what was read must be what the explanation says."""
    for item in items:
        for direction in DIRECTIONS:
            answer = asker.ask(item, direction, "csprov")
            told = asker.explain(Question(item, direction)).methods[0]
            if told.read != answer.read:
                sys.exit(f"{item} should read {told.read}, but read {answer.read}")
            yield {
                "sets": answer.read.sets,
                "partitions": answer.read.partitions,
                "triples": answer.read.triples,
                "seconds": round(answer.seconds["total"], 5),
            }


def levelled(asker: Asker, items: list[str]) -> Iterator[Levels]:
    """Each item by RQ and CCProv."""
    for item in items:
        for told in asker.explain(Question(item, "upstream")).methods[1:]:
            answer = asker.ask(item, "upstream", told.method)
            yield {
                "method": told.method,
                "guessed": told.levels or 0,
                "levels": pc.max(answer.items["depth"]).as_py() or 0,
                "seconds": round(answer.seconds["total"], 5),
            }


def fit(results: Results) -> dict[str, float]:
    """The constants of `query/cost.py` with the least relative errors over all results.

    Those of a set and a triple are as they stand there: items drawn at random need few of them.
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
    """Weights of features, none below 0, so that sums come near to seconds in relation to them.

    A part of each may be ``known`` beforehand.
    """
    weights = np.array(seconds)
    wanted = 1 - np.array(known or np.zeros(len(weights))) / weights
    found, _ = nnls(np.array(features, float) / weights[:, None], wanted)
    return [float(value) for value in found]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure beside what explain estimates.")
    parser.add_argument("--warehouse", type=Path, default=Path("demo-warehouse"))
    parser.add_argument("--name", default="the demo's flights")
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--fit", action="store_true", help="print constants, measure nothing")
    given = parser.parse_args()
    if given.fit:
        print("\n".join(f"{name} = {value:.3g}" for name, value in fit(read()).items()))
        return
    settings = replace(Settings.load({"warehouse": given.warehouse}), hot_mb=0)
    sys.exit(
        guarded(
            lambda: write(settings, given.name, given.seed), lambda: settings.warehouse / "logs"
        )
    )


def write(settings: Settings, name: str, seed: int) -> None:
    """Measure, and leave the results where `tables.py` finds them."""
    with progress_display() as progress:
        measured = run(settings, seed, progress)
    results = {**(read() if RESULTS.exists() else {}), name: measured}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
