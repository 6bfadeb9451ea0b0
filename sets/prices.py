"""A queue of the pairs of groups that a search may join, the cheapest pair first."""

import math
from collections.abc import Collection, Iterable
from heapq import heappop, heappush

Pair = tuple[int, int]
"""Two groups of tables, the one with the smaller number first, or one group twice."""
STALE = -1
"""The value for ``taken`` if the cost of a pair is not known or not fully measured."""


class Prices:
    """Pairs with their costs.

    Pairs without a known cost come first, in the order in which they were added. An entry of the
    heap is valid only while ``_latest`` has the number of this entry.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._unknown = dict.fromkeys(pairs)
        self._heap: list[tuple[float, int, int, Pair]] = []
        self._latest: dict[Pair, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._unknown) + len(self._latest)

    def pop(self) -> tuple[Pair, int]:
        """Remove the next pair, and return it with the ``taken`` that ``put`` received.

        For a pair without a known cost, returns ``STALE`` instead of ``taken``.
        """
        if self._unknown:
            pair = next(iter(self._unknown))
            del self._unknown[pair]
            return pair, STALE
        self._drop_outdated()
        _, taken, _, pair = heappop(self._heap)
        del self._latest[pair]
        return pair, taken

    def put(self, pair: Pair, cost: float, taken: int) -> None:
        """Add a pair with its cost, which was measured after ``taken`` pairs had been joined."""
        self._count += 1
        self._latest[pair] = self._count
        heappush(self._heap, (cost, taken, self._count, pair))

    def lowest(self) -> float:
        """Return the lowest known cost, or infinity."""
        self._drop_outdated()
        return self._heap[0][0] if self._heap else math.inf

    def forget(self, pairs: Iterable[Pair]) -> None:
        """Forget the costs of these pairs.

        Pairs that are not in the queue are added without a cost.
        """
        for pair in pairs:
            self._latest.pop(pair, None)
            self._unknown[pair] = None

    def keep(self, pairs: Collection[Pair]) -> None:
        """Keep only these pairs, and remove all other pairs."""
        for gone in [pair for pair in (*self._unknown, *self._latest) if pair not in pairs]:
            self._unknown.pop(gone, None)
            self._latest.pop(gone, None)

    def _drop_outdated(self) -> None:
        while self._heap and self._latest.get(self._heap[0][3]) != self._heap[0][2]:
            heappop(self._heap)
