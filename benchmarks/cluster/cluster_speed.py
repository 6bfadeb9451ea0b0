"""Run one scenario on one machine and on a standalone cluster, and compare all results.

    make cluster

The cluster is a master and two workers on this machine. In a third run, one worker is killed during
the ingest and replaced, then another worker is killed during questions. Both workers are running a
task when they are killed. Prints a table, and exits with status 1 if any result differs, or if
Spark has not repeated the tasks of the killed workers.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks import ROOT
from benchmarks.cluster.scenario_process import LOOPBACK, Result, run
from benchmarks.cluster.scenarios import HELD, Scenario
from benchmarks.cluster.spark_cluster import Cluster, kill, resume, suspend
from provhouse.cypher import neo4j_process as process
from provhouse.cypher import server
from provhouse.cypher.server_record import ServerRecord
from provhouse.model.progress import Silent

SOURCE = ROOT
UNEQUAL = ("executors", "driver")
"""Steps whose results may differ: the executors' folders, and the driver's peak memory."""
LOSING = ("Number the rows", "csprov after the retraction")
"""The steps during which a worker is killed while it runs a task."""
CHAIN = 30
"""The number of levels of the trace. Items derive from items of the previous level."""


def main() -> None:
    """Run the scenario three times, and print the table."""
    parser = argparse.ArgumentParser(description="Compare a Spark cluster with one machine.")
    parser.add_argument("--triples", type=int, default=200_000, help="triples in the trace")
    triples: int = parser.parse_args().triples
    with TemporaryDirectory(prefix="cluster-") as name:
        folder = Path(name)
        shared, home = folder / "shared", folder / "neo4j"
        shared.mkdir()
        server.up(home, "512m", Silent())
        try:
            files, items = trace(shared, triples)
            runs = compare(folder, files, items)
        finally:
            state = ServerRecord.read(home)
            process.stop(state.pid if state else None, home)
    sys.exit(0 if print_table(runs) else 1)


def trace(folder: Path, triples: int) -> tuple[list[str], list[str]]:
    """Write two files with a trace; return their paths, two items to ask about, one to retract."""
    random = np.random.default_rng(1)
    width = max(triples // (2 * CHAIN), 10)
    level = random.integers(1, CHAIN, triples)
    place = random.integers(0, width, triples)
    near = np.clip(place + random.integers(-1, 2, triples), 0, width - 1)
    columns = {
        "src": [f"level {at - 1}/{item}" for at, item in zip(level, near, strict=True)],
        "dst": [f"level {at}/{item}" for at, item in zip(level, place, strict=True)],
        "op": [f"op {at}" for at in level],
    }
    rows = pa.table(columns)
    files = []
    for number, part in enumerate((rows.slice(0, triples * 4 // 5), rows.slice(triples * 4 // 5))):
        path = folder / f"{number}.csv"
        pa.csv.write_csv(part, path)
        files.append(str(path))
    last = int(np.argmax(level))
    asked = [columns["dst"][last], columns["src"][0]]
    return files, [*asked, next(item for item in columns["src"] if item not in asked)]


def compare(folder: Path, files: list[str], items: list[str]) -> dict[str, dict[str, Result]]:
    """Run the scenario on one machine, on a cluster, and on a cluster that loses workers."""
    shared, seen = folder / "shared", [folder / "shared", SOURCE]

    def carry_out(
        name: str,
        cluster: Cluster | None = None,
        on: Callable[[str], None] = lambda _: None,
        lose: Sequence[str] = (),
    ) -> dict[str, Result]:
        settings: dict[str, Any] = {
            "warehouse": str(shared / name),
            "neo4j_home": str(folder / "neo4j"),
            "master": cluster.master if cluster else "local[2]",
            "spark_memory": "1g",
            "theta": 2_000,
            "partition_triples": 4_000,
            "hot_mb": 0,
        }
        whole = Scenario(settings, files, items[:2], items[2], compact=True, server=True, lose=lose)
        return run(whole, folder / name, on, cluster.driver if cluster else LOOPBACK)

    runs = {"one machine": carry_out("one")}
    with Cluster(folder / "cluster", seen) as cluster:
        print(f"Each worker has {apart(cluster)}.")
        runs["cluster"] = carry_out("cluster-warehouse", cluster)
    with Cluster(folder / "losing", seen) as cluster:
        moments = {*LOSING}

        def lose(step: str) -> None:
            if step in moments:
                moments.remove(step)  # an append has the same steps
                for worker in cluster.workers.values():
                    suspend(worker)
            elif step.startswith(HELD):
                kill(cluster.workers.pop(step.removeprefix(HELD)))
                for worker in cluster.workers.values():
                    resume(worker)
                cluster.add_worker()

        runs["cluster, workers killed"] = carry_out("killed-warehouse", cluster, lose, LOSING)
    return runs


def apart(cluster: Cluster) -> str:
    """Return a description of what each worker has to itself, and what it shares."""
    if cluster.networked:
        return "a network namespace with an address of its own, and a /tmp of its own"
    if cluster.isolated:
        return "a /tmp of its own (a mount namespace), and the loopback of this machine"
    return "folders of its own, and the loopback and /tmp of this machine (no namespaces)"


def print_table(runs: dict[str, dict[str, Result]]) -> bool:
    """Print the seconds of each step and whether its results are equal; return whether all are."""
    names = [*runs]
    first = runs[names[0]]
    print(f"{os.cpu_count()} cores\n")
    print("| step | " + " | ".join(names) + " | equal |")
    print("| --- |" + " ---: |" * len(names) + " --- |")
    equal = True
    for step in first:
        if step in UNEQUAL:
            continue
        same = all(runs[name][step].value == first[step].value for name in names)
        equal &= same
        seconds = " | ".join(f"{runs[name][step].seconds:.1f} s" for name in names)
        print(f"| {step} | {seconds} | {'yes' if same else 'NO'} |")
    losses = runs[names[-1]]["lost"].value
    repeated = len(losses) == len(LOSING) and all(lost == again > 0 for lost, again in losses)
    peaks = " | ".join(f"{runs[name]['driver'].value} MB" for name in names)
    print(f"| peak of the driver's Python process | {peaks} | |")
    said = "; ".join(
        f"{step}: {lost} lost, {again} run again"
        for step, (lost, again) in zip(LOSING, losses, strict=False)
    )
    print(f"\nTasks of killed workers: {said}.")
    return equal and repeated


if __name__ == "__main__":
    main()
