"""Find out which items would still exist without some items or triples.

An item exists if one of its derivations holds. Whether a derivation holds depends on its kind:
``all`` needs each input, ``any`` and ``aggregate`` need one. Nothing is known inside a
``function``, an ``except`` or an unknown operation. So existence is computed twice: the upper bound
takes one of their inputs to be enough, the lower bound takes all of them to be needed. An item dies
if it is in neither bound, survives if it is in both, and is undecided otherwise.

Each bound is a least fixpoint (Dowling and Gallier 1984), so a cycle does not keep itself alive.
The Lipstick paper (definition 4.2) defines this deletion, but counts lost inputs instead and is
wrong on cycles.

Derivations may rest on each other only, even without the deletion. The triples do not record the
support of such items. So the upper bound has these items, and all that they hold up, as long as
their derivations keep the inputs that they need (``unsupported.py``).

The upper bound contains the lower one, so the upper fixpoint starts where the lower one ends.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import njit

from provhouse.model.arrays import I32, I64, Bools, unique

from .codes import (
    DELETED,
    DIES,
    FOUND,
    I8,
    MISSING,
    MOST,
    SURVIVES,
    UNDECIDED,
    UNREACHED,
    allowed,
    packed,
)
from .derivations import Derivations
from .unsupported import cling, kill

_CROWDED: Final = 16
"""The next places are visited in order if at least one in this many of their range was found."""
_NO_ROWS = np.empty(0, np.int32)
_NONE = np.empty(0, bool)


@dataclass(frozen=True)
class Fates:
    """The fates of the items downstream of a deletion."""

    reached: I32
    """The places of the items downstream of the deletion, without deleted items."""
    fate: I8
    """The fate of each place: ``DIES``, ``SURVIVES``, ``UNDECIDED``, ``DELETED``, ``UNREACHED``."""

    @property
    def fates(self) -> I8:
        """The fate of each place in ``reached``."""
        return self.fate[self.reached]


def fates(graph: Derivations, deleted: I32, ended: I32 = _NO_ROWS) -> Fates:
    """Return the fates of all items downstream of deleted items and deleted triples.

    ``deleted`` are distinct places, and ``ended`` are rows. The graph must have all triples that
    lead to a reached item.
    """
    return Deleter(graph).fates(deleted, ended)


class Deleter:
    """A series of deletions from one graph, with work arrays that are made once.

    The time of a deletion depends only on the items that it reaches.
    """

    def __init__(self, graph: Derivations) -> None:
        self._graph = graph
        self._ways = packed(graph.kind, graph.size)
        self._gone: I32 = np.zeros(len(graph.dst), np.int32)
        self._conditional = graph.conditional if graph.conditional.any() else _NONE
        self._fate: I8 = np.full(graph.places, UNREACHED, np.int8)
        self._failed: I32 = np.zeros(graph.places, np.int32)
        self._reached: I32 = np.empty(graph.places, np.int32)
        self._queue: I32 = np.empty(graph.places, np.int32)
        self._used = (_NO_ROWS, _NO_ROWS)

    def fates(self, deleted: I32, ended: I32 = _NO_ROWS) -> Fates:
        """Return the fates after a deletion, in arrays that the next call overwrites."""
        graph, ways, fate = self._graph, self._ways, self._fate
        for places in self._used:
            _clear(graph.first, places, ways, self._gone, fate, self._failed)
        skipped, starts, unsure = _NONE, _NO_ROWS, False
        if len(ended):
            skipped = np.zeros(len(graph.rows), bool)
            skipped[ended] = True
            ends = graph.of[ended]
            for counts in (ways[:, MISSING], self._gone):
                np.add.at(counts, ends, 1)
            starts = unique(graph.dst[ends])
            unsure = bool((ways[ends, MOST] < 0).any())
        count, more = _reach(
            graph.at, graph.rows, graph.targets, graph.ends, self._conditional, skipped, deleted,
            starts, ways, fate, self._reached,
        )  # fmt: skip
        reached = self._reached[:count]
        self._used = deleted, reached
        left = count - self._settle(skipped, reached, _NO_ROWS, fate, SURVIVES)
        if unsure or more:
            left -= self._settle(skipped, reached, _NO_ROWS, fate, UNDECIDED)
        if left:
            self._doubt(skipped, deleted, starts, reached, left)
        return Fates(reached, fate)

    def _settle(self, skipped: Bools, reached: I32, known: I32, fate: I8, code: int) -> int:
        """Give the fate ``code`` to each item that exists in its bound; return how many do."""
        graph, upper = self._graph, code != SURVIVES
        conditional = _NONE if upper else self._conditional
        return _settle(
            graph.at, graph.rows, graph.targets, graph.ends, graph.first, conditional, skipped,
            self._ways, upper, code, known, reached, fate, self._queue,
        )  # fmt: skip

    def _doubt(self, skipped: Bools, deleted: I32, starts: I32, reached: I32, dies: int) -> None:
        """Make items undecided that may exist because items without support hold them up."""
        graph, ways, fate = self._graph, self._ways, self._fate
        count = kill(
            graph.at, graph.rows, graph.targets, graph.ends, graph.first, skipped, deleted, starts,
            ways, fate, self._gone, self._failed, self._queue,
        )  # fmt: skip
        if count == dies:
            return
        before: I8 = np.full(graph.places, UNREACHED, np.int8)
        before[reached], before[deleted] = DIES, DELETED
        ways[:, MISSING] = 0
        for places in (deleted, reached):
            _count(graph.at, graph.targets, places, ways)
        self._settle(_NONE, reached, deleted, before, UNDECIDED)
        unsupported = before == DIES
        ways[:, MISSING] = self._gone
        left = reached[fate[reached] == DIES]
        left = left[self._failed[left] < graph.first[left + 1] - graph.first[left]]
        cling(
            graph.at, graph.rows, graph.targets, graph.ends, graph.first, skipped, unsupported,
            left, ways, fate, self._gone, self._failed, self._queue,
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _clear(first: I32, places: I32, ways: I32, gone: I32, fate: I8, failed: I32) -> None:
    """Undo a deletion that reached some places."""
    for place in places:
        fate[place] = UNREACHED
        failed[place] = 0
        for way in range(first[place], first[place + 1]):
            ways[way, MISSING] = gone[way] = 0


@njit(cache=True, nogil=True)
def _reach(
    at: I64, rows: I32, targets: I32, ends: I32, conditional: Bools, skipped: Bools, deleted: I32,
    starts: I32, ways: I32, fate: I8, queue: I32,
) -> tuple[int, bool]:  # fmt: skip
    """Write all places downstream to ``queue``; return their number, and whether a kind is unsure.

    The triples from these places, and from deleted ones, count as missing.
    """
    filled = 0
    unsure = False
    for place in deleted:
        fate[place] = DELETED
    for place in starts:
        if fate[place] == UNREACHED:
            fate[place] = FOUND
            queue[filled] = place
            filled += 1
    taken = -len(deleted)  # negative numbers stand for deleted places, which come first
    while taken < filled:
        until = filled
        low, high = len(fate), -1
        for number in range(taken, until):
            place = deleted[number + len(deleted)] if number < 0 else queue[number]
            if number >= 0:
                fate[place] = DIES
            for edge in range(at[place], at[place + 1]):
                if len(skipped) and skipped[rows[edge]]:
                    continue
                way = targets[edge]
                ways[way, MISSING] += 1
                unsure |= ways[way, MOST] < 0 or (len(conditional) > 0 and conditional[way])
                target = ends[edge]
                if fate[target] == UNREACHED:
                    fate[target] = FOUND
                    queue[filled] = target
                    filled += 1
                    low, high = min(low, target), max(high, target)
        taken = until
        if high - low < _CROWDED * (filled - until):
            _order(fate, queue, until, low, high)
    return filled, unsure


@njit(cache=True, nogil=True)
def _order(fate: I8, queue: I32, begin: int, low: int, high: int) -> None:
    """Write the found places to ``queue`` again, in order: neighbours are close in memory."""
    for place in range(low, high + 1):
        if fate[place] == FOUND:
            queue[begin] = place
            begin += 1


@njit(cache=True, nogil=True)
def _settle(
    at: I64, rows: I32, targets: I32, ends: I32, first: I32, conditional: Bools, skipped: Bools,
    ways: I32, upper: bool, code: int, known: I32, reached: I32, fate: I8, queue: I32,
) -> int:  # fmt: skip
    """Give the fate ``code`` to each reached place that exists; return how many do.

    The places in ``known`` exist. A reached input may have another value, so it does not count for
    ``conditional`` derivations.
    """
    filled = taken = 0
    for place in reached:
        if fate[place] != DIES:
            continue
        for way in range(first[place], first[place + 1]):
            if ways[way, MISSING] <= allowed(ways[way, MOST], upper):
                fate[place] = code
                queue[filled] = place
                filled += 1
                break
    taken = -len(known)  # negative numbers stand for known places, which come first
    while taken < filled:
        place = known[taken + len(known)] if taken < 0 else queue[taken]
        taken += 1
        for edge in range(at[place], at[place + 1]):
            if len(skipped) and skipped[rows[edge]]:
                continue
            target = ends[edge]
            if fate[target] != DIES:
                continue
            way = targets[edge]
            ways[way, MISSING] -= 1
            if len(conditional) and conditional[way]:
                continue
            if ways[way, MISSING] <= allowed(ways[way, MOST], upper):
                fate[target] = code
                queue[filled] = target
                filled += 1
    return filled


@njit(cache=True, nogil=True)
def _count(at: I64, targets: I32, places: I32, ways: I32) -> None:
    """Count the triples from some places as missing."""
    for place in places:
        for edge in range(at[place], at[place + 1]):
            ways[targets[edge], MISSING] += 1
