"""Cut a component without given splits: join tables while queries read hardly more.

In CSProv (section IV) a person divides the tables of a large component into splits. Here the sets
are found instead. At first every item is a set of its own. A query then reads no more than it
needs, but there are as many sets as items and as many dependencies as triples. Step by step, the
items on both ends of all triples between two tables are joined. This makes the set graph smaller
and makes queries read more; sampled queries measure how much more (``sampling``). The pair of
tables with the lowest cost per saved set or dependency is joined first, and so on until the set
graph is small enough. No set reaches theta.

A cost is measured again only when it is the lowest. Costs rarely fall while sets grow, so a pair
that is still the cheapest after measuring again is joined.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32

from .components import Edges
from .forest import Forest
from .sampling import UNBOUNDED, Reader

Pair = tuple[int, int]
"""Two groups of tables, the smaller number first, or one group twice."""
Packed = Callable[[I32, bool], I32 | None]
"""Packs sets, given as the root of each item, and returns the number of each item's packed set.

Returns None if there are still too many sets or dependencies. If the second argument is True, packs
even a set graph that takes long to pack.
"""
WORK = 100
"""To measure costs, up to this many times a component's triples are read.

If that is less than ``MIN_WORK``, up to ``MIN_WORK`` triples are read.
"""
MIN_WORK = 20_000_000
"""To measure costs, this many triples may always be read.

