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
from functools import cached_property
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
MANY = 200_000
"""From this many items on, both bounds are computed at the same time."""


@dataclass(frozen=True)
class Fates:
    """The fates of the items downstream of a deletion."""

    reached: I32
    """The places of the items that lead from what was deleted, without deleted items."""
    fates: I8
    """The fate of each of ``reached``."""
    deleted: I32
    """The places of the deleted items."""
    lost: I32
    """The number of deleted triples of each derivation."""
    places: int

    @cached_property
    def fate(self) -> I8:
        """The fate of each place; it may also be ``DELETED`` or ``UNREACHED``."""
        found = np.full(self.places, UNREACHED, np.int8)
        found[self.reached] = self.fates
        found[self.deleted] = DELETED
        return found


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
        starts = starts[~gone[starts]]
    walked = _Walked(graph, deleted, starts, gone, lost, skipped)
    return Fates(walked.reached, walked.fates(), deleted, lost, graph.places)


@dataclass(frozen=True)
class _Part:
    """The part of a graph that is reached, renumbered so that it is compact in memory.

    Places are positions in ``reached``, then in the deleted ones. ``inside`` counts, for each
    derivation, the triples from these places. The rest is as in ``Derivations``.
    """

    at: I64
    targets: I32
    first: I32
    dst: I32
    kind: I8
    size: I32
    conditional: Bools
    lost: I32
    inside: I32
    unsure: bool


class _Walked:
    """The items that a deletion reaches, and the derivations between them."""

    def __init__(
        self, graph: Derivations, deleted: I32, starts: I32, gone: Bools, lost: I32, skipped: Bools
    ) -> None:
        self._graph, self._deleted, self._starts, self._gone = graph, deleted, starts, gone
        self._number = np.zeros(graph.places, np.int32)
        queue = np.empty(graph.places, np.int32)
        count, self._edges = _reach(
            graph.at, graph.targets, graph.dst, graph.rows, deleted, starts, gone, skipped,
            self._number, queue,
        )  # fmt: skip
        self.reached = queue[:count].copy()
        self._part = self._cut(lost, skipped)

    def _cut(self, lost: I32, skipped: Bools) -> _Part:
        graph = self._graph
        return _Part(
            *_cut(
                graph.at, graph.rows, graph.targets, graph.dst, graph.first, graph.kind, graph.size,
                graph.conditional, self._deleted, self.reached, self._number, self._gone, lost,
                skipped, self._edges,
            )
        )  # fmt: skip

    def fates(self) -> I8:
        """Return the fate of each of ``reached``."""
        unsure = self._part.unsure
        both = unsure and len(self.reached) > MANY
        with ThreadPoolExecutor(1) as pool:
            later = pool.submit(self._holds, upper=False) if both else None
            upper = self._holds(upper=True)
            lower = later.result() if later else self._holds(upper=False) if unsure else upper
        found = np.empty(len(self.reached), np.int8)
        dies = _judge(upper, lower, found)
        if dies:
            self._doubt(found, dies)
        return found

    def _holds(self, *, upper: bool) -> U8:
        return _held(self._part, len(self.reached), 0, upper=upper)

    def _doubt(self, found: I8, dies: int) -> None:
        """Make undecided what dies only because it would not exist without the deletion either."""
        part, count = self._part, len(self.reached)
        killed = np.zeros(count, np.uint8)
        every = _kill(
            part.at, part.targets, part.dst, part.kind, part.size, part.first, part.lost,
            len(self._starts), len(self._deleted), killed,
        )  # fmt: skip
        if every == dies:
            return
        whole = self._cut(np.zeros(len(self._graph.dst), np.int32), np.empty(0, bool))
        before = _held(whole, count, len(self._deleted), upper=True)
        found[(found == DIES) & (killed == 0) & (before[:count] == 0)] = UNDECIDED


def _held(part: _Part, count: int, known: int, *, upper: bool) -> U8:
    """Return which places exist, in one of the bounds; ``known`` deleted ones do."""
    holds = np.zeros(count + known, np.uint8)
    _settle(
        part.at, part.targets, part.dst, part.kind, part.size, part.first, part.inside, part.lost,
        part.conditional, count, known, upper, holds,
    )  # fmt: skip
    return holds


@njit(cache=True, nogil=True, inline="always")
def _is_sure(code: int) -> bool:
    """Return whether it is known how the inputs of a derivation of this kind act together."""
    return code in (ALL, ANY, AGGREGATE, COPY)


@njit(cache=True, nogil=True)
def _reach(
    at: I64, targets: I32, dst: I32, rows: I32, deleted: I32, starts: I32, gone: Bools,
    skipped: Bools, number: I32, queue: I32,
) -> tuple[int, int]:  # fmt: skip
    """Write all places downstream to ``queue``, and their positions in it plus one to ``number``.

    Return how many there are, and an upper bound for the triples from them and from deleted ones.
    """
    filled = edges = 0
    for place in starts:
        queue[filled] = place
        filled += 1
        number[place] = filled
    taken = -len(deleted)
    while taken < filled:
        place = deleted[taken + len(deleted)] if taken < 0 else queue[taken]
        taken += 1
        edges += at[place + 1] - at[place]
        for edge in range(at[place], at[place + 1]):
            if len(skipped) and skipped[rows[edge]]:
                continue
            target = dst[targets[edge]]
            if number[target] == 0 and not gone[target]:
                queue[filled] = target
                filled += 1
                number[target] = filled
    return filled, edges


