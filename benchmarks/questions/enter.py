"""Measure complete commands, from Enter to the answer, with and without the server.

`make bench-enter` runs this benchmark. Each command is a process of its own. It asks for a small
lineage in a large component, on a warehouse of the paper's trace. Results go to
`results/enter.json`.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.peers.peers import open_snapshot
from benchmarks.questions.classes import KINDS, all_triples, drawn
from benchmarks.questions.enter_table import RESULTS, SERVED, CommandTimes, Results
from benchmarks.server.serve import served
from benchmarks.shared.command import Command
from benchmarks.shared.machine import mean_load, packages
from benchmarks.shared.machine import run as recorded
from provhouse.cypher.server import down
from provhouse.model.progress import Silent
from provhouse.model.settings import THETA, Settings

KIND = next(kind for kind in KINDS if kind.name == "LC-SL" and kind.direction == "upstream")
WITH, WITHOUT = 40, 3
"""The numbers of commands that are measured with the server and without it."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure complete commands.")
    parser.add_argument("--warehouse", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=6)
    given = parser.parse_args()
    settings = Settings.load({"warehouse": given.warehouse})
    RESULTS.write(run(settings, given.seed))


def run(settings: Settings, seed: int) -> Results:
    """Measure Python alone, then commands with the server, then commands without it."""
    load = mean_load()
    snapshot = open_snapshot(settings.warehouse)
    (found,) = drawn(
        snapshot, all_triples(snapshot), settings.theta or THETA, [KIND], WITH + 1, seed
    )
    items: list[str] = snapshot.names.names(found.items).to_pylist()
    command = Command(settings.warehouse)

    def ask(item: str) -> object:
        return command.json("lineage", item)

    def python(_: str) -> object:
        return subprocess.run([sys.executable, "-c", "pass"], check=True)

    took = {"Python alone, which does nothing": spread(python, items)}
    with served(replace(settings, hot_mb=0)):
        took[SERVED] = spread(ask, items)
    down(settings.graph_home, Silent())
    took["without the server"] = spread(ask, items[: WITHOUT + 1])
    return {
        **recorded(load, packages("typer", "pyspark", "provhouse")),
        "seed": seed,
        "triples": snapshot.commit.totals.triples,
        "took": took,
    }


def spread(run: Callable[[str], object], items: Sequence[str]) -> CommandTimes:
    """Run a command for each item, and return percentiles of the times.

    The first run does not count, because it may read files from disk.
    """
    run(items[0])
    seconds = []
    for item in items[1:]:
        began = perf_counter()
        run(item)
        seconds.append(perf_counter() - began)
    p50, p95 = np.percentile(seconds, (50, 95)).round(3).tolist()
    return {"commands": len(seconds), "p50": p50, "p95": p95}


if __name__ == "__main__":
    main()
