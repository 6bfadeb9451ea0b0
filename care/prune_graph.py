"""Remove from Neo4j the data of removed bases. The data is harmless, but takes space."""

from collections.abc import Iterator

import numpy as np

from provhouse.cypher.graph import Graph
from provhouse.model.arrays import I64, unique
from provhouse.model.columns import INGEST, ITEMS, SET
from provhouse.store.tables.delta_tables import newest_version, read_rows
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.ids import Ids
from provhouse.store.warehouse.layout import Layout


def prune_graph(graph: Graph, layout: Layout, ids: Ids) -> None:
    """Remove the sets, components and generations that belong to no base and no commit record.

    Only the writer may call this: while it holds the lock, ids that occur in no table are unused.
    Load marks, which record that Neo4j contains a generation, are kept: a reader of a base may
    still check the mark of a pruned generation.
    """
    sets, items = _kept(layout)
    for kind, kept, free in (("sets", sets, ids.set), ("components", items, ids.item)):
        for first, last in _gaps(kept, free):
            graph.remove(f"{kind}_pruned", first, last)
    graph.remove("generations_pruned", 1, ids.pruned)


def _kept(layout: Layout) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the id ranges of the sets and items in all bases, whether visible or not."""
    sets, items = [], []
    for base in bases(layout):
        folder = layout.table(base, "sets")
        rows = read_rows(folder, "sets", newest_version(folder), [SET])
        sets += list(_runs(unique(np.asarray(rows[SET], dtype=np.int64))))
        folder = layout.table(base, "ingests")
        rows = read_rows(folder, "ingests", newest_version(folder), [INGEST, "first_item", ITEMS])
        firsts, counts = rows["first_item"].to_pylist(), rows[ITEMS].to_pylist()
        items += [(f, f + n - 1) for f, n in zip(firsts, counts, strict=True) if n]
    return sorted(sets), sorted(items)


def _runs(numbers: I64) -> Iterator[tuple[int, int]]:
    """Split ordered numbers into ranges without gaps; yield the first and last of each range."""
    for run in np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1):
        if len(run):
            yield int(run[0]), int(run[-1])


def _gaps(kept: list[tuple[int, int]], free: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of ids that are below the next free id and in no kept range."""
    after = 1
    for first, last in kept:
        if first > after:
            yield after, first - 1
        after = last + 1
    if free > after:
        yield after, free - 1
