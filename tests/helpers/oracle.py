"""Lineage and impact, computed with networkx: slow, but obviously correct."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import networkx as nx

ERASED = "erased item "
"""The beginning of the names that tests give to erased items."""


class Triple(NamedTuple):
    """A triple with the names of its items, as in a row of an input file."""

    src: str
    dst: str
    op: str = ""
    src_table: str = ""
    dst_table: str = ""


class Expected(NamedTuple):
    """The expected contents of an answer, as Python sets."""

    items: set[tuple[str, int]]
    triples: set[tuple[str, str, str]]
    truncated: bool

    def without(self, gone: Collection[str]) -> "Expected":
        """Return the answer without the items in ``gone``. Items behind them stay in the answer."""
        return Expected(
            {item for item in self.items if item[0] not in gone},
            {triple for triple in self.triples if not {*triple[:2]} & {*gone}},
            self.truncated,
        )


def is_erased(item: str) -> bool:
    """Return whether an item is erased, so that no answer shows it."""
    return item.startswith(ERASED)


@dataclass
class Oracle:
    """All triples as a graph."""

    graph: "nx.MultiDiGraph[str]" = field(default_factory=nx.MultiDiGraph)

    @classmethod
    def of(cls, triples: Iterable[Triple]) -> "Oracle":
        """Return an oracle for the given triples. Equal triples count once."""
        oracle = cls()
        for triple in triples:
            oracle.graph.add_edge(triple.src, triple.dst, key=triple.op)
        return oracle

    def ask(self, item: str, direction: str, depth: int | None = None) -> Expected:
        """Return the items, with their fewest hops, and the triples on the paths to these items."""
        graph = self.graph.reverse(copy=False) if direction == "upstream" else self.graph
        hops = nx.single_source_shortest_path_length(graph, item)
        limit = len(graph) if depth is None else depth
        items = {(other, d) for other, d in hops.items() if other != item and d <= limit}
        back = [hops[other] + 1 for other in graph.predecessors(item) if other in hops]
        if back and min(back) <= limit:
            items.add((item, min(back)))
        near = {other for other, d in hops.items() if d < limit}
        triples = {
            (near_end, far_end, op) for near_end, far_end, op in graph.edges(near, keys=True)
        }
        cut = any(d >= limit and graph.out_degree(other) for other, d in hops.items())
        if direction == "upstream":
            triples = {(src, dst, op) for dst, src, op in triples}
        return Expected(items, triples, cut)
