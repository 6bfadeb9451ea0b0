"""A union-find forest that can undo joins and list the items of each tree.

Each tree is a growing set. Paths are never shortened, and the smaller tree goes below the larger
one, so that a join is undone by removing one link. The items of a tree form a ring. If two items of
different rings exchange their next items, the two rings become one; if they are in one ring, this
ring becomes two.
"""

from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32
from provhouse.model.compiled import compiled

from .components import Edges


@dataclass(frozen=True)
class Forest:
    """Trees over items; at first each item is a tree."""

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
        return int(_join(self.parent, self.size, self.ring, self.log, src, dst, joins, theta))

    def take_back(self, joins: int) -> None:
        """Undo the joins in the log, the last one first. ``joins`` is their number."""
        _undo(self.parent, self.size, self.ring, self.log, joins)

    def join_some(self, src: Edges, dst: Edges, largest: int) -> int:
        """Join the trees of the two ends of each edge; return the number of joins.

        Skips each join that would make a tree of more than ``largest`` items.
        """
        return int(_join_some(self.parent, self.size, self.ring, src, dst, largest))

    def roots(self) -> I32:
        """Return the root of each item."""
        return _roots(self.parent)


@compiled()
def root(parent: I32, item: int) -> int:
    """Return the root of an item, without changing any path."""
    while parent[item] != item:
        item = parent[item]
    return item


@compiled()
def _join(
    parent: I32, size: I32, ring: I32, log: I32, src: Edges, dst: Edges, joins: int, theta: int
) -> int:
    for edge in range(len(src)):
        below = _link(parent, size, ring, root(parent, src[edge]), root(parent, dst[edge]))
        if below < 0:
            continue
        log[joins] = below
        joins += 1
        if size[parent[below]] >= theta:
            _undo(parent, size, ring, log, joins)
            return -1
    return joins


@compiled()
def _join_some(parent: I32, size: I32, ring: I32, src: Edges, dst: Edges, largest: int) -> int:
    joins = 0
    for edge in range(len(src)):
        one, other = root(parent, src[edge]), root(parent, dst[edge])
        if size[one] + size[other] <= largest:
            joins += _link(parent, size, ring, one, other) >= 0
    return joins


@compiled()
def _link(parent: I32, size: I32, ring: I32, one: int, other: int) -> int:
    """Join two trees; return the root that is now below the other, or -1 if both are one tree."""
    if one == other:
        return -1
    if size[one] < size[other]:
        one, other = other, one
    parent[other] = one
    size[one] += size[other]
    ring[one], ring[other] = ring[other], ring[one]
    return other


@compiled()
def _undo(parent: I32, size: I32, ring: I32, log: I32, joins: int) -> None:
    for undone in range(joins - 1, -1, -1):
        child = log[undone]
        above = parent[child]
        ring[above], ring[child] = ring[child], ring[above]
        size[above] -= size[child]
        parent[child] = child


@compiled()
def _roots(parent: I32) -> I32:
    result = np.empty_like(parent)
    for item in range(len(parent)):
        result[item] = root(parent, item)
    return result
