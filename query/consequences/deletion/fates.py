"""Find out which items would still exist without some items or triples.

An item exists if one of its derivations holds. Whether a derivation holds depends on its kind:
``all`` needs each input, ``any`` and ``aggregate`` need one. For a ``function``, an ``except`` or
an unknown operation, it is not known which inputs are needed. So existence is computed twice: for
such derivations, the upper bound assumes that one input is enough, and the lower bound assumes that
all inputs are needed. An item dies if it is in neither bound, survives if it is in both, and is
undecided otherwise.

Each bound is a least fixpoint (Dowling and Gallier 1984), so a cycle does not keep itself alive.
The Lipstick paper (definition 4.2) computes this deletion differently: it counts lost inputs, which
gives wrong results on cycles.

Some items are derived only from each other, even without the deletion. The triples do not record
what supports such items. So the upper bound contains these items, and all items that rest on them,
as long as the derivations of these items keep the inputs that they need (``unsupported.py``).

The upper bound contains the lower one, so the upper fixpoint starts where the lower one ends.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from provhouse.model.arrays import I32, I64, Bools, unique
from provhouse.model.compiled import compiled

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
    Work,
    allowed,
    packed,
)
from .derivation_index import Derivations, TripleIndex
from .unsupported import cling, kill

_CROWDED: Final = 16
"""If at least 1 in this many places of a range was found, all found are visited in memory order."""
_NO_ROWS = np.empty(0, np.int32)
_NONE = np.empty(0, bool)


@dataclass(frozen=True)
class Fates:
    """The fates of the items downstream of a deletion."""

    reached: I32
    """The places of the items downstream of the deletion, except deleted items."""
    fate: I8
    """The fate of each place: ``DIES``, ``SURVIVES``, ``UNDECIDED``, ``DELETED``, ``UNREACHED``."""

    @property
    def fates(self) -> I8:
        """The fate of each place in ``reached``."""
        return self.fate[self.reached]


def fates(graph: Derivations, deleted: I32, ended: I32 = _NO_ROWS) -> Fates:
    """Return the fates of all items downstream of deleted items and deleted triples.

    ``deleted`` has the distinct places of the deleted items, and ``ended`` the rows of the deleted
    triples. The graph must contain all triples that lead to a reached item.
    """
    return Deleter(graph).fates(deleted, ended)


class Deleter:
    """A computation of several deletions from one graph, in turn, in arrays that are reused.

    The time of a deletion depends only on the items that it reaches.
    """

    def __init__(self, graph: Derivations) -> None:
        self._graph = graph
        self._conditional = graph.conditional if graph.conditional.any() else _NONE
        self._reached: I32 = np.empty(graph.places, np.int32)
        self._work = Work(
            packed(graph.kind, graph.size),
            np.full(graph.places, UNREACHED, np.int8),
            np.zeros(len(graph.dst), np.int32),
            np.zeros(graph.places, np.int32),
            np.empty(graph.places, np.int32),
        )
        self._used = (_NO_ROWS, _NO_ROWS)

    def fates(self, deleted: I32, ended: I32 = _NO_ROWS) -> Fates:
        """Return the fates after a deletion, in arrays that the next call overwrites."""
        graph, work = self._graph, self._work
        for places in self._used:
            _clear(graph.first, places, work)
        skipped, starts, unsure = _NONE, _NO_ROWS, False
        if len(ended):
            skipped = np.zeros(len(graph.rows), bool)
            skipped[ended] = True
            ends = graph.of[ended]
            for counts in (work.ways[:, MISSING], work.gone):
                np.add.at(counts, ends, 1)
            starts = unique(graph.dst[ends])
            unsure = bool((work.ways[ends, MOST] < 0).any())
        into = work._replace(queue=self._reached)
        count, more = _reach(graph.index, self._conditional, skipped, deleted, starts, into)
        reached = self._reached[:count]
        self._used = deleted, reached
        left = count - self._settle(skipped, reached, _NO_ROWS, work, SURVIVES)
        if unsure or more:
            left -= self._settle(skipped, reached, _NO_ROWS, work, UNDECIDED)
        if left:
            self._doubt(skipped, deleted, starts, reached, left)
        return Fates(reached, work.fate)

    def _settle(self, skipped: Bools, reached: I32, known: I32, work: Work, code: int) -> int:
        """Assign the fate ``code`` to the items that exist in a bound; return the number of items.

        ``SURVIVES`` means the lower bound, and any other code means the upper bound.
        """
        upper = code != SURVIVES
        conditional = _NONE if upper else self._conditional
        index = self._graph.index
        return _settle(index, conditional, skipped, work, upper, code, known, reached)

    def _doubt(self, skipped: Bools, deleted: I32, starts: I32, reached: I32, dies: int) -> None:
        """Make items undecided if they may exist because they rest on items without support."""
        graph, work = self._graph, self._work
        if kill(graph.index, skipped, deleted, starts, work) == dies:
            return
        before: I8 = np.full(graph.places, UNREACHED, np.int8)
        before[reached], before[deleted] = DIES, DELETED
        work.ways[:, MISSING] = 0
        for places in (deleted, reached):
            _count(graph.at, graph.targets, places, work.ways)
        self._settle(_NONE, reached, deleted, work._replace(fate=before), UNDECIDED)
        unsupported = before == DIES
        work.ways[:, MISSING] = work.gone
        left = reached[work.fate[reached] == DIES]
        left = left[work.failed[left] < graph.first[left + 1] - graph.first[left]]
        cling(graph.index, skipped, unsupported, left, work)


@compiled(nogil=True)
def _clear(first: I32, places: I32, work: Work) -> None:
    """Reset the work arrays at the places that a deletion reached."""
    for place in places:
        work.fate[place] = UNREACHED
        work.failed[place] = 0
        for way in range(first[place], first[place + 1]):
            work.ways[way, MISSING] = work.gone[way] = 0


@compiled(nogil=True)
def _reach(
    graph: TripleIndex, conditional: Bools, skipped: Bools, deleted: I32, starts: I32, work: Work
) -> tuple[int, bool]:
    """Write all places downstream to ``queue``; return their number, and whether any is unsure.

    A place is unsure if one of its derivations is conditional, or if it is not known how the inputs
    of the derivation act together. The written places are ``starts`` and all places downstream of
    ``deleted`` and ``starts``. The triples from these places, and from deleted places, count as
    missing.
    """
    filled = 0
    unsure = False
    for place in deleted:
        work.fate[place] = DELETED
    for place in starts:
        if work.fate[place] == UNREACHED:
            work.fate[place] = FOUND
            work.queue[filled] = place
            filled += 1
    taken = -len(deleted)  # negative numbers stand for deleted places, which come first
    while taken < filled:
        until = filled
        low, high = len(work.fate), -1
        for number in range(taken, until):
            place = deleted[number + len(deleted)] if number < 0 else work.queue[number]
            if number >= 0:
                work.fate[place] = DIES
            for edge in range(graph.at[place], graph.at[place + 1]):
                if len(skipped) and skipped[graph.rows[edge]]:
                    continue
                way = graph.targets[edge]
                work.ways[way, MISSING] += 1
                unsure |= work.ways[way, MOST] < 0 or (len(conditional) > 0 and conditional[way])
                target = graph.ends[edge]
                if work.fate[target] == UNREACHED:
                    work.fate[target] = FOUND
                    work.queue[filled] = target
                    filled += 1
                    low, high = min(low, target), max(high, target)
        taken = until
        if high - low < _CROWDED * (filled - until):
            _order(work.fate, work.queue, until, low, high)
    return filled, unsure


@compiled(nogil=True)
def _order(fate: I8, queue: I32, begin: int, low: int, high: int) -> None:
    """Write the found places to ``queue`` again, in the order of their positions in memory."""
    for place in range(low, high + 1):
        if fate[place] == FOUND:
            queue[begin] = place
            begin += 1


@compiled(nogil=True)
def _settle(
    graph: TripleIndex,
    conditional: Bools,
    skipped: Bools,
    work: Work,
    upper: bool,
    code: int,
    known: I32,
    reached: I32,
) -> int:
    """Assign the fate ``code`` to each reached place that exists; return their number.

    The places in ``known`` are known to exist. A reached input may have another value than before,
    so it does not count as an input of ``conditional`` derivations.
    """
    filled = taken = 0
    for place in reached:
        if work.fate[place] != DIES:
            continue
        for way in range(graph.first[place], graph.first[place + 1]):
            if work.ways[way, MISSING] <= allowed(work.ways[way, MOST], upper):
                work.fate[place] = code
                work.queue[filled] = place
                filled += 1
                break
    taken = -len(known)  # negative numbers stand for known places, which come first
    while taken < filled:
        place = known[taken + len(known)] if taken < 0 else work.queue[taken]
        taken += 1
        for edge in range(graph.at[place], graph.at[place + 1]):
            if len(skipped) and skipped[graph.rows[edge]]:
                continue
            target = graph.ends[edge]
            if work.fate[target] != DIES:
                continue
            way = graph.targets[edge]
            work.ways[way, MISSING] -= 1
            if len(conditional) and conditional[way]:
                continue
            if work.ways[way, MISSING] <= allowed(work.ways[way, MOST], upper):
                work.fate[target] = code
                work.queue[filled] = target
                filled += 1
    return filled


@compiled(nogil=True)
def _count(at: I64, targets: I32, places: I32, ways: I32) -> None:
    """Count the triples from ``places`` as missing."""
    for place in places:
        for edge in range(at[place], at[place + 1]):
            ways[targets[edge], MISSING] += 1
