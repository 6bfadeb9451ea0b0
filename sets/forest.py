"""A union-find forest that can undo joins and list the items of each tree.

Each tree is a growing set. Paths are never shortened, and the smaller tree goes below the larger
one, so that a join is undone by removing one link. The items of a tree form a ring. If two items of
different rings exchange their next items, the two rings become one; if they are in one ring, this
ring becomes two.
"""

from typing import NamedTuple

import numpy as np

from provhouse.model.arrays import I32
from provhouse.model.compiled import compiled

from .components import Edges


class Forest(NamedTuple):
    """Trees over items; at first each item is a tree.

    A named tuple, because compiled loops read it.
    """

    parent: I32
    size: I32
    """The number of items in each tree, valid only at the root of the tree."""
    ring: I32
    """For each item, the next item of the same tree."""
    log: I32
    """A buffer of joins that may be undone: the roots that went below another root, in order."""

    @classmethod
    def of(cls, items: int) -> "Forest":
        """Return a forest with a separate tree for each item."""
        places = np.arange(items, dtype=np.int32)
        return cls(places.copy(), np.ones(items, np.int32), places, np.empty(items, np.int32))

    @classmethod
    def holding(cls, label: I32) -> "Forest":
        """Return a forest with one tree for each label. Labels are numbers from 0 without gaps."""
        order = np.argsort(label, kind="stable").astype(np.int32)
        begins = np.flatnonzero(np.diff(label[order], prepend=-1))
        ring = np.empty_like(order)
        ring[order[:-1]] = order[1:]
        ring[order[np.append(begins[1:], len(order)) - 1]] = order[begins]
        sizes = np.bincount(label).astype(np.int32)
        return cls(order[begins][label], sizes[label], ring, np.empty(0, np.int32))

    def join(self, src: Edges, dst: Edges, joins: int, theta: int) -> int:
        """Join the trees of the two ends of each edge; return the new number of joins in the log.

        The log already contains ``joins`` joins. If a tree reaches ``theta`` items, all joins in
        the log are undone and -1 is returned.
        """
        return int(_join(self, src, dst, joins, theta))

    def take_back(self, joins: int) -> None:
        """Undo the first ``joins`` joins in the log, beginning with the last of them."""
        _undo(self, joins)

    def join_some(self, src: Edges, dst: Edges, largest: int) -> int:
        """Join the trees of the two ends of each edge; return the number of joins.

        Skips each join that would make a tree of more than ``largest`` items.
        """
        return int(_join_some(self, src, dst, largest))

    def roots(self) -> I32:
        """Return the root of each item."""
        return _roots(self.parent)


@compiled(nogil=True)
def root(parent: I32, item: int) -> int:
    """Return the root of an item, without changing any path."""
    while parent[item] != item:
        item = parent[item]
    return item


@compiled(nogil=True)
def _join(forest: Forest, src: Edges, dst: Edges, joins: int, theta: int) -> int:
    """Join the ends of edges, and log each join; undo all joins once a set has ``theta`` items."""
    parent = forest.parent
    for edge in range(len(src)):
        below = _link(forest, root(parent, src[edge]), root(parent, dst[edge]))
        if below < 0:
            continue
        forest.log[joins] = below
        joins += 1
        if forest.size[parent[below]] >= theta:
            _undo(forest, joins)
            return -1
    return joins


@compiled(nogil=True)
def _join_some(forest: Forest, src: Edges, dst: Edges, largest: int) -> int:
    """Join the ends of those edges whose joint set has at most ``largest`` items."""
    joins = 0
    for edge in range(len(src)):
        one, other = root(forest.parent, src[edge]), root(forest.parent, dst[edge])
        if forest.size[one] + forest.size[other] <= largest:
            joins += _link(forest, one, other) >= 0
    return joins


@compiled(nogil=True)
def _link(forest: Forest, one: int, other: int) -> int:
    """Join two trees; return the root that is now below the other, or -1 if both are one tree."""
    size, ring = forest.size, forest.ring
    if one == other:
        return -1
    if size[one] < size[other]:
        one, other = other, one
    forest.parent[other] = one
    size[one] += size[other]
    ring[one], ring[other] = ring[other], ring[one]
    return other


@compiled(nogil=True)
def _undo(forest: Forest, joins: int) -> None:
    """Undo the logged joins, the last one first: only then is each child's root unchanged."""
    parent, ring = forest.parent, forest.ring
    for undone in range(joins - 1, -1, -1):
        child = forest.log[undone]
        above = parent[child]
        ring[above], ring[child] = ring[child], ring[above]
        forest.size[above] -= forest.size[child]
        parent[child] = child


@compiled(nogil=True)
def _roots(parent: I32) -> I32:
    """Return the root of each item."""
    result = np.empty_like(parent)
    for item in range(len(parent)):
        result[item] = root(parent, item)
    return result
