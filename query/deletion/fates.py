"""Find out which items would still exist without some items or triples.

An item exists if one of its derivations holds. A derivation holds if its kind says so of its
inputs: ``all`` needs each of them, ``any`` and ``aggregate`` need one. Nothing is known inside a
``function``, an ``except`` or an unknown operation. So existence is computed twice: the upper bound
takes one of their inputs to be enough, the lower bound takes all of them to be needed. An item dies
if it is in neither bound, survives if it is in both, and is undecided otherwise.

Each bound is a least fixpoint (Dowling and Gallier 1984), so a cycle does not keep itself alive.
This is the deletion of the Lipstick paper (definition 4.2), which counts lost inputs instead and is
wrong on cycles. An item that would not exist even without the deletion, because its derivations
rest on each other only, is undecided: the triples do not say what it rests on.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from numba import njit

from provhouse.model.arrays import I32, I64, Bools

from .derivations import AGGREGATE, ALL, ANY, COPY, Derivations

U8 = npt.NDArray[np.uint8]
I8 = npt.NDArray[np.int8]

DIES: Final = 0
SURVIVES: Final = 1
UNDECIDED: Final = 2
DELETED: Final = 3
UNREACHED: Final = 4
_NONE = np.empty(0, bool)
MANY = 200_000
"""From this many items on, both bounds are computed at the same time."""


@dataclass(frozen=True)
class Fates:
    """The fates of the items downstream of a deletion."""

    reached: I32
    """The places of the items that lead from what was deleted, without deleted items."""
    fate: I8
    """The fate of each place: ``DIES``, ``SURVIVES``, ``UNDECIDED``, ``DELETED``, ``UNREACHED``."""
    lost: I32
    """The number of deleted triples of each derivation."""

    @property
    def fates(self) -> I8:
        """The fate of each of ``reached``."""
        return self.fate[self.reached]


def fates(graph: Derivations, deleted: I32, ended: I32 | None = None) -> Fates:
    """Return the fates of all items downstream of deleted items and deleted triples.

    ``deleted`` are places, ``ended`` are rows. The graph must have all triples that lead to an item
    that is reached.
    """
    gone = np.zeros(graph.places, bool)
    gone[deleted] = True
    lost = np.zeros(len(graph.dst), np.int32)
    skipped = np.zeros(len(graph.targets) if ended is not None and len(ended) else 0, bool)
    starts = np.empty(0, np.int32)
    if ended is not None and len(ended):
        np.add.at(lost, graph.of[ended], 1)
        skipped[ended] = True
        starts = np.unique(graph.dst[graph.of[ended]])
    walked = _Walked(graph, deleted, starts, gone, lost, skipped)
    fate = walked.fate()
    return Fates(walked.reached, fate, lost)


class _Walked:
    """The items that a deletion reaches, with the work arrays of both bounds."""

    def __init__(
        self, graph: Derivations, deleted: I32, starts: I32, gone: Bools, lost: I32, skipped: Bools
    ) -> None:
        self._graph, self._gone, self._lost, self._skipped = graph, gone, lost, skipped
        self._starts, self._deleted = starts, deleted
        self._inside = np.zeros(len(graph.dst), np.int32)
        mark = np.zeros(graph.places, np.uint8)
        queue = np.empty(graph.places, np.int32)
        count, self._unsure = _reach(
            graph.at, graph.rows, graph.targets, graph.dst, graph.kind, graph.conditional,
            deleted, starts, gone, lost, skipped, mark, queue, self._inside,
        )  # fmt: skip
        self.reached = queue[:count]

    def fate(self) -> I8:
        graph = self._graph
        both = self._unsure and len(self.reached) > MANY
        with ThreadPoolExecutor(1) as pool:
            later = pool.submit(self._holds, upper=False) if both else None
            upper = self._holds(upper=True)
            lower = later.result() if later else self._holds(upper=False) if self._unsure else upper
        found = np.full(graph.places, UNREACHED, np.int8)
        dies = _judge(self.reached, upper, lower, found)
        found[self._deleted] = DELETED
        if dies:
            self._doubt(found, dies)
        return found

    def _holds(self, *, upper: bool) -> U8:
        graph = self._graph
        holds = np.zeros(graph.places, np.uint8)
        _settle(
            graph.at, graph.rows, graph.targets, graph.dst, graph.kind, graph.size, graph.first,
            self.reached, self._inside, self._lost, self._gone, self._skipped, upper,
            graph.conditional if not upper else _NONE, np.empty(0, np.int32), holds,
        )  # fmt: skip
        return holds

    def _doubt(self, found: I8, dies: int) -> None:
        """Make undecided what dies only because it would not exist without the deletion either."""
        graph = self._graph
        killed = np.zeros(graph.places, np.uint8)
        count = _kill(
            graph.at, graph.rows, graph.targets, graph.dst, graph.kind, graph.size, graph.first,
            self._deleted, self._starts, self._lost, self._gone, self._skipped, killed,
        )  # fmt: skip
        if count == dies:
            return
        before = self._held_before(found)
        at = self.reached
        at = at[(found[at] == DIES) & (killed[at] == 0) & (before[at] == 0)]
        found[at] = UNDECIDED

    def _held_before(self, found: I8) -> U8:
        """Return which items exist without the deletion, in the upper bound."""
        graph = self._graph
        ended = np.flatnonzero(self._skipped)
        ended = ended[found[graph.src[ended]] != UNREACHED]
        np.add.at(self._inside, graph.of[ended], 1)
        before = np.zeros(graph.places, np.uint8)
        _settle(
            graph.at, graph.rows, graph.targets, graph.dst, graph.kind, graph.size, graph.first,
            self.reached, self._inside, np.zeros_like(self._lost), self._gone, self._skipped[:0],
            True, _NONE, self._deleted, before,
        )  # fmt: skip
        return before


@njit(cache=True, nogil=True, inline="always")
def _is_sure(code: int) -> bool:
    """Return whether it is known how the inputs of a derivation of this kind act together."""
    return code in (ALL, ANY, AGGREGATE, COPY)


@njit(cache=True, nogil=True)
def _reach(
    at: I64, rows: I32, targets: I32, dst: I32, kind: I8, conditional: Bools,
    deleted: I32, starts: I32, gone: Bools, lost: I32, skipped: Bools, mark: U8, queue: I32,
    inside: I32,
) -> tuple[int, bool]:  # fmt: skip
    """Write all places downstream to ``queue``; return their number, and if a kind is unsure.

    ``inside`` counts, for each derivation, the triples from these places and from deleted ones.
    """
    filled = 0
    unsure = False
    for place in starts:
        if not gone[place] and not mark[place]:
            mark[place] = 1
            queue[filled] = place
            filled += 1
    for way in range(len(dst) if len(skipped) else 0):
        unsure |= lost[way] > 0 and not _is_sure(kind[way])
    taken = -len(deleted)
    while taken < filled:
        place = deleted[taken + len(deleted)] if taken < 0 else queue[taken]
        taken += 1
        for edge in range(at[place], at[place + 1]):
            if len(skipped) and skipped[rows[edge]]:
                continue
            way = targets[edge]
            inside[way] += 1
            target = dst[way]
            if not mark[target] and not gone[target]:
                mark[target] = 1
                queue[filled] = target
                filled += 1
            unsure |= conditional[way] or not _is_sure(kind[way])
    return filled, unsure


@njit(cache=True, nogil=True, inline="always")
def _one_suffices(code: int, upper: bool) -> bool:
    """Return whether one input suffices for a derivation of this kind, in one of the bounds."""
    if code == ALL:
        return False
    return upper or code in (ANY, AGGREGATE, COPY)


@njit(cache=True, nogil=True)
def _settle(
    at: I64, rows: I32, targets: I32, dst: I32, kind: I8, size: I32, first: I32,
    reached: I32, inside: I32, lost: I32, gone: Bools, skipped: Bools, upper: bool,
    conditional: Bools, known: I32, holds: U8,
) -> None:  # fmt: skip
    """Set ``holds`` for each place that exists, in one of the bounds; those ``known`` do.

    An input that is reached may have another value, so it does not count for those derivations that
    are ``conditional``.
    """
    pending = np.empty(len(dst), np.int32)
    queue = np.empty(len(reached) + len(known), np.int32)
    filled = 0
    for place in known:
        holds[place] = 1
        queue[filled] = place
        filled += 1
    for place in reached:
        for way in range(first[place], first[place + 1]):
            if _one_suffices(kind[way], upper):
                if size[way] > inside[way] + lost[way]:
                    holds[place] = 1
            else:
                pending[way] = inside[way] + lost[way]
                if pending[way] == 0:
                    holds[place] = 1
        if holds[place]:
            queue[filled] = place
            filled += 1
    taken = 0
    while taken < filled:
        place = queue[taken]
        taken += 1
        for edge in range(at[place], at[place + 1]):
            if len(skipped) and skipped[rows[edge]]:
                continue
            way = targets[edge]
            target = dst[way]
            if holds[target] or gone[target] or (len(conditional) and conditional[way]):
                continue
            if not _one_suffices(kind[way], upper):
                pending[way] -= 1
                if pending[way] > 0:
                    continue
            holds[target] = 1
            queue[filled] = target
            filled += 1


@njit(cache=True, nogil=True)
def _kill(
    at: I64, rows: I32, targets: I32, dst: I32, kind: I8, size: I32, first: I32,
    deleted: I32, starts: I32, lost: I32, gone: Bools, skipped: Bools, killed: U8,
) -> int:  # fmt: skip
    """Mark the places that lose all derivations one by one, and return their number.

    This is the deletion of the Lipstick paper in the upper bound. It leaves cycles alive that
    nothing outside supports.
    """
    missing = np.zeros(len(dst), np.int32)
    failed = np.zeros(len(first), np.int32)
    queue = np.empty(len(first), np.int32)
    filled = 0
    for place in starts:
        if gone[place]:
            continue
        for way in range(first[place], first[place + 1]):
            missing[way] = lost[way]
            if lost[way] and (kind[way] == ALL or missing[way] == size[way]):
                failed[place] += 1
        if failed[place] == first[place + 1] - first[place]:
            killed[place] = 1
            queue[filled] = place
            filled += 1
    taken = -len(deleted)
    while taken < filled:
        place = deleted[taken + len(deleted)] if taken < 0 else queue[taken]
        taken += 1
        for edge in range(at[place], at[place + 1]):
            if len(skipped) and skipped[rows[edge]]:
                continue
            way = targets[edge]
            target = dst[way]
            if gone[target] or killed[target]:
                continue
            missing[way] += 1
            joint = kind[way] == ALL
            if (joint and missing[way] == 1) or (not joint and missing[way] == size[way]):
                failed[target] += 1
                if failed[target] == first[target + 1] - first[target]:
                    killed[target] = 1
                    queue[filled] = target
                    filled += 1
    return filled


@njit(cache=True, nogil=True)
def _judge(reached: I32, upper: U8, lower: U8, fate: I8) -> int:
    """Set the fate of each place reached; return how many die."""
    dies = 0
    for place in reached:
        if lower[place]:
            fate[place] = SURVIVES
        elif upper[place]:
            fate[place] = UNDECIDED
        else:
            fate[place] = DIES
            dies += 1
    return dies
