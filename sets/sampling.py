"""Measure how many triples queries would read from sets, by walks from sampled items.

A query reads the triples of every set that it reaches. The triples of a set are the triples that
end in its items (CSProv, section IV). A walk in this module continues from all items of each set
that it reaches, so it counts exactly the triples that a query reads.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from provhouse.model.arrays import I32, I64
from provhouse.model.compiled import compiled

from .components import Edges
from .depths import neighbours
from .forest import Forest, root

SAMPLES = 50
"""The number of samples drawn from all derived items. About as many more are drawn by table."""
SEED = 0
"""The fixed seed, so that the same graph always gets the same samples."""
UNBOUNDED = 1 << 62
"""A limit that is higher than any number of triples."""


class Links(NamedTuple):
    """A graph's links in one direction; the links of node n are ``at[n]`` to ``at[n + 1] - 1``."""

    at: I64
    heads: I32


@dataclass(frozen=True)
class SetGraph:
    """Sets numbered from 0 without gaps, and the dependencies between them as distinct pairs."""

    label: I32
    """The set of each item."""
    child: I32
    parent: I32

    @property
    def size(self) -> int:
        """The number of sets and dependencies."""
        return int(self.label.max(initial=-1)) + 1 + len(self.child)


@dataclass(frozen=True)
class SampleReader:
    """A graph and sampled items.

    They are used to measure the number of triples that queries for these items read.
    """

    samples: I64
    up: Links
    down: Links

    @classmethod
    def of(cls, src: Edges, dst: Edges, table: I32) -> "SampleReader":
        """Draw samples, half of them by table, as people also ask about items of small tables."""
        items = len(table)
        up, down = Links(*neighbours(items, dst, src)), Links(*neighbours(items, src, dst))
        derived = np.flatnonzero(np.diff(up.at))
        random = np.random.default_rng(SEED)
        return cls(_drawn(random, derived, table), up, down)

    def read(self, forest: Forest, most: int = UNBOUNDED) -> int:
        """Return the number of triples that all samples read in both directions.

        Counting stops as soon as the number is above ``most``.
        """
        return int(_read(self.samples, self.up, self.down, self.up.at, forest, most))

    def read_sets(self, graph: SetGraph, most: int = UNBOUNDED) -> int:
        """Return the same number as ``read``, for the sets of ``graph`` instead of a forest.

        The walks go from set to set instead of from item to item, which is faster if closures are
        large.
        """
        sets = int(graph.label.max()) + 1
        own = np.bincount(graph.label, np.diff(self.up.at), sets).astype(np.int64)
        up, down = (
            Links(*neighbours(sets, *ends))
            for ends in ((graph.child, graph.parent), (graph.parent, graph.child))
        )
        triples_at = np.append(0, np.cumsum(own))
        samples = graph.label[self.samples].astype(np.int64)
        return int(_read(samples, up, down, triples_at, Forest.of(sets), most))


def _drawn(random: np.random.Generator, derived: I64, table: I32) -> I64:
    if not len(derived):
        return derived
    counts = np.bincount(table[derived])
    tables = random.permutation(np.flatnonzero(counts))[:SAMPLES]
    by_table = derived[np.argsort(table[derived], kind="stable")]
    ends, each = np.cumsum(counts), max(1, SAMPLES // len(tables))
    parts = [by_table[random.integers(ends[t] - counts[t], ends[t], each)] for t in tables]
    return np.concatenate([random.choice(derived, SAMPLES), *parts])


@compiled(nogil=True)
def _read(samples: I64, up: Links, down: Links, triples_at: I64, forest: Forest, most: int) -> int:
    seen = np.full(len(forest.parent), -1, np.int32)  # the last walk that reached each set
    stack = np.empty(len(forest.parent), np.int32)
    total = 0
    for number in range(2 * len(samples)):
        item = samples[number // 2]
        links = down if number % 2 else up
        left = most - total
        total += _reach(item, links, triples_at, forest, seen, number, stack, left)
        if total > most:
            break
    return total


@compiled(nogil=True)
def _reach(
    item: int,
    links: Links,
    triples_at: I64,
    forest: Forest,
    seen: I32,
    mark: int,
    stack: I32,
    most: int,
) -> int:
    """Return the number of triples in all sets that are reached from an item's set.

    ``seen`` has, for each set, the number of the last walk that reached the set. ``mark`` is the
    number of this walk.
    """
    seen[root(forest.parent, item)] = mark
    top = _push(item, forest.ring, stack, 0)
    total = 0
    while top and total <= most:
        top -= 1
        node = stack[top]
        total += triples_at[node + 1] - triples_at[node]
        for edge in range(links.at[node], links.at[node + 1]):
            set_ = root(forest.parent, links.heads[edge])
            if seen[set_] != mark:
                seen[set_] = mark
                top = _push(set_, forest.ring, stack, top)
    return total


@compiled(nogil=True)
def _push(item: int, ring: I32, stack: I32, top: int) -> int:
    """Push all items of a set onto the stack; return the new top of the stack."""
    stack[top] = item
    top += 1
    node = ring[item]
    while node != item:
        stack[top] = node
        top += 1
        node = ring[node]
    return top
