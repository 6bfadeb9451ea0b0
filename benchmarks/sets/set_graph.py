"""Measure the import of a set graph, and walks in it, at a size for which a trace would not fit.

Neo4j gets the set graph of a warehouse several times, as separate components, until there are
``--sets`` nodes for sets. The nodes are imported as in an ingest. Then random sets of the graph are
walked in both directions: each set once in a server that has just started, and once again. This
shows how long Neo4j alone takes for a graph whose triples would not fit on this machine. Results go
to `results/set_graph.json`, keyed by the number of nodes.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Literal, TypedDict

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.shared.measured_command import size
from benchmarks.shared.results_file import Percentiles, ResultsFile, SeededRun, mean_load, versions
from benchmarks.shared.results_file import run as recorded
from provhouse.commit.graph_rows import bulk
from provhouse.cypher import server
from provhouse.cypher.graph import Graph
from provhouse.cypher.importing import Import
from provhouse.model.arrays import SetId
from provhouse.model.progress import Silent
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import read_commit
from provhouse.store.warehouse.layout import Layout

SEED = 5
WALKS = 300
WAREHOUSE = "benchmark"
NODES = ("sets", "components")
IDS = ("id", "component", "set", "derives_from")
"""The columns of ids, which differ between copies of the graph."""
Way = Literal["upstream", "downstream"]
WAYS: tuple[Way, ...] = ("upstream", "downstream")


class Walked(TypedDict):
    """The seconds and sets of the walks in one direction. ``first`` reads from the disk."""

    first: Percentiles
    again: Percentiles
    sets: float
    """The mean number of sets that a walk returns."""


class Measured(SeededRun):
    """The measurements of one graph. It consists of ``copies`` copies of the warehouse's graph."""

    copies: int
    sets: int
    dependencies: int
    import_seconds: float
    index_seconds: float
    start_seconds: float
    bytes: int
    server_mb: int
    walks: dict[Way, Walked]


RESULTS: ResultsFile[dict[str, Measured]] = ResultsFile("set_graph.json")
MEMORY = "1g"
"""The heap of Neo4j."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure import and walks of large set graphs.")
    parser.add_argument("--warehouse", type=Path, required=True, help="of one ingest")
    parser.add_argument("--sets", type=int, default=20_000_000)
    given = parser.parse_args()
    layout = Layout(given.warehouse)
    pieces = bulk(Snapshot(layout, read_commit(layout, 1)), 1)
    rows = {name: pa.concat_tables(tables) for name, tables in pieces.items()}
    copies = -(-given.sets // rows["sets"].num_rows)
    with TemporaryDirectory(prefix="provhouse-set-graph-") as folder:
        measured = measure(Path(folder), rows, copies)
    RESULTS.write({**RESULTS.read(missing={}), str(measured["sets"]): measured})


def measure(home: Path, rows: dict[str, pa.Table], copies: int) -> Measured:
    """Import ``copies`` copies of the graph into a new database, and walk them."""
    load, step = mean_load(), 1 + max(pc.max(rows[name]["id"]).as_py() for name in NODES)
    many = {name: copied(table, copies, step) for name, table in rows.items()}
    counts = {name: table.num_rows for name, table in many.items()}
    starts = np.asarray(many["dependencies"]["set"].take(drawn(counts["dependencies"])))
    tables = {name: [table] for name, table in many.items()}
    begun = perf_counter()
    with server.connected(home, MEMORY, Silent(), Import(WAREHOUSE, tables)) as address:
        imported = perf_counter() - begun
        del many, tables
        begun = perf_counter()
        with Graph(address, WAREHOUSE) as graph:
            graph.prepare()
        indexed = perf_counter() - begun
    stored = size(home / "data")
    begun = perf_counter()
    with server.connected(home, MEMORY, Silent()) as address, Graph(address, WAREHOUSE) as graph:
        started = perf_counter() - begun
        walks = {way: walked(graph, way, starts.tolist()) for way in WAYS}
        process = psutil.Process(server.process_id(home))
        return {
            **recorded(load, versions(address.http)),
            "seed": SEED,
            "copies": copies,
            "sets": counts["sets"],
            "dependencies": counts["dependencies"],
            "import_seconds": round(imported, 1),
            "index_seconds": round(indexed, 1),
            "start_seconds": round(started, 1),
            "bytes": stored,
            "server_mb": process.memory_info().rss >> 20,
            "walks": walks,
        }


def drawn(count: int) -> pa.Array:
    """Return random positions among ``count`` rows."""
    return pa.array(np.random.default_rng(SEED).integers(0, count, WALKS))


def copied(table: pa.Table, copies: int, step: int) -> pa.Table:
    """Return the rows of all copies. Each copy adds ``step`` to the ids of the copy before."""
    return pa.concat_tables(
        pa.table({
            name: pc.add(column, number * step) if name in IDS else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        })
        for number in range(copies)
    )  # fmt: skip


def walked(graph: Graph, way: Way, starts: Sequence[int]) -> Walked:
    """Walk from each set twice; return the times, and how many sets were found."""
    seconds: tuple[list[float], list[float]] = ([], [])
    found: list[int] = []
    for start in starts:
        for times in seconds:
            begun = perf_counter()
            found.append(len(graph.closure(SetId(start), way)))
            times.append(perf_counter() - begun)
    first, again = map(percentiles, seconds)
    return {"first": first, "again": again, "sets": round(float(np.mean(found)), 1)}


def percentiles(seconds: Sequence[float]) -> Percentiles:
    """Return the 50th and the 95th percentile."""
    p50, p95 = np.percentile(seconds, [50, 95])
    return {"p50": round(float(p50), 4), "p95": round(float(p95), 4)}


if __name__ == "__main__":
    main()
