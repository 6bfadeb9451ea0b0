"""Check that Neo4j contains all set dependencies, load marks, and the current modules."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from provhouse.commit.module_graph import module_graph
from provhouse.cypher.graph import Graph
from provhouse.model.arrays import SetId, unique
from provhouse.model.columns import DERIVES_FROM, SET
from provhouse.model.errors import Damaged, NotFound
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import generations, read_commit
from provhouse.store.warehouse.layout import Layout

from .damage_report import REPAIR, Damage

SETS = 20_000
"""The number of sets whose dependencies are read at once."""


def load_damages(layout: Layout, graph: Graph) -> Iterator[Damage]:
    """Yield a `Damage` for every generation that Neo4j does not mark as completely loaded."""
    for number in generations(layout):
        try:
            commit = read_commit(layout, number)
        except (Damaged, NotFound):  # reported by the check of records, or just pruned
            continue
        if commit.visible and not graph.has_load(commit.commit):
            wanted = f"Neo4j lacks generation {number}"
            yield Damage("Neo4j", wanted, "It has another state of this warehouse", REPAIR)


def dependency_damages(snapshot: Snapshot, graph: Graph, counts: Counter[str]) -> Iterator[Damage]:
    """Yield a `Damage` if Neo4j lacks dependencies; extra dependencies in Neo4j are harmless."""
    rows = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    child, parent = (np.asarray(rows[name], dtype=np.int64) for name in (SET, DERIVES_FROM))
    order = np.lexsort((parent, child))
    child, parent = child[order], parent[order]
    distinct = unique(child)
    missing, first = 0, (0, 0)
    for some in np.array_split(distinct, 1 + len(distinct) // SETS):
        if not len(some):
            continue
        low, high = np.searchsorted(child, [some[0], some[-1] + 1])
        expected = set(zip(child[low:high].tolist(), parent[low:high].tolist(), strict=True))
        lost = expected - set(graph.dependencies(SetId(int(some[0])), SetId(int(some[-1]))))
        if lost and not missing:
            first = min(lost)
        missing += len(lost)
        counts["dependencies"] += len(expected)
    if missing:
        wanted = f"Neo4j lacks the dependency from set {first[0]} to set {first[1]}"
        yield Damage("Neo4j", wanted, f"It lacks {missing:,} dependencies in all", REPAIR)


def module_damages(snapshot: Snapshot, graph: Graph, counts: Counter[str]) -> Iterator[Damage]:
    """Yield a `Damage` if the modules or counts in Neo4j differ from the tables.

    After a writer was killed, Neo4j may show an earlier generation until the next writer runs.
    """
    if graph.generation() != snapshot.commit.generation:
        return
    shown = graph.modules()
    rows = module_graph(snapshot).get("modules", [])
    expected = {row["name"]: (row["triples"], row["invocations"]) for row in rows}
    counts["modules"] += len(expected)
    wrong = sorted(name for name in {*shown, *expected} if shown.get(name) != expected.get(name))
    if wrong:
        wanted = f"Neo4j does not show the module {wrong[0]!r} as it is"
        found = f"It shows {len(wrong):,} modules wrongly, or lacks them; no answer depends on them"
        yield Damage("Neo4j", wanted, found, REPAIR)
