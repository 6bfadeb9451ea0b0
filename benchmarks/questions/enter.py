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
from benchmarks.server.serve import served
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.measured_command import Command
from benchmarks.shared.results_file import Percentiles, ResultsFile, SeededRun, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from provhouse.cypher.server import down
from provhouse.model.progress import Silent
from provhouse.model.settings import THETA, Settings

SERVED = "with the server, nothing kept decoded"


class CommandTimes(Percentiles):
    """The seconds of several commands of one kind, from Enter to the end of the answer."""

    commands: int


class Results(SeededRun):
    """The results of one run of `enter.py`."""

    triples: int
    took: dict[str, CommandTimes]


RESULTS = ResultsFile[Results]("enter.json")
MOST = 0.3
"""The target for the median time from Enter to the end of a small answer, in seconds."""


def table(results: Results) -> str:
    """Return a table with a row for each kind of command, a note on the run, and the target."""
    head = ("a command that asks for a small lineage", "commands", "p50", "p95")
    rows = (
        (name, f"{took['commands']}", f"{took['p50']:.2f} s", f"{took['p95']:.2f} s")
        for name, took in results["took"].items()
    )
    note = (
        f"{results['triples']:,} triples, {cores(results['machine'])}, system load"
        f" before the run: {results['load']}, seed {results['seed']}."
    )
    kept = results["took"][SERVED]["p50"] <= MOST
    bar = bars({f"a command with the server: at most {MOST} s": kept})
    return f"{grid(head, rows)}\n\n{note}\n\n{bar}"


KIND = next(kind for kind in KINDS if kind.name == "LC-SL" and kind.direction == "upstream")
WITH, WITHOUT, SEED = 40, 3, 6
"""The numbers of commands that are measured with the server and without it."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure complete commands.")
    parser.add_argument("--warehouse", type=Path, required=True)
    RESULTS.write(run(Settings.load({"warehouse": parser.parse_args().warehouse})))


def run(settings: Settings) -> Results:
    """Measure Python alone, then commands with the server, then commands without it."""
    load = mean_load()
    snapshot = open_snapshot(settings.warehouse)
    theta = settings.theta or THETA
    (found,) = drawn(snapshot, all_triples(snapshot), theta, [KIND], WITH + 1, SEED)
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
        "seed": SEED,
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
