"""Divide the components of a graph into groups of limited weight, in the order of component size.

The arrays have an element for each node, item or edge, and may be memory-mapped files. Apart from
these arrays, the functions need little memory. Components are in the order of ``set_order``, which
begins with the largest. So the sets of the first group, followed by those of the second group and
so on, are in the same order as the sets of the undivided graph.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from provhouse.model.arrays import I32, I64
from provhouse.model.compiled import compiled

from .components import Edges

LISTED = 1 << 20
"""Components with at least this many items are sorted; smaller components are counted by size."""


@dataclass(frozen=True)
class Weights:
    """The weight of an item, the weight of an edge, and the limit for the weight of a group."""

    item: int
    edge: int
    limit: int

    def of(self, items: int, edges: int) -> int:
        """Return the weight of a part of the graph with these numbers of items and edges."""
        return self.item * items + self.edge * edges


class _Weighed(NamedTuple):
    """Components, and the weights of an item and of an edge, for compiled loops."""

    parent: I32
    items: I32
    edges: I64
    item: int
    edge: int
    window: int
    """A component that weighs more is a group of its own."""


@dataclass(frozen=True)
class Groups:
    """The number of edges of each group, and the weight of each group."""

    edges: I64
    weights: I64


@compiled()
def count_items(parent: I32, items: I32, new: int) -> None:
    """Add 1 to ``items`` at the root of each of the first ``new`` nodes."""
    for node in range(new):
        items[parent[node]] += 1


@compiled()
def count_edges(parent: I32, edges: I64, nodes: Edges) -> None:
    """Add 1 to ``edges`` at the root of each node. ``nodes`` has one end of each edge."""
    for node in nodes:
        edges[parent[node]] += 1


def divide(parent: I32, items: I32, edges: I64, weights: Weights) -> Groups:
    """Divide components into groups; at each root, replace ``items`` by the number of its group.

    ``parent`` leads from each node to its root. ``items`` and ``edges`` have the number of items
    and of edges of each component, at its root. A component that weighs more than half of the limit
    is a group of its own, even if it weighs more than the limit. Other groups are below the limit.
    """
    # If no component is longer than a window, those that start in one weigh less than two windows.
    window = max(weights.limit // 2, 1)
    listed = _listed(parent, items, LISTED)
    listed = listed[np.lexsort((listed, -items[listed].astype(np.int64)))]
    weighed = _Weighed(parent, items, edges, weights.item, weights.edge, window)
    spans, own = _spans(weighed, LISTED), _steps(weighed, listed)
    total = int(own.sum() + spans.sum())
    starts = total - np.cumsum(spans)  # as small components come last
    found = np.zeros((2, total // window + 2), np.int64)
    _assign(weighed, starts, listed, np.cumsum(own) - own, found)
    used = found[1] > 0
    _renumber(parent, items, np.cumsum(used) - 1)
    return Groups(found[0][used], found[1][used])


@compiled()
def _listed(parent: I32, items: I32, least: int) -> I64:
    """Return the roots of the components that have at least ``least`` items."""
    count = 0
    for node in range(len(parent)):
        count += parent[node] == node and items[node] >= least
    roots = np.empty(count, np.int64)
    count = 0
    for node in range(len(parent)):
        if parent[node] == node and items[node] >= least:
            roots[count] = node
            count += 1
    return roots


@compiled(inline=True)
def _weight(of: _Weighed, root: int) -> int:
    """Return a component's estimated cost, which is at least 1."""
    return max(int(of.item * np.int64(of.items[root]) + of.edge * of.edges[root]), 1)


@compiled(inline=True)
def _step(weight: int, window: int) -> int:
    """Return the distance from the start of a component of this weight to the next one's start.

    A component that is a group of its own is followed by one empty window.
    """
    return weight + window if weight > window else weight


@compiled()
def _steps(of: _Weighed, roots: I64) -> I64:
    """Return, for each component, the distance from its start to the start of the next one."""
    result = np.empty(len(roots), np.int64)
    for number in range(len(roots)):
        result[number] = _step(_weight(of, roots[number]), of.window)
    return result


@compiled()
def _spans(of: _Weighed, listed: int) -> I64:
    """Return, for each size below ``listed``, the sum of ``_step`` over components of this size."""
    result = np.zeros(listed, np.int64)
    for root in range(len(of.parent)):
        if of.parent[root] == root and of.items[root] < listed:
            result[of.items[root]] += _step(_weight(of, root), of.window)
    return result


@compiled()
def _assign(of: _Weighed, starts: I64, listed: I64, before: I64, found: I64) -> None:
    """Give each component the group of the window in which it starts.

    ``starts`` has, for each size, the start of the next component of this size, and ``before`` has
    the start of each listed component. Adds the edges and the weights of the groups to ``found``.
    """
    for root in range(len(of.parent)):
        size = of.items[root]
        if of.parent[root] == root and size < len(starts):
            begin = starts[size]
            weight = _weight(of, root)
            starts[size] += _step(weight, of.window)
            of.items[root] = _enter(found, begin, weight, of.edges[root], of.window)
    for number in range(len(listed)):
        root = listed[number]
        weight = _weight(of, root)
        of.items[root] = _enter(found, before[number], weight, of.edges[root], of.window)


@compiled(inline=True)
def _enter(found: I64, begin: int, weight: int, edges: int, window: int) -> int:
    """Return the group of a component that begins at ``begin``, and count it in ``found``."""
    group = begin // window + (weight > window)
    found[0, group] += edges
    found[1, group] += weight
    return group


@compiled()
def _renumber(parent: I32, groups: I32, rank: I64) -> None:
    """Replace the group of each root by the group's rank. Other items look at their root."""
    for root in range(len(parent)):
        if parent[root] == root:
            groups[root] = rank[groups[root]]


@compiled()
def settle(nodes: I32, parent: I32, groups: I32, filled: I64, homes: I32) -> None:
    """Write the group of each node to ``homes``, and its position among the nodes of that group.

    ``filled`` has the number of nodes that each group has so far. ``groups`` is a result of
    ``divide``, and ``homes`` has two columns.
    """
    for row in range(len(nodes)):
        group = groups[parent[nodes[row]]]
        homes[row, 0] = group
        homes[row, 1] = filled[group]
        filled[group] += 1


@compiled()
def by_group(homes: I32, starts: I64, out: I32) -> None:
    """Write the row numbers of ``homes`` to ``out``, group after group.

    The rows of group g begin at ``starts[g]``.
    """
    for row in range(len(homes)):
        out[starts[homes[row, 0]] + homes[row, 1]] = row


@compiled()
def edges_by_group(src: Edges, dst: Edges, homes: I32, free: I64, out: I32) -> None:
    """Write edges to ``out``; the edges of group g begin at ``free[g]``.

    The ends of an edge become positions within the group.
    """
    for edge in range(len(src)):
        group = homes[src[edge], 0]
        out[0, free[group]] = homes[src[edge], 1]
        out[1, free[group]] = homes[dst[edge], 1]
        free[group] += 1
