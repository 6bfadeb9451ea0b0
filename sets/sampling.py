"""The number of triples that queries would read from sets, measured by walks from sampled items.

A query reads the triples of every set that it reaches. The triples of a set are the triples that
end in its items (CSProv, section IV). A walk in this module continues from all items of each set
that it reaches, so it counts exactly the triples that a query reads.
"""

from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32, I64
from provhouse.model.compiled import compiled

from .components import Edges
from .depths import neighbours
from .forest import Forest, root

SAMPLES = 50
"""The number of samples drawn from all derived items. About as many more are drawn by table."""
SEED = 0
"""The fixed seed, with which the same graph always gets the same samples."""
UNBOUNDED = 1 << 62
"""A limit that no number of triples reaches."""


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
    up: tuple[I64, I32]
    down: tuple[I64, I32]

    @classmethod
    def of(cls, src: Edges, dst: Edges, table: I32) -> "SampleReader":
        """Draw the samples, half of them by table, as people also ask for items of small tables."""
        items = len(table)
        up = neighbours(items, dst, src)
        derived = np.flatnonzero(np.diff(up[0]))
        random = np.random.default_rng(SEED)
        return cls(_drawn(random, derived, table), up, neighbours(items, src, dst))

    def read(self, forest: Forest, most: int = UNBOUNDED) -> int:
        """Return the number of triples that all samples read in both directions.

        Counting stops as soon as the number is above ``most``.
        """
        edges = *self.up, *self.down, self.up[0]
        return int(_read(self.samples, *edges, forest.parent, forest.ring, most))

    def read_sets(self, graph: SetGraph, most: int = UNBOUNDED) -> int:
        """Return the same number as ``read``, for the given sets instead of the samples.

        This is faster if closures are large.
        """
        sets = int(graph.label.max()) + 1
        own = np.bincount(graph.label, np.diff(self.up[0]), sets).astype(np.int64)
        up, down = (
            neighbours(sets, *ends)
            for ends in ((graph.child, graph.parent), (graph.parent, graph.child))
        )
        alone = np.arange(sets, dtype=np.int32)
        triples_at = np.append(0, np.cumsum(own))
        samples = graph.label[self.samples].astype(np.int64)
        return int(_read(samples, *up, *down, triples_at, alone, alone, most))


def _drawn(random: np.random.Generator, derived: I64, table: I32) -> I64:
    if not len(derived):
        return derived
    counts = np.bincount(table[derived])
    tables = random.permutation(np.flatnonzero(counts))[:SAMPLES]
    by_table = derived[np.argsort(table[derived], kind="stable")]
    ends, each = np.cumsum(counts), max(1, SAMPLES // len(tables))
    parts = [by_table[random.integers(ends[t] - counts[t], ends[t], each)] for t in tables]
    return np.concatenate([random.choice(derived, SAMPLES), *parts])


@compiled()
def _read(
    samples: I64,
    up_at: I64,
    up_heads: I32,
    down_at: I64,
    down_heads: I32,
    triples_at: I64,
    parent: I32,
    ring: I32,
    most: int,
) -> int:
    seen = np.full(len(parent), -1, np.int32)  # the last walk that reached each set
    stack = np.empty(len(parent), np.int32)
    total = 0
    for number in range(2 * len(samples)):
        item = samples[number // 2]
        at, heads = (down_at, down_heads) if number % 2 else (up_at, up_heads)
        left = most - total
        total += _reach(item, at, heads, triples_at, parent, ring, seen, number, stack, left)
        if total > most:
            break
    return total


@compiled()
def _reach(
    item: int,
    at: I64,
    heads: I32,
    triples_at: I64,
    parent: I32,
    ring: I32,
    seen: I32,
    mark: int,
    stack: I32,
    most: int,
) -> int:
    """Return the number of triples in all sets that are reached from the set of an item."""
    seen[root(parent, item)] = mark
    top = _push(item, ring, stack, 0)
    total = 0
    while top and total <= most:
        top -= 1
        node = stack[top]
        total += triples_at[node + 1] - triples_at[node]
        for edge in range(at[node], at[node + 1]):
            set_ = root(parent, heads[edge])
            if seen[set_] != mark:
                seen[set_] = mark
                top = _push(set_, ring, stack, top)
    return total


@compiled()
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
