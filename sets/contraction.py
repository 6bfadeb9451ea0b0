"""Find the sets of a component for which no splits are given, by joining tables.

In CSProv (section IV), a person divides the tables of a large component into splits. This module
finds the sets without splits: it joins tables, beginning with the tables whose joining increases
the cost of queries the least. At first every item is a set of its own. A query then reads no more
than it needs, but there are as many sets as items and as many dependencies as triples. Step by
step, two tables are joined: for each triple between them, the sets of its two ends become one. Each
join makes the set graph smaller and makes queries read more; sampled queries measure how much more
(``sampling``). The pair of tables with the lowest cost per saved set or dependency is joined first,
and so on until the set graph is small enough. Every set stays smaller than theta.

A pair's cost is measured again only when it is the lowest known cost. Costs rarely fall while sets
grow, so a pair that is still the cheapest after the new measurement is joined.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from provhouse.model.arrays import I32

from .components import Edges
from .forest import Forest
from .prices import STALE, Pair, Prices
from .sampling import UNBOUNDED, SampleReader, SetGraph

Packed = Callable[[I32, bool], SetGraph | None]
"""A function that packs sets and returns the packed sets.

The first argument has the root of each item. If the second argument is True, even a set graph that
takes long to pack is packed. The function returns None if too many sets and dependencies remain.
"""
WORK = 20
"""The number of triples that are read to measure costs, per triple of the component.

