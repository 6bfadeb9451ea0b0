"""The deletion of the Lipstick paper (definition 4.2) on the graphs of other packages.

A derivation is a node between its inputs and its item. A joint derivation loses its node with its
first input, all others with the last one, and an item with its last derivation. The paper keeps
such a graph in memory and counts lost edges; it is right on graphs without cycles.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Protocol, TypedDict

from provhouse.query.deletion.derivations import ALL, Derivations


class PeerRun(TypedDict):
    """One deletion by the paper's method on objects of a graph package, and by provhouse."""

    peer: str
    triples: int
    dies: int
    theirs_ms: float
    ours_ms: float


class Lost:
    """The number of lost inputs of each derivation, and of lost derivations of each item."""

    def __init__(self, ways: int, places: int) -> None:
        self.inputs = [0] * ways
        self.ways = [0] * places


class Deleting(Protocol):
    """A graph in memory from which items can be deleted."""

    def deleted(self, items: Sequence[int], lost: Lost) -> set[int]: ...
    def impact_and_deleted(self, items: Sequence[int]) -> int: ...


class _Counting:
    """The paper's method, on a function that returns the nodes after a node.

    The nodes from ``places`` on are derivations.
    """

    def __init__(self, graph: Derivations, after: Callable[[int], Iterable[int]]) -> None:
        self._after = after
        self._places = graph.places
        self._joint: list[bool] = (graph.kind == ALL).tolist()
        self._size: list[int] = graph.size.tolist()
        self._ways: list[int] = (graph.first[1:] - graph.first[:-1]).tolist()

    def deleted(self, items: Sequence[int], lost: Lost) -> set[int]:
        """Return the items that die with the given ones."""
        gone, waiting, places = {*items}, [*items], self._places
        while waiting:
            for node in self._after(waiting.pop()):
                way = node - places
                lost.inputs[way] += 1
                if lost.inputs[way] != (1 if self._joint[way] else self._size[way]):
                    continue
                for item in self._after(node):
                    lost.ways[item] += 1
                    if lost.ways[item] == self._ways[item] and item not in gone:
                        gone.add(item)
                        waiting.append(item)
        return gone - {*items}

    def impact_and_deleted(self, items: Sequence[int]) -> int:
        """Return the number of items that survive: those reached, without those that die."""
        reached, waiting = {*items}, [*items]
        while waiting:
            for node in self._after(waiting.pop()):
                for item in self._after(node):
                    if item not in reached:
                        reached.add(item)
                        waiting.append(item)
        died = self.deleted(items, Lost(len(self._size), self._places))
        return len(reached) - len(items) - len(died)


def _edges(graph: Derivations) -> Iterable[tuple[int, int]]:
    places = graph.places
    yield from zip(graph.src.tolist(), (graph.of + places).tolist(), strict=True)
    yield from zip(range(places, places + len(graph.dst)), graph.dst.tolist(), strict=True)


def networkx(graph: Derivations) -> Deleting:
    """Return the graph in networkx."""
    import networkx as nx

    made: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    made.add_nodes_from(range(graph.places + len(graph.dst)))
    made.add_edges_from(_edges(graph))
    following = made.adj

    def after(node: int) -> Iterable[int]:
        return (other for other, edges in following[node].items() for _ in edges)

    return _Counting(graph, after)


def igraph(graph: Derivations) -> Deleting:
    """Return the graph in igraph."""
    ig = import_module("igraph")  # not installed unless it is measured
    made = ig.Graph(n=graph.places + len(graph.dst), edges=list(_edges(graph)), directed=True)
    return _Counting(graph, made.successors)


PEERS: dict[str, Callable[[Derivations], Deleting]] = {"networkx": networkx, "igraph": igraph}
