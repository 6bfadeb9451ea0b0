"""Weakly connected components by union-find over a stream of edges (CSProv, section III-B).

The paper leaves the algorithm open and ran Spark join rounds for minutes; one pass of union-find
over numbered items takes seconds and four bytes an item. The form for more items than one worker's
memory would take its place behind ``weak_components``.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from numba import njit

from provhouse.model.arrays import I32

Edges = npt.NDArray[np.signedinteger]


def weak_components(items: int, edges: Iterable[tuple[Edges, Edges]]) -> I32:
    """The component of each item: the smallest place in it. ``edges`` are pairs of places."""
    parent = np.arange(items, dtype=np.int32)
    for src, dst in edges:
        join(parent, src, dst)
    flatten(parent)
    return parent


def dense(labels: I32) -> tuple[I32, int]:
    """Labels that are places, a root being its own label, as 0, 1, 2, … and how many there are."""
    roots = labels == np.arange(len(labels), dtype=labels.dtype)
    rank = np.cumsum(roots, dtype=np.int32) - np.int32(1)
    return rank[labels], int(roots.sum())


@njit(cache=True)
def find(parent: I32, item: int) -> int:
    """The root of an item; halves the path on its way."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@njit(cache=True)
def join(parent: I32, src: Edges, dst: Edges) -> None:
    """Take edges into a forest whose roots are the smallest of their trees."""
    for edge in range(len(src)):
        one, other = find(parent, src[edge]), find(parent, dst[edge])
        if one < other:
            parent[other] = one
        elif other < one:
            parent[one] = other


@njit(cache=True)
def flatten(parent: I32) -> None:
    """Let every item point to its root."""
    for item in range(len(parent)):  # a parent is never larger, so it is flat already
        parent[item] = parent[parent[item]]


@njit(cache=True)
def join_within(parent: I32, src: Edges, dst: Edges, label: I32, side: I32) -> None:
    """Take in the edges whose ends agree in label and side."""
    for edge in range(len(src)):
        s, d = src[edge], dst[edge]
        if label[s] == label[d] and side[s] == side[d]:
            one, other = find(parent, s), find(parent, d)
            if one < other:
                parent[other] = one
            elif other < one:
                parent[one] = other
