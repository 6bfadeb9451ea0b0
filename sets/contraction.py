"""Sets that nobody has to plan: tables are joined while queries hardly read more.

In CSProv (section IV) a person divides the tables of a large component into splits. Here each
component finds its own. At first every item is a set, so that a query reads what it needs and not
more, but there are as many sets and dependencies as items and triples. Then the derivations between
tables are taken up one by one. Taking one up joins items along all its triples, which makes the set
graph smaller and lets queries read more; how much more is not guessed but measured, with sampled
questions (``sampling``). What costs least for what it saves comes first, until the set graph is
small enough. No set reaches theta.

A price is only measured anew when it is the lowest: while sets grow prices rarely fall, so what is
still cheapest then is taken up.
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
"""Two groups of tables, the smaller number first, or twice the same."""
Packed = Callable[[I32, bool], I32 | None]
"""Gives the label of each item once sets (the root of each item) are packed, None if there are too
many; with True, also when that takes long to find out."""
WORK = 100
"""As many times its triples a component is read for prices, or"""
MIN_WORK = 20_000_000
"""so many triples if that is more; what is left then goes by weight."""
UNMEASURED = 1e18
"""A price above all that are measured."""
PRICE_CUTOFF = 4
"""A price this many times the lowest is not measured to its end."""
RECHECK_AT = 0.8
"""Whether it is enough is asked again when the set graph may have shrunk to this part."""


@dataclass(frozen=True, order=True)
class _Price:
    """What one set or dependency less costs in triples read by samples, and when that was so."""

    each: float
    taken: int


STALE = -1
UNKNOWN = _Price(0.0, STALE)


class Contraction:
    """One component while its sets grow; ``table`` holds numbers from 0 without gaps.

    Items with the same number in ``cycle`` are derived from each other and belong together.
    """

    def __init__(self, src: Edges, dst: Edges, table: I32, theta: int, cycle: I32) -> None:
        self._edges, self._theta = len(src), theta
        self._forest = Forest.of(len(table))
        together = cycle[src] == cycle[dst]
        self._forest.join_some(src[together], dst[together], theta - 1)
        self._between: dict[Pair, list[tuple[Edges, Edges]]] = defaultdict(list)
        self._derived: dict[int, set[int]] = defaultdict(set)
        """The groups that are derived from each, other than itself."""
        for one, other, edges in _by_tables(src, dst, table):
            self._between[_pair(one, other)].append(edges)
            if one != other:
                self._derived[one].add(other)
        self._size = self._looked = len(table) + len(src)
        self._left = 0
        """Triples that may still be read for prices."""
        self.read = 0
        self.plan: list[Pair] = []
        """The pairs that were taken up, in order."""

    def roots(self) -> I32:
        """The set of each item, as one of its items."""
        return self._forest.roots()

    def follow(self, plan: list[Pair]) -> bool:
        """Take up what was taken up in a component of the same tables; whether theta allows it."""
        for pair in plan:
            joins = self._join(pair)
            if joins < 0:
                return False
            self._keep(pair, joins)
        return True

    def find(self, packed: Packed, reader: Reader, most: int) -> bool:
        """Take up what costs least, again and again; whether sets are few before ``most`` is read.

        ``read`` says what samples read then, of packed sets.
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
                continue  # theta forbids it, or third groups do until one of them is taken in
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
        """The price of what is joined now, and not kept yet."""
        if self._left <= 0:
            return _Price(UNMEASURED / saved, len(self.plan))
        most = int(min(self.read + PRICE_CUTOFF * lowest * saved, UNBOUNDED))
        now = reader.read(self._forest, most)
        self._left -= now
        return _Price((now - self.read + 1) / saved, len(self.plan) if now <= most else STALE)

    def _join(self, pair: Pair) -> int:
        """Join along the derivations between two groups; how many joins, or -1: none."""
        joins = 0
        for src, dst in self._between[pair]:
            joins = self._forest.join(src, dst, joins, self._theta)
            if joins < 0:
                return joins
        return joins

    def _keep(self, pair: Pair, joins: int) -> None:
        """What was joined stays, and the second group becomes part of the first."""
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
        """Whether one of two groups is derived from the other over third ones.

        As one group they would be derived from each other and the third, and so would their sets.
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
    """The edges between any two tables."""
    count = int(table.max(initial=-1)) + 1
    code = table[src].astype(np.int64) * count + table[dst]
    order = np.argsort(code, kind="stable")
    pairs, start = np.unique(code[order], return_index=True)
    for pair, rows in zip(pairs.tolist(), np.split(order, start[1:]), strict=True):
        yield pair // count, pair % count, (src[rows], dst[rows])
