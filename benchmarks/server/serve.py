"""Measure the warm server under load, on a warehouse of the paper's trace: `make bench-serve`.

100 clients ask questions without pause. They ask for small lineages, first while no partition stays
decoded (cold), then while partitions stay decoded (hot). Then they ask for a mix of all classes for
ten minutes, while memory is measured. In another phase, 8 clients ask for large lineages, to
measure bytes per second. The last phase has three times as many clients as the server accepts.
Results go to `results/serve.json`.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, sleep
from typing import TypedDict

import numpy as np
import psutil

from benchmarks.questions.classes import KINDS, all_triples, drawn
from benchmarks.server.serve_clients import Load, Orders, path_of
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, SeededRun, mean_load, versions
from benchmarks.shared.results_file import run as recorded
from provhouse.cypher.server import process_id, up
from provhouse.model.progress import Silent
from provhouse.model.settings import THETA, Settings
from provhouse.query.as_of import commit_as_of
from provhouse.serve import server_file
from provhouse.serve import server_process as process
from provhouse.serve.client import Client
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.layout import Layout


class Phase(TypedDict):
    """The figures of one phase of the load.

    ``client_cpu`` and ``server_cpu`` are the mean number of busy cores. ``megabytes`` is the memory
    at the start, every half minute, and at the end.
    """

    name: str
    clients: int
    seconds: float
    answers_per_second: float
    megabytes_per_second: float
    statuses: dict[str, int]
    milliseconds: dict[str, dict[str, float]]
    client_cpu: float
    server_cpu: float
    megabytes: list[int]


class Results(SeededRun):
    """The results of one run of `serve.py`."""

    triples: int
    start_seconds: float
    phases: list[Phase]


RESULTS = ResultsFile[Results]("serve.json")


def table(results: Results) -> str:
    """Return a table of the phases, a table of the times of answers, a note, and the targets."""
    head = ("load", "clients", "answers/s", "MB/s", "accepted", "server, cores", "clients, cores",
            "memory before, halfway, after")  # fmt: skip
    phases = grid(head, ([*_cells(phase)] for phase in results["phases"]))
    rows = (row for phase in results["phases"] for row in _times(phase))
    times = grid(("load", "class", "p50", "p95"), rows, left=(0, 1))
    note = (
        f"{results['triples']:,} triples, {cores(results['machine'])} for server,"
        f" Neo4j and clients together, system load before the run: {results['load']},"
        f" seed {results['seed']}. `up` was ready to answer after {results['start_seconds']:.0f} s."
    )
    return "\n\n".join([phases, times, note, bars(targets(results))])


def targets(results: Results) -> dict[str, bool]:
    """Return the targets, and whether each was met."""
    by_name = {phase["name"]: phase for phase in results["phases"]}
    mixed = by_name["mixed"]
    return {
        "cold, small: at least 15 answers/s": by_name["cold, small"]["answers_per_second"] >= 15,
        "hot, small: at least 500 answers/s": by_name["hot, small"]["answers_per_second"] >= 500,
        "mixed: at least 99% accepted": accepted(mixed) >= 0.99,
        "mixed: memory grows by less than a tenth in the second half": flat(mixed["megabytes"]),
        "`up` is ready to answer within 20 s": results["start_seconds"] < 20,
    }


def accepted(phase: Phase) -> float:
    """Return the share of requests that the server answered with status 200."""
    return phase["statuses"].get("200", 0) / sum(phase["statuses"].values())


def flat(megabytes: list[int]) -> bool:
    """Return whether memory grew by less than a tenth in the second half of a phase.

    The first half is ignored, because caches fill until the middle of the phase.
    """
    return megabytes[-1] < 1.1 * megabytes[len(megabytes) // 2]


def _cells(phase: Phase) -> Iterator[str]:
    yield f"{phase['name']}, {phase['seconds']:.0f} s"
    yield f"{phase['clients']}"
    yield f"{phase['answers_per_second']:,.0f}"
    yield f"{phase['megabytes_per_second']:.1f}"
    yield f"{accepted(phase):.1%}"
    yield f"{phase['server_cpu']:.2f}"
    yield f"{phase['client_cpu']:.2f}"
    sizes = phase["megabytes"]
    yield ", ".join(f"{size:,} MB" for size in (sizes[0], sizes[len(sizes) // 2], sizes[-1]))


def _times(phase: Phase) -> Iterator[tuple[str, ...]]:
    for kind, times in phase["milliseconds"].items():
        yield phase["name"], kind, f"{times['p50']:,.0f} ms", f"{times['p95']:,.0f} ms"


CLIENTS = "benchmarks.server.serve_clients"
SMALL = {"SC-SL": 1.0, "LC-SL": 1.0}
MIXED = {"SC-SL": 40.0, "LC-SL": 40.0, "SC-SL impact": 9.0, "LC-SL impact": 9.0, "LC-LL": 2.0}
EVERY = 30.0
"""The number of seconds between two measurements of memory."""
ITEMS, SEED = 200, 6
"""The number of items of each class for which clients ask."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the server under load.")
    parser.add_argument("--warehouse", type=Path, required=True)
    RESULTS.write(run(Settings.load({"warehouse": parser.parse_args().warehouse})))