At least ``MIN_WORK`` triples may always be read. Beyond this limit, the costs of pairs are not
measured. Such pairs are joined after the other pairs, beginning with the pairs that save the most
sets and dependencies.
"""
MIN_WORK = 20_000_000
"""The number of triples that may always be read to measure costs, however small a component is."""
UNMEASURED = 1e18
"""The cost of an unmeasured pair, before it is divided by what the pair saves."""
PRICE_CUTOFF = 4
"""The measurement of a cost stops at this multiple of the lowest known cost."""
RECHECK_AT = 0.8
"""Packing is tried again when the set graph may have shrunk to this fraction of its last size."""


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
        self._derived: dict[int, int] = defaultdict(int)
        """For each group, the groups that derive directly from it, as the bits of an integer."""
        self._reach: dict[int, int] = {}
        """A cache of the results of ``_reached``, emptied when two groups are joined."""
        for one, other, edges in _by_tables(src, dst, table):
            self._between[_pair(one, other)].append(edges)
            if one != other:
                self._derived[one] |= 1 << other
        self._size = self._looked = len(table) + len(src)
        self._left = 0
        """The number of triples that may still be read in order to measure costs."""
        self.read = 0
        self.plan: list[Pair] = []
        """The joined pairs, in order."""

    def roots(self) -> I32:
        """Return the set of each item. A set is named by one of its items."""
        return self._forest.roots()

    def follow(self, plan: list[Pair]) -> bool:
        """Join the pairs of another component's plan; return whether all sets stay below theta."""
        for pair in plan:
            joins = self._join(pair)
            if joins < 0:
                return False
            self._keep(pair, joins)
        return True

    def find(self, packed: Packed, reader: SampleReader, most: int) -> bool:
        """Join the cheapest pairs until the packed sets are few enough; return whether they are.

        Returns False as soon as the samples read more than ``most`` triples. Afterwards ``read`` is
        the number of triples that the samples read from the packed sets.
        """
        self.read = reader.read(self._forest)
        self._left = max(WORK * self._edges, MIN_WORK)
        prices = Prices(self._between)
        graph = None
        while graph is None and prices and self.read <= most:
            pair, taken = prices.pop()
            joins = -1 if self._parted(*pair) else self._join(pair)
            if joins < 0:
                continue  # theta or other groups forbid the join for now
            if taken < len(self.plan):
                saved = joins + self._triples(pair)
                prices.put(pair, *self._price(reader, saved, prices.lowest()))
                self._forest.take_back(joins)
                continue
            self._keep(pair, joins)
            if self._left > 0:
                self.read = reader.read(self._forest)
            if self._shrunk():
                graph = packed(self.roots(), False)
            prices.forget(near for near in self._between if pair[0] in near)
            prices.keep(self._between)
        if graph is None and self.read <= most:
            graph = packed(self.roots(), True)
        if graph is not None:
            self.read = reader.read_sets(graph, most)
        return graph is not None and self.read <= most

    def _price(self, reader: SampleReader, saved: int, lowest: float) -> tuple[float, int]:
        """Return the cost of the joins just made, and the number of pairs joined before them.

        The joins save ``saved`` sets and dependencies. The cost is the number of triples that the
        samples read in addition, divided by ``saved``. If the cost was not fully measured, returns
        ``STALE`` instead of the number of pairs.
        """
        if self._left <= 0:
            return UNMEASURED / saved, len(self.plan)
        most = int(min(self.read + PRICE_CUTOFF * lowest * saved, UNBOUNDED))
        now = reader.read(self._forest, most)
        self._left -= now
        return (now - self.read + 1) / saved, len(self.plan) if now <= most else STALE

    def _join(self, pair: Pair) -> int:
        """Join the sets of the ends of all triples between two groups; return the number of joins.

        Returns -1, with nothing joined, if a set would reach theta.
        """
        joins = 0
        for src, dst in self._between[pair]:
            joins = self._forest.join(src, dst, joins, self._theta)
            if joins < 0:
                return joins
        return joins

    def _keep(self, pair: Pair, joins: int) -> None:
        """Keep the joins of a pair of groups, and merge its second group into its first."""
        self._size -= joins + self._triples(pair)
        self.plan.append(pair)
        del self._between[pair]
        self._reach.clear()
        one, other = pair
        for far in [p for p in self._between if other in p and one != other]:
            a, b = (one if end == other else end for end in far)
            self._between[_pair(a, b)].extend(self._between.pop(far))
        for group, derived in self._derived.items():
            if derived >> other & 1:
                self._derived[group] = derived ^ (1 << other) | 1 << one
        self._derived[one] |= self._derived.pop(other, 0) if one != other else 0
        self._derived[one] &= ~(1 << one)

    def _parted(self, one: int, other: int) -> bool:
        """Return whether one group derives from the other through third groups.

        If the two groups were joined, the joined group and the third groups would derive from each
        other, and their sets would form cycles.
        """
        return self._leads(one, other) or self._leads(other, one)

    def _leads(self, one: int, other: int) -> bool:
        third = self._derived[one] & ~(1 << one | 1 << other)
        return any(self._reached(group) >> other & 1 for group in _bits(third))

    def _reached(self, group: int) -> int:
        """Return the groups that derive from a group, directly or not, as bits of an integer."""
        if group not in self._reach:
            seen = waiting = self._derived[group]
            while waiting:
                near = waiting.bit_length() - 1
                waiting ^= 1 << near
                if near in self._reach:
                    seen |= self._reach[near]
                    waiting &= ~self._reach[near]
                else:
                    waiting |= self._derived[near] & ~seen
                    seen |= waiting
            self._reach[group] = seen
        return self._reach[group]

    def _triples(self, pair: Pair) -> int:
        return sum(len(src) for src, _ in self._between[pair])

    def _shrunk(self) -> bool:
        if self._size > RECHECK_AT * self._looked:
            return False
        self._looked = self._size
        return True


def _bits(number: int) -> Iterator[int]:
    """Yield the positions of the bits that are 1."""
    while number:
        bit = number.bit_length() - 1
        yield bit
        number ^= 1 << bit


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one <= other else (other, one)


def _by_tables(
    src: Edges, dst: Edges, table: I32
) -> Iterator[tuple[int, int, tuple[Edges, Edges]]]:
    """Yield each pair of a src table and a dst table, with the edges between the two."""
    count = int(table.max(initial=-1)) + 1
    code = table[src].astype(np.int64) * count + table[dst]
    order = np.argsort(code, kind="stable")
    pairs, start = np.unique(code[order], return_index=True)
    for pair, rows in zip(pairs.tolist(), np.split(order, start[1:]), strict=True):
        yield pair // count, pair % count, (src[rows], dst[rows])
