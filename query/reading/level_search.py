"""Find the items that an item reaches among millions of triples, without sorting the triples.

``recurse`` sorts triples and searches in the sorted ends, which is fastest if few triples belong to
the answer. ``LevelSearch`` instead uses two tables with an entry for each item: an index of the
triples by their near ends, and the depth of each item. It finds items in order of depth.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32, I64, Bools, ItemNumber, ItemNumbers, expand_ranges, union
from provhouse.model.compiled import compiled

Ints = npt.NDArray[np.signedinteger[Any]]
"""Integers of 32 bits if all values fit, otherwise of 64 bits."""
UNREACHED = -1
SPARSE = 2
"""The limit for the range of item numbers, as a multiple of the number of triples.

Within this limit, the tables have an entry for each number in the range. In a wider range, the
items are numbered again without gaps, which takes longer.
"""
SMALL = 1 << 23
"""In a range of up to this many numbers, the limit is ``SPARSER`` times the number of triples."""
SPARSER = 8
HEADS = 1 << 16
"""The number of items whose triples are looked up at the same time."""


class LevelSearch:
    """The items that an item reaches along given triples in up to ``limit`` hops, by depth.

    A triple leads from its near end to its far end: from dst to src upstream, from src to dst
    downstream. Items are in order of depth, then number. The start is among them only if a cycle
    leads back to it.
    """

    def __init__(self, near: I64, far: I64, start: ItemNumber, limit: int | None = None) -> None:
        self._known: I64 | None = None
        self._first, span = _range(near, far, start)
        if not _dense(span, len(near)):
            self._known = union(union(near, far), [start])
            near, far = (np.searchsorted(self._known, ends) for ends in (near, far))
            self._first, span = 0, len(self._known)
        self._start = int(self.places(ItemNumbers(np.array([start])))[0])
        whole: type[np.signedinteger[Any]] = (
            np.int32 if max(len(near), span) < np.iinfo(np.int32).max else np.int64
        )
        self._at = np.zeros(span + 2, whole)
        self._rows = np.empty(len(near), whole)
        self._depths = np.full(span, UNREACHED, np.int32)
        queue, targets = np.empty(span, whole), np.empty(len(near), whole)
        _index(near, far, self._first, self._at, self._rows, targets)
        most = np.iinfo(np.int32).max if limit is None else limit
        taken, filled = _search(self._at, targets, self._start, most, self._depths, queue)
        self._farthest = int(self._depths[queue[filled - 1]]) if filled else 0
        self._ends = np.zeros(self._farthest + 2, np.int64)
        self._queue = queue[:filled]
        _order(self._depths, self._queue, self._ends)
        self._taken = taken
        """The number of items, not counting the start, whose triples belong to the answer."""

    def __len__(self) -> int:
        return len(self._queue)

    def items(self, begin: int = 0, end: int | None = None) -> tuple[ItemNumbers, I32]:
        """Return the items at positions from ``begin`` to ``end``, and the fewest hops to each."""
        places = self._queue[begin:end]
        return self._numbers(places), self._depths[places]

    @property
    def unexpanded(self) -> ItemNumbers:
        """The sorted items whose further triples were left out because of the limit."""
        left = self._queue[self._taken :]
        left = left[(self._at[left + 1] > self._at[left]) & (left != self._start)]
        return ItemNumbers(np.sort(self._numbers(left)))

    def triples(self, most: int, *, whole: bool = False) -> Iterator[tuple[I64, I32]]:
        """Yield the rows of the triples that lead to the items, by the depth of their near ends.

        Each yielded piece has at most ``most`` rows, and the depths of their near ends. If
        ``whole`` is true, the triples of one near end stay in one piece, which may then have more
        rows.
        """
        yield from self._of_heads(np.array([self._start]), np.zeros(1, np.int32), most, whole)
        for begin in range(0, self._taken, HEADS):
            heads: Ints = self._queue[begin : min(begin + HEADS, self._taken)]
            heads = heads[heads != self._start]
            yield from self._of_heads(heads, self._depths[heads], most, whole)

    def _of_heads(
        self, heads: Ints, depths: I32, most: int, whole: bool
    ) -> Iterator[tuple[I64, I32]]:
        first = self._at[heads].astype(np.int64)
        counts = self._at[heads + 1] - first
        before = np.append(0, np.cumsum(counts))
        done = 0
        while done < before[-1]:
            at = int(np.searchsorted(before, done, "right")) - 1
            end = min(done + most, int(before[-1]))
            last = int(np.searchsorted(before, end, "left"))
            end = int(before[last]) if whole else end
            low = np.maximum(before[at:last], done)
            some = np.minimum(before[at + 1 : last + 1], end) - low
            rows = expand_ranges(first[at:last] + low - before[at:last], some)
            yield self._rows[rows].astype(np.int64), np.repeat(depths[at:last], some)
            done = end

    def ranked(self, hidden: ItemNumbers) -> tuple[ItemNumbers, I32]:
        """Return, in order, the start and the items that are not hidden, and an array of ranks.

        At the place of each returned item (see ``places``), this array has the item's position
        among the returned items.
        """
        kept = self._depths != UNREACHED
        kept[self._start] = True
        kept[self.places(ItemNumbers(hidden[self.reached(hidden)]))] = False
        ranks = np.cumsum(kept, dtype=np.int32)
        ranks -= 1
        numbers = np.flatnonzero(kept) if self._known is None else self._known[kept]
        numbers += self._first
        return ItemNumbers(numbers), ranks

    def reached(self, numbers: ItemNumbers) -> Bools:
        """Return, for each number, whether it is the number of an item that was reached."""
        places = self.places(numbers)
        found: Bools = (places >= 0) & (places < len(self._depths))
        found[found] = self._depths[places[found]] != UNREACHED
        if self._known is not None:
            found[found] = self._known[places[found]] == numbers[found]
        return found

    def places(self, numbers: ItemNumbers) -> I64:
        """Return the place of each number in the tables of this search."""
        if self._known is None:
            return np.asarray(numbers - self._first)
        return np.searchsorted(self._known, numbers)

    def _numbers(self, places: Ints) -> ItemNumbers:
        if self._known is None:
            return ItemNumbers(places.astype(np.int64) + self._first)
        return ItemNumbers(self._known[places])


def has_small_range(near: I64, far: I64, start: int) -> bool:
    """Return whether the item numbers span a range so small that tables can cover all of it."""
    span = _range(near, far, start)[1]
    return span <= SMALL and _dense(span, len(near))


def _dense(span: int, triples: int) -> bool:
    return span <= (SPARSER if span <= SMALL else SPARSE) * triples


def _range(near: I64, far: I64, start: int) -> tuple[int, int]:
    """Return the smallest number of an item, and how many numbers the items span."""
    ends = [one for one in (near, far) if len(one)]
    first = min([start, *(int(one.min()) for one in ends)])
    return first, max([start, *(int(one.max()) for one in ends)]) - first + 1


@compiled()
def _index(near: I64, far: I64, first: int, at: Ints, rows: Ints, targets: Ints) -> None:
    """Sort rows by near end; ``rows[at[p] : at[p + 1]]`` become the rows of the place ``p``.

    ``targets`` gets the places of the rows' far ends in the same order. The far ends of a place are
    thus next to each other in memory, so that the search is fast.
    """
    # The counts start two entries ahead. So at[p + 1] is where p begins after the sums are taken,
    # and where p ends after the rows are filled in.
    for row in range(len(near)):
        at[near[row] - first + 2] += 1
    for place in range(2, len(at)):
        at[place] += at[place - 1]
    for row in range(len(near)):
        place = near[row] - first + 1
        rows[at[place]] = row
        targets[at[place]] = far[row] - first
        at[place] += 1


@compiled()
def _search(
    at: Ints, targets: Ints, start: int, limit: int, depths: I32, queue: Ints
) -> tuple[int, int]:
    """Set the depths of the places that ``start`` reaches, and write these places to ``queue``.

    Return how many of these places have a depth below the limit, and how many places there are.
    """
    taken = filled = 0
    head, depth = start, 0
    while True:
        # A cycle may lead back to the start, whose triples were followed at depth 0.
        if head != start or depth == 0:
            for n in range(at[head], at[head + 1]):
                target = targets[n]
                if depths[target] == UNREACHED:
                    depths[target] = depth + 1
                    queue[filled] = target
                    filled += 1
        if taken == filled:
            return taken, filled
        head = queue[taken]
        depth = depths[head]
        if depth >= limit:
            return taken, filled
        taken += 1


@compiled()
def _order(depths: I32, queue: Ints, ends: I64) -> None:
    """Write the reached places to ``queue`` by depth, then place.

    ``ends`` starts with zeros, and gets the position in ``queue`` where each depth ends.
    """
    for place in queue:
        ends[depths[place]] += 1
    begin = 0
    for depth in range(len(ends)):
        begin, ends[depth] = begin + ends[depth], begin
    for place in range(len(depths)):
        depth = depths[place]
        if depth != UNREACHED:
            queue[ends[depth]] = place
            ends[depth] += 1