def run(settings: Settings) -> Results:
    """Measure all phases of the load, cold and then hot, and return the results."""
    load = mean_load()
    questions = choose(settings)
    used = versions(up(settings.graph_home, settings.neo4j_memory, Silent()).http)
    phases: list[Phase] = []
    began = perf_counter()
    process.up(replace(settings, hot_mb=0), Silent(), wait=True)
    start = perf_counter() - began
    with served(replace(settings, hot_mb=0)):
        for name, clients, seconds, weights in (
            ("cold, small", 100, 60.0, SMALL),
            ("cold, large", 8, 60.0, {"LC-LL": 1.0}),
        ):
            phases.append(phase(settings, name, clients, seconds, weights, questions))
    with served(settings):
        few = {kind: paths[:20] for kind, paths in questions.items()}
        phase(settings, "warming", 20, 10, SMALL, few)
        phases.append(phase(settings, "hot, small", 100, 60, SMALL, few))
        phases.append(phase(settings, "mixed", 100, 600, MIXED, questions))
        phases.append(phase(settings, "too many, mixed", 600, 60, MIXED, questions))
    return {
        **recorded(load, used),
        "seed": SEED,
        "triples": commit_as_of(Layout(settings.warehouse)).totals.triples,
        "start_seconds": round(start, 2),
        "phases": phases,
    }


def choose(settings: Settings) -> dict[str, list[str]]:
    """Return the URL paths of questions, by class. Each question is in one class only."""
    layout = Layout(settings.warehouse)
    snapshot = Snapshot(layout, commit_as_of(layout))
    questions = {}
    for one in drawn(snapshot, all_triples(snapshot), settings.theta or THETA, KINDS, ITEMS, SEED):
        name = one.kind.name + (" impact" if one.kind.direction == "downstream" else "")
        names = snapshot.names.names(one.items).to_pylist()
        questions[name] = [path_of(one.kind.direction, item) for item in names]
    return {name: paths for name, paths in questions.items() if paths}


@contextmanager
def served(settings: Settings) -> Iterator[None]:
    """Run a server, and wait until it has read all partitions."""
    process.up(settings, Silent(), wait=True)
    try:
        client = Client.of(settings.warehouse)
        while client and client.health()["cold"]:
            sleep(0.5)
        yield
    finally:
        process.down(settings.warehouse, Silent())


def phase(
    settings: Settings,
    name: str,
    clients: int,
    seconds: float,
    weights: dict[str, float],
    questions: dict[str, list[str]],
) -> Phase:
    """Run ``clients`` clients for ``seconds`` seconds, and return the figures of this phase."""
    found = server_file.running(settings.warehouse)
    assert found
    orders: Orders = {
        "host": server_file.HOST, "port": found.port,
        "token": server_file.token(settings.warehouse),
        "clients": clients, "seconds": seconds, "seed": SEED, "questions": questions,
        "weights": {kind: weight for kind, weight in weights.items() if kind in questions},
    }  # fmt: skip
    cpu = _cpu(found.pid)
    megabytes: list[int] = []
    watching = Watching(lambda: megabytes.append(memory(found.pid, settings)))
    with watching:
        done = subprocess.run(
            [sys.executable, "-m", CLIENTS],
            input=json.dumps(orders),
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    load: Load = json.loads(done.stdout)
    return {
        "name": name,
        "clients": clients,
        "seconds": round(load["lasted"], 1),
        "answers_per_second": round(sum(map(len, load["seconds"].values())) / load["lasted"], 1),
        "megabytes_per_second": round(load["bytes"] / load["lasted"] / 1e6, 2),
        "statuses": load["statuses"],
        "milliseconds": {kind: _spread(times) for kind, times in sorted(load["seconds"].items())},
        "client_cpu": round(load["cpu"] / load["lasted"], 2),
        "server_cpu": round((_cpu(found.pid) - cpu) / load["lasted"], 2),
        "megabytes": megabytes,
    }


class Watching(Thread):
    """A thread that calls ``look`` while a ``with`` block runs.

    It does so when the block begins, every ``EVERY`` seconds, and when the block ends.
    """

    def __init__(self, look: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._look = look
        self._over = Event()

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self.join()
        self._look()

    def run(self) -> None:
        """Call ``look`` now and every ``EVERY`` seconds, until the ``with`` block ends."""
        while True:
            self._look()
            if self._over.wait(EVERY):
                return


def _spread(times: list[float], unit: float = 1000) -> dict[str, float]:
    return {p: round(float(np.percentile(times, int(p[1:]))) * unit, 3) for p in ("p50", "p95")}


def _family(pid: int) -> list[psutil.Process]:
    return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]


def _cpu(pid: int) -> float:
    """Return the CPU seconds that the server and its Spark have used so far."""
    times = [one.cpu_times() for one in _family(pid)]
    return sum(one.user + one.system for one in times)


def memory(pid: int, settings: Settings) -> int:
    """Return the proportional set size of the server, its Spark and Neo4j together, in MB."""
    graph = process_id(settings.graph_home)
    others = [psutil.Process(graph)] if graph else []
    family = {one.pid: one for one in [*_family(pid), *others]}
    return round(sum(one.memory_full_info().pss for one in family.values()) / 1e6)


if __name__ == "__main__":
    main()
