"""Measure the memory of the process of an ingest with many sets: `make bench-driver`.

A warehouse of made-up sets, each of which derives from the set before, is written and loaded by the
code of the steps write and load, once without a limit and once with a quarter of what was then
taken as ``driver_mb``. Nothing is sent to Neo4j. Memory is anonymous memory (``RssAnon``), without
that at the beginning. Each run has a process of its own. Results go to `results/driver.json`.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypedDict

import numpy as np
import psutil
import pyarrow as pa

from benchmarks.ingest.memory import status
from benchmarks.shared.machine import mean_load, packages
from benchmarks.shared.machine import run as recorded
from benchmarks.shared.results import ResultsFile, Run
from provhouse.commit.append import Target, append
from provhouse.commit.graph_rows import bulk
from provhouse.commit.next_commit import ingest_row
from provhouse.model.arrays import I64
from provhouse.model.columns import (
    COMPONENT,
    DERIVES_FROM,
    FIRST,
    ITEMS,
    NODE,
    OPS,
    PARTITION,
    SET,
    TABLES_OF,
    TRIPLES,
)
from provhouse.runtime.memory import sampling
from provhouse.runtime.room import Room
from provhouse.store.tables.delta import PIECE_ROWS
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, Totals
from provhouse.store.warehouse.ids import Ids
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked

SIZES = (1_000_000, 4_000_000, 16_000_000)
UNLIMITED = 1 << 20
EVERY = 0.02
"""Seconds between two measurements."""


class Measured(TypedDict):
    """One run: the setting ``driver_mb``, or 0 for no limit, and the growth of the memory."""

    sets: int
    driver_mb: int
    peak_mb: int
    seconds: float


class Results(Run):
    """All runs."""

    runs: list[Measured]


RESULTS: ResultsFile[Results] = ResultsFile("driver.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the memory of an ingest's own process.")
    parser.add_argument("--folder", type=Path, help="a folder on a large disk")
    given = parser.parse_args()
    load, runs = mean_load(), list[Measured]()
    for sets in SIZES:
        with TemporaryDirectory(prefix="provhouse-bench-", dir=given.folder) as name:
            for limit in (0, 1):
                mine = limit and max(runs[-1]["peak_mb"] // 4, 1)
                with get_context("spawn").Pool(1) as pool:
                    runs.append(pool.apply(measure, (Path(name) / str(limit), sets, mine)))
                print(runs[-1])
    versions = packages("pyarrow", "numpy", "provhouse")
    RESULTS.write({**recorded(load, versions), "runs": runs})


def measure(folder: Path, count: int, limit: int) -> Measured:
    """Write and load a warehouse of this many sets."""
    layout, me = Layout(folder), psutil.Process()
    layout.base(1).mkdir(parents=True)
    begun, first, peak = perf_counter(), status("RssAnon", me), 0

    def sample() -> None:
        nonlocal peak
        peak = max(peak, status("RssAnon", me))

    with sampling(sample, EVERY):
        commit = write(layout, count)
        room = Room(layout.staging, limit or UNLIMITED)
        for tables in bulk(Snapshot(layout, commit, room=room), 1).values():
            assert sum(table.num_rows for table in tables) == tables.rows
    seconds = round(perf_counter() - begun, 1)
    return {"sets": count, "driver_mb": limit, "peak_mb": peak - first, "seconds": seconds}


def write(layout: Layout, count: int) -> Commit:
    """Write the tables; return the commit record, which is not stored."""
    commit = Commit(1, 1, "", "", ((1, 1),), {}, Totals())
    tables = {
        "sets": each(count, sets),
        "placements": each(count, placements),
        "set_dependencies": each(count, dependencies),
        "ingests": [ingest_row(commit, Ids(ingest=1), items=count, partitions=1)],
    }
    with locked(layout):
        target = Target(layout, 1, 1, 0)
        versions = {name: append(target, name, rows) for name, rows in tables.items()}
    return replace(commit, tables=versions)


def each(count: int, rows: Callable[[I64], pa.Table]) -> Iterator[pa.Table]:
    """Yield the rows of all sets, as ``place`` stages them: in pieces."""
    for start in range(0, count, PIECE_ROWS):
        yield rows(np.arange(start, min(start + PIECE_ROWS, count)))


def sets(ids: I64) -> pa.Table:
    """Return rows of the table ``sets``; each hundred sets are a component."""
    tables = pa.array([["a"]], pa.list_(pa.string())).take(pa.array(ids * 0))
    return pa.table({
        SET: ids, COMPONENT: ids - ids % 100, FIRST: ids, ITEMS: ids * 0 + 1,
        NODE: np.ones(len(ids), bool), TABLES_OF: tables,
    })  # fmt: skip


def placements(ids: I64) -> pa.Table:
    """Return rows of the table ``placements``."""
    return pa.table({SET: ids, PARTITION: ids // 30_000, TRIPLES: ids * 0 + 1})


def dependencies(ids: I64) -> pa.Table:
    """Return rows of the table ``set_dependencies``."""
    ids = ids[ids % 100 > 0]
    ops = pa.array([["f"]], pa.list_(pa.string())).take(pa.array(ids * 0))
    return pa.table({SET: ids, DERIVES_FROM: ids - 1, TRIPLES: ids * 0 + 1, OPS: ops})


if __name__ == "__main__":
    main()