@njit(cache=True, nogil=True)
def _cut(
    at: I64, rows: I32, targets: I32, dst: I32, first: I32, kind: I8, size: I32, conditional: Bools,
    deleted: I32, reached: I32, number: I32, gone: Bools, lost: I32, skipped: Bools, edges: int,
) -> tuple[I64, I32, I32, I32, I8, I32, Bools, I32, I32, bool]:  # fmt: skip
    """Return the fields of a ``_Part``."""
    count = len(reached)
    new_first = np.zeros(count + 1, np.int32)
    for place in range(count):
        old = reached[place]
        new_first[place + 1] = new_first[place] + first[old + 1] - first[old]
    ways = new_first[count]
    new_dst = np.empty(ways, np.int32)
    new_kind = np.empty(ways, np.int8)
    new_size = np.empty(ways, np.int32)
    new_conditional = np.empty(ways, np.bool_)
    new_lost = np.empty(ways, np.int32)
    inside = np.zeros(ways, np.int32)
    unsure = False
    for place in range(count):
        old = first[reached[place]]
        for way in range(new_first[place], new_first[place + 1]):
            new_dst[way] = place
            new_kind[way], new_size[way] = kind[old], size[old]
            new_conditional[way], new_lost[way] = conditional[old], lost[old]
            unsure |= lost[old] > 0 and not _is_sure(kind[old])
            old += 1
    new_at = np.zeros(count + len(deleted) + 1, np.int64)
    new_targets = np.empty(edges, np.int32)
    filled = 0
    for place in range(count + len(deleted)):
        old = reached[place] if place < count else deleted[place - count]
        for edge in range(at[old], at[old + 1]):
            target = dst[targets[edge]]
            if gone[target] or (len(skipped) and skipped[rows[edge]]):
                continue
            way = new_first[number[target] - 1] + targets[edge] - first[target]
            new_targets[filled] = way
            filled += 1
            inside[way] += 1
            unsure |= new_conditional[way] or not _is_sure(new_kind[way])
        new_at[place + 1] = filled
    return (
        new_at, new_targets, new_first, new_dst, new_kind, new_size, new_conditional, new_lost,
        inside, unsure,
    )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def _one_suffices(code: int, upper: bool) -> bool:
    """Return whether one input suffices for a derivation of this kind, in one of the bounds."""
    if code == ALL:
        return False
    return upper or code in (ANY, AGGREGATE, COPY)


@njit(cache=True, nogil=True)
def _settle(
    at: I64, targets: I32, dst: I32, kind: I8, size: I32, first: I32, inside: I32, lost: I32,
    conditional: Bools, count: int, known: int, upper: bool, holds: U8,
) -> None:  # fmt: skip
    """Set ``holds`` for each place that exists, in one of the bounds; the last ``known`` ones do.

    An input that is reached may have another value, so in the lower bound it does not count for
    those derivations that are ``conditional``.
    """
    pending = np.empty(len(dst), np.int32)
    queue = np.empty(count + known, np.int32)
    filled = 0
    for place in range(count, count + known):
        holds[place] = 1
        queue[filled] = place
        filled += 1
    for place in range(count):
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
            way = targets[edge]
            target = dst[way]
            if holds[target] or (conditional[way] and not upper):
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
    at: I64, targets: I32, dst: I32, kind: I8, size: I32, first: I32, lost: I32, starts: int,
    deleted: int, killed: U8,
) -> int:  # fmt: skip
    """Mark the places that lose all derivations one by one, and return their number.

    The first ``starts`` places have lost triples. This is the deletion of the Lipstick paper in the
    upper bound. It leaves cycles alive that nothing outside supports.
    """
    count = len(first) - 1
    missing = np.zeros(len(dst), np.int32)
    failed = np.zeros(count, np.int32)
    queue = np.empty(count, np.int32)
    filled = 0
    for place in range(starts):
        for way in range(first[place], first[place + 1]):
            missing[way] = lost[way]
            if lost[way] and (kind[way] == ALL or missing[way] == size[way]):
                failed[place] += 1
        if failed[place] == first[place + 1] - first[place]:
            killed[place] = 1
            queue[filled] = place
            filled += 1
    taken = -deleted
    while taken < filled:
        place = count + deleted + taken if taken < 0 else queue[taken]
        taken += 1
        for edge in range(at[place], at[place + 1]):
            way = targets[edge]
            target = dst[way]
            if killed[target]:
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
def _judge(upper: U8, lower: U8, fate: I8) -> int:
    """Set the fate of each place; return how many die."""
    dies = 0
    for place in range(len(fate)):
        if lower[place]:
            fate[place] = SURVIVES
        elif upper[place]:
            fate[place] = UNDECIDED
        else:
            fate[place] = DIES
            dies += 1
    return dies
