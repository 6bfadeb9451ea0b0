"""Measure how many rows a second are loaded into a running Neo4j, by the number of writers.

The rows are those of a set graph with one large component: every set has two dependencies, one on
a near set and one on any earlier set. Each load is a warehouse of its own in one server. The
processor times of the server and of the client show what a load waits for: if together they use all
cores, nothing but less work for each row makes it faster. Results go to `results/bolt_load.json`.
"""

import argparse
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TypedDict

import numpy as np
import psutil
import pyarrow as pa

from benchmarks.shared.machine import mean_load, versions
from benchmarks.shared.machine import run as recorded
from benchmarks.shared.results import ResultsFile, SeededRun
from provhouse.cypher import bulk, server
from provhouse.cypher.graph import Graph
from provhouse.model.progress import Silent

SEED = 7
MEMORY = "1g"
WRITERS = (1, 2, 4)


class Load(TypedDict):
    """One load. ``microseconds`` are those of a processor for each row."""

    rows: int
    seconds: float
    rows_a_second: int
    client_microseconds: float
    server_microseconds: float
    busy_cores: float
    retries: int


class Results(SeededRun):
    """For each number of writers, by statement and for all rows, the median load."""

    runs: int
    loads: dict[str, dict[str, Load]]


RESULTS: ResultsFile[Results] = ResultsFile("bolt_load.json")


class Retries(logging.Handler):
    """Counts the transactions that the driver repeats, for instance after a deadlock."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count a message about a retry."""
        self.count += "will be retried" in record.getMessage()


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure loads into a running Neo4j.")
    parser.add_argument("--sets", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path, help="write the results to another file")
    given = parser.parse_args()
    load = mean_load()
    with TemporaryDirectory(prefix="provhouse-bolt-load-") as folder, running(Path(folder)) as home:
        measure(home, given.sets // 4, "warm")  # compiles the server's code
        runs = {
            str(count): [measure(home, given.sets, f"{count} {run}", count)
                         for run in range(given.runs)]
            for count in WRITERS
        }  # fmt: skip
        address = server.running(home)
        assert address
        results: Results = {
            **recorded(load, versions(address.http)),
            "seed": SEED,
            "runs": given.runs,
            "loads": {count: medians(loads) for count, loads in runs.items()},
        }
    RESULTS.write(results, given.out)
    print(json.dumps(results, indent=1))


@contextmanager
def running(home: Path) -> Iterator[Path]:
    """Start a server in a folder, and stop it at the end."""
    server.up(home, MEMORY, Silent())
    try:
        yield home
    finally:
        server.down(home, Silent())


def tables(sets: int) -> dict[str, pa.Table]:
    """Return the rows of each statement, in writing order."""
    draw = np.random.default_rng(SEED)
    ids = np.arange(1, sets + 1)
    near = np.maximum(ids - draw.integers(1, 20, sets), 1)
    far = draw.integers(1, ids, endpoint=True)
    texts = pa.array([["orders", "invoices"], ["prices"], ["revenue"]])
    few = texts.take(pa.array(draw.integers(0, len(texts), sets)))
    one = pa.array(np.ones(sets, np.int64))
    return {
        "sets": pa.table(
            {"id": ids, "component": one, "items": one, "triples": one, "tables": few}
        ),
        "dependencies": pa.table({
            "set": np.tile(ids, 2), "derives_from": np.concatenate([near, far]),
            "triples": np.ones(2 * sets, np.int64), "ops": pa.concat_arrays([few, few]),
        }),
        "components": pa.table({"id": [1], "items": [sets], "triples": [sets], "sets": [sets]}),
        "part_of": pa.table({"set": ids, "component": one}),
    }  # fmt: skip


def measure(home: Path, sets: int, warehouse: str, writers: int = 1) -> dict[str, Load]:
    """Load the rows; return the measurements by statement, and of ``all``."""
    bulk.WRITERS = writers
    address, process = server.running(home), psutil.Process(server.process_id(home))
    assert address
    found: dict[str, Load] = {}
    retries = Retries()
    logging.getLogger("neo4j").addHandler(retries)
    with Graph(address, warehouse) as graph:
        graph.prepare()
        for name, rows in tables(sets).items():
            retries.count, began = 0, (perf_counter(), process_time(), cpu(process))
            graph.write(name, rows)
            ended = (perf_counter(), process_time(), cpu(process))
            seconds, client, served = (b - a for a, b in zip(began, ended, strict=True))
            found[name] = as_load(rows.num_rows, seconds, client, served, retries.count)
        graph.delete_all()
    logging.getLogger("neo4j").removeHandler(retries)
    every = list(found.values())
    found["all"] = as_load(
        sum(each["rows"] for each in every),
        sum(each["seconds"] for each in every),
        sum(each["client_microseconds"] * each["rows"] for each in every) / 1e6,
        sum(each["server_microseconds"] * each["rows"] for each in every) / 1e6,
        sum(each["retries"] for each in every),
    )
    print(warehouse, found["all"], flush=True)
    return found


def cpu(process: psutil.Process) -> float:
    """Return the seconds of processor time that a process has used."""
    times = process.cpu_times()
    return float(times.user + times.system)


def as_load(rows: int, seconds: float, client: float, served: float, retries: int) -> Load:
    """Return the measurements of a load, in their final units."""
    return {
        "rows": rows,
        "seconds": round(seconds, 3),
        "rows_a_second": round(rows / seconds),
        "client_microseconds": round(client / rows * 1e6, 1),
        "server_microseconds": round(served / rows * 1e6, 1),
        "busy_cores": round((client + served) / seconds, 2),
        "retries": retries,
    }


def medians(loads: list[dict[str, Load]]) -> dict[str, Load]:
    """Return, for each statement, the load with the median time."""
    return {
        name: min(
            (load[name] for load in loads),
            key=lambda each: abs(each["seconds"] - median(load[name]["seconds"] for load in loads)),
        )
        for name in loads[0]
    }


if __name__ == "__main__":
    main()