Pairs without a measured cost are ordered by the number of sets and dependencies that they save.
"""
UNMEASURED = 1e18
"""A cost above all measured costs."""
PRICE_CUTOFF = 4
"""Measuring a cost stops at this many times the lowest known cost."""
RECHECK_AT = 0.8
"""Packing is tried again once the set graph may have shrunk to this part of its former size."""


@dataclass(frozen=True, order=True)
class _Price:
    """The cost of joining a pair: triples that the samples read, per saved set or dependency."""

    each: float
    taken: int
    """The number of joined pairs when the cost was measured."""


STALE = -1
UNKNOWN = _Price(0.0, STALE)


class Contraction:
    """The growing sets of one component.

    ``table`` holds numbers from 0 without gaps. Items with the same number in ``cycle`` derive from
    each other and are joined from the start.
    """

    def __init__(self, src: Edges, dst: Edges, table: I32, theta: int, cycle: I32) -> None:
        self._edges, self._theta = len(src), theta
        self._forest = Forest.of(len(table))
        together = cycle[src] == cycle[dst]
        self._forest.join_some(src[together], dst[together], theta - 1)
        self._between: dict[Pair, list[tuple[Edges, Edges]]] = defaultdict(list)
        self._derived: dict[int, set[int]] = defaultdict(set)
        """For each group, the other groups that derive from it."""
        for one, other, edges in _by_tables(src, dst, table):
            self._between[_pair(one, other)].append(edges)
            if one != other:
                self._derived[one].add(other)
        self._size = self._looked = len(table) + len(src)
        self._left = 0
        """The number of triples that may still be read to measure costs."""
        self.read = 0
        self.plan: list[Pair] = []
        """The joined pairs, in order."""

    def roots(self) -> I32:
        """Return the set of each item, as one of its items."""
        return self._forest.roots()

    def follow(self, plan: list[Pair]) -> bool:
        """Join the pairs of another component's plan; return whether all sets stay below theta."""
        for pair in plan:
            joins = self._join(pair)
            if joins < 0:
                return False
            self._keep(pair, joins)
        return True

    def find(self, packed: Packed, reader: Reader, most: int) -> bool:
        """Join the cheapest pairs until the packed sets are few enough; return whether they are.

        Returns False once the samples read more than ``most`` triples. Afterwards ``read`` is the
        number of triples that the samples read from the packed sets.
        """
        self.read = reader.read(self._forest)
        self._left = max(WORK * self._edges, MIN_WORK)
        prices = dict.fromkeys(self._between, UNKNOWN)
        label = None
        while label is None and prices and self.read <= most:
            pair = min(prices, key=prices.__getitem__)
            last = prices.pop(pair)
            joins = -1 if self._parted(*pair) else self._join(pair)
            if joins < 0:
                continue  # for now, theta or other groups forbid the join
            if last.taken < len(self.plan):
                known = min((p.each for p in prices.values() if p != UNKNOWN), default=math.inf)
                prices[pair] = self._price(reader, joins + self._triples(pair), known)
                self._forest.take_back(joins)
                continue
            self._keep(pair, joins)
            if self._left > 0:
                self.read = reader.read(self._forest)
            if self._shrunk():
                label = packed(self.roots(), False)
            prices = {p: price for p, price in prices.items() if p in self._between}
            prices.update((near, UNKNOWN) for near in self._between if pair[0] in near)
        if label is None and self.read <= most:
            label = packed(self.roots(), True)
        if label is not None:
            self.read = reader.read(Forest.holding(label), most)
        return label is not None and self.read <= most

    def _price(self, reader: Reader, saved: int, lowest: float) -> _Price:
        """Return the cost of the joins just made, which save ``saved`` sets and dependencies."""
        if self._left <= 0:
            return _Price(UNMEASURED / saved, len(self.plan))
        most = int(min(self.read + PRICE_CUTOFF * lowest * saved, UNBOUNDED))
        now = reader.read(self._forest, most)
        self._left -= now
        return _Price((now - self.read + 1) / saved, len(self.plan) if now <= most else STALE)

    def _join(self, pair: Pair) -> int:
        """Join items along the triples between two groups; return the number of joins.

        Returns -1, with nothing joined, if a set would reach theta.
        """
        joins = 0
        for src, dst in self._between[pair]:
            joins = self._forest.join(src, dst, joins, self._theta)
            if joins < 0:
                return joins
        return joins

    def _keep(self, pair: Pair, joins: int) -> None:
        """Keep the joins and merge the second group into the first."""
        self._size -= joins + self._triples(pair)
        self.plan.append(pair)
        del self._between[pair]
        one, other = pair
        for far in [p for p in self._between if other in p and one != other]:
            a, b = (one if end == other else end for end in far)
            self._between[_pair(a, b)].extend(self._between.pop(far))
        for derived in self._derived.values():
            if other in derived:
                derived.remove(other)
                derived.add(one)
        self._derived[one] |= self._derived.pop(other, set()) if one != other else set()
        self._derived[one].discard(one)

    def _parted(self, one: int, other: int) -> bool:
        """Return whether one group derives from the other through third groups.

        If the two groups were joined, they and the third groups would derive from each other. Their
        sets would form cycles.
        """
        return self._leads(one, other) or self._leads(other, one)

    def _leads(self, one: int, other: int) -> bool:
        seen = self._derived[one] - {one, other}
        stack = [*seen]
        while stack:
            for group in self._derived[stack.pop()]:
                if group == other:
                    return True
                if group not in seen:
                    seen.add(group)
                    stack.append(group)
        return False

    def _triples(self, pair: Pair) -> int:
        return sum(len(src) for src, _ in self._between[pair])

    def _shrunk(self) -> bool:
        if self._size > RECHECK_AT * self._looked:
            return False
        self._looked = self._size
        return True


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one <= other else (other, one)


def _by_tables(
    src: Edges, dst: Edges, table: I32
) -> Iterator[tuple[int, int, tuple[Edges, Edges]]]:
    """Yield each pair of tables, as src and dst, with the edges between the two tables."""
    count = int(table.max(initial=-1)) + 1
    code = table[src].astype(np.int64) * count + table[dst]
    order = np.argsort(code, kind="stable")
    pairs, start = np.unique(code[order], return_index=True)
    for pair, rows in zip(pairs.tolist(), np.split(order, start[1:]), strict=True):
        yield pair // count, pair % count, (src[rows], dst[rows])
