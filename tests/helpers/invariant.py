"""Check invariants that hold after every ingest, with Delta's own readers and Neo4j's driver.

The check does not rely on the bookkeeping of provhouse. It reads the triples from the Delta table,
and compares them with the stored sets, placements and totals, and with the dependencies in Neo4j.
"""

from dataclasses import asdict
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
from deltalake import DeltaTable
from neo4j import GraphDatabase
from pyspark.sql import SparkSession

from provhouse.cypher.address import Address
from provhouse.model.arrays import I64, Bools
from provhouse.store.warehouse.commits import Commit, current
from provhouse.store.warehouse.layout import Layout

NUMBERS = ("set", "first", "items", "item", "partition", "row", "rows")
PAIRS = """
MATCH (s:Set {warehouse: $warehouse})-[:DEPENDS_ON]->(source:Set)
RETURN s.id AS child, source.id AS parent, source.warehouse AS warehouse
"""


def check(
    layout: Layout,
    session: SparkSession | None,
    address: Address,
    theta: int,
    *,
    bare: bool = False,
) -> None:
    """Fail if the current generation violates an invariant of generations.

    If ``session`` is given, Spark reads the triples, which takes a second longer. ``bare`` allows
    items without triples, which remain after a compaction has removed retracted triples.
    """
    commit = current(layout)
    assert commit
    base = layout.base(commit.base)
    sets = Sets(_rows(base / "sets", commit))
    triples = _triples(base / "triples", commit, session)
    child, parent = sets.of(triples["dst"]), sets.of(triples["src"])
    across = child != parent
    pairs = set(zip(child[across].tolist(), parent[across].tolist(), strict=True))

    missing = pairs - dependencies(address, layout.warehouse_id())
    assert not missing, f"Neo4j lacks these pairs (set, set it depends on): {sorted(missing)[:5]}"
    _check_placements(_rows(base / "placements", commit), child, triples["partition"])
    sets.check(theta)
    graph = nx.Graph(zip(triples["src"].tolist(), triples["dst"].tolist(), strict=True))
    numbers = sets.numbers().tolist()
    assert set(graph) <= set(numbers)
    assert bare or sorted(graph) == numbers, "some items have no triple"
    graph.add_nodes_from(numbers)
    dead = _rows(base / "deaths", commit)
    groups = _rows(base / "groups", commit)["item"].to_pylist()
    assert set(groups) <= set(numbers)
    assert asdict(commit.totals) == {
        "triples": len(triples["src"]) - sum(dead["rows"].to_pylist()),
        "items": len(numbers) - len(groups),
        "components": nx.number_connected_components(graph),
        "sets": len(sets.ids),
        "set_dependencies": len(pairs),
        "partitions": len(np.unique(triples["partition"])),
    }


def dependencies(address: Address, warehouse: str) -> set[tuple[int, int]]:
    """Return the set dependencies in Neo4j as pairs of set IDs: a derived set and its source.

    The dependencies are read with Neo4j's own driver.
    """
    with (
        GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver,
        driver.session() as session,
    ):
        rows = session.run(PAIRS, warehouse=warehouse).values()
    assert all(other == warehouse for _, _, other in rows), "a set depends on another warehouse"
    return {(child, parent) for child, parent, _ in rows}


class Sets:
    """The connected sets of a generation, from the rows of the Delta table ``sets``."""

    def __init__(self, rows: pa.Table) -> None:
        rows = rows.sort_by("set")
        self.ids = np.asarray(rows["set"])
        self.firsts = np.asarray(rows["first"])
        self.items = np.asarray(rows["items"])

    def of(self, numbers: I64) -> I64:
        """Return the set id of each item number; fail if a number is in no set."""
        at = np.searchsorted(self.firsts, numbers, "right") - 1
        assert (at >= 0).all()
        assert (numbers < self.firsts[at] + self.items[at]).all()
        found: I64 = self.ids[at]
        return found

    def numbers(self) -> I64:
        """Return the numbers of all items, in order."""
        ranges = [np.arange(f, f + n) for f, n in zip(self.firsts, self.items, strict=True)]
        return np.concatenate([np.empty(0, np.int64), *ranges])

    def check(self, theta: int) -> None:
        """Fail if ids repeat, if ranges of numbers overlap, or if a set has theta items or more."""
        assert len(np.unique(self.ids)) == len(self.ids)
        assert (self.items > 0).all()
        assert (self.firsts[1:] >= self.firsts[:-1] + self.items[:-1]).all()
        assert (self.items < theta).all(), f"a set has {self.items.max()} items at theta {theta}"


def _rows(folder: Path, commit: Commit) -> pa.Table:
    if folder.name not in commit.tables:
        return pa.table({n: np.empty(0, np.int64) for n in NUMBERS})
    rows = DeltaTable(folder, version=commit.tables[folder.name]).to_pyarrow_table()
    return rows.filter(pa.array(_shown(np.asarray(rows["ingest"]), commit)))


def _triples(folder: Path, commit: Commit, session: SparkSession | None) -> dict[str, I64]:
    columns = ["src", "dst", "partition"]
    if folder.name not in commit.tables:
        return {name: np.empty(0, np.int64) for name in columns}
    version = commit.tables[folder.name]
    if session:
        reader = session.read.format("delta").option("versionAsOf", version)
        rows = reader.load(str(folder)).select(*columns, "ingest").toArrow()
    else:
        rows = DeltaTable(folder, version=version).to_pyarrow_table(columns=[*columns, "ingest"])
    shown = _shown(np.asarray(rows["ingest"]), commit)
    return {name: np.asarray(rows[name])[shown] for name in columns}


def _shown(ingests: I64, commit: Commit) -> Bools:
    """Return a mask of the rows whose ingests are visible in the generation of ``commit``."""
    visible = [n for first, last in commit.visible for n in range(first, last + 1)]
    return np.isin(ingests, visible)


def _check_placements(placements: pa.Table, sets: I64, partitions: I64) -> None:
    pairs, counts = np.unique(np.stack([sets, partitions]), axis=1, return_counts=True)
    stored = sorted(
        zip(*(placements[name].to_pylist() for name in ("set", "partition")), strict=True)
    )
    assert len(set(stored)) == len(stored)
    assert stored == [(s, p) for s, p in pairs.T.tolist()]
    if stored:
        rows = placements.sort_by([("set", "ascending"), ("partition", "ascending")])
        assert rows["triples"].to_pylist() == counts.tolist()
