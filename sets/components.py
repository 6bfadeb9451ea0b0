"""Weakly connected components by union-find over a stream of edges (CSProv, section III-B).

The paper does not specify an algorithm. Its authors ran Spark joins in rounds, which took minutes.
One pass of union-find over numbered items takes seconds and four bytes per item. If these bytes do
not fit in memory, use the functions of ``component_groups``, which work on memory-mapped arrays.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32
from provhouse.model.compiled import compiled

Edges = npt.NDArray[np.signedinteger]


def weak_components(items: int, edges: Iterable[tuple[Edges, Edges]]) -> I32:
    """Return the component of each item. The lowest position of a component's items names it.

    ``edges`` are chunks of edges. A chunk is two arrays of item positions: src and dst.
    """
    parent = np.arange(items, dtype=np.int32)
    for src, dst in edges:
        join(parent, src, dst)
    flatten(parent)
    return parent


def dense(labels: I32) -> tuple[I32, int]:
    """Renumber labels as 0, 1, 2, …; return the new labels and their number.

    Each old label must be the position of an item that has this label.
    """
    roots = labels == np.arange(len(labels), dtype=labels.dtype)
    rank = np.cumsum(roots, dtype=np.int32) - np.int32(1)
    return rank[labels], int(roots.sum())


@compiled(nogil=True)
def find(parent: I32, item: int) -> int:
    """Return the root of an item. The path to it is shortened, so that later calls are faster."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@compiled(nogil=True)
def join(parent: I32, src: Edges, dst: Edges) -> None:
    """Join the trees of the two ends of each edge. The smallest item of a tree is its root."""
    for edge in range(len(src)):
        one, other = find(parent, src[edge]), find(parent, dst[edge])
        if one < other:
            parent[other] = one
        elif other < one:
            parent[one] = other


@compiled(nogil=True)
def flatten(parent: I32) -> None:
    """Make every item point to its root."""
    for item in range(len(parent)):  # its parent is smaller, and so already final
        parent[item] = parent[parent[item]]


@compiled(nogil=True)
def join_within(parent: I32, src: Edges, dst: Edges, label: I32, side: I32) -> None:
    """Join the two trees at each edge whose ends have the same ``label`` and the same ``side``."""
    for edge in range(len(src)):
        s, d = src[edge], dst[edge]
        if label[s] == label[d] and side[s] == side[d]:
            one, other = find(parent, s), find(parent, d)
            if one < other:
                parent[other] = one
            elif other < one:
                parent[one] = other
