"""Neo4j without what only removed bases needed; more in it would be harmless, but takes room."""

from collections.abc import Iterator

import numpy as np

from provhouse.cypher.graph import Graph
from provhouse.model.arrays import I64
from provhouse.model.columns import INGEST, ITEMS, SET
from provhouse.store.tables.delta import newest_version, read_rows
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.ids import Ids
from provhouse.store.warehouse.layout import Layout


def prune_graph(graph: Graph, layout: Layout, ids: Ids) -> None:
    """Remove the sets, components and generations that no base and no record has.

    For the one writer: whatever has an id, and is not in a table, is needed by nobody. Marks of
    loads stay, since whoever reads a base may still have to look for that of a pruned generation.
    """
    sets, items = _kept(layout)
    for kind, kept, free in (("sets", sets, ids.set), ("components", items, ids.item)):
        for first, last in _gaps(kept, free):
            graph.remove(f"{kind}_pruned", first, last)
    graph.remove("generations_pruned", 1, ids.pruned)


def _kept(layout: Layout) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Ranges of the sets and of the items that the bases have, also those nobody shows."""
    sets, items = [], []
    for base in bases(layout):
        folder = layout.table(base, "sets")
        rows = read_rows(folder, "sets", newest_version(folder), [SET])
        sets += list(_runs(np.unique(np.asarray(rows[SET], dtype=np.int64))))
        folder = layout.table(base, "ingests")
        rows = read_rows(folder, "ingests", newest_version(folder), [INGEST, "first_item", ITEMS])
        firsts, counts = rows["first_item"].to_pylist(), rows[ITEMS].to_pylist()
        items += [(f, f + n - 1) for f, n in zip(firsts, counts, strict=True) if n]
    return sorted(sets), sorted(items)


def _runs(numbers: I64) -> Iterator[tuple[int, int]]:
    """The ranges that numbers, in order, fill without a gap."""
    for run in np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1):
        if len(run):
            yield int(run[0]), int(run[-1])


def _gaps(kept: list[tuple[int, int]], free: int) -> Iterator[tuple[int, int]]:
    """The ranges below the next free id that are none of those kept."""
    after = 1
    for first, last in kept:
        if first > after:
            yield after, first - 1
        after = last + 1
    if free > after:
        yield after, free - 1
