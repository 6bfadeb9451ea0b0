"""Compute aggregates again from the inputs that would remain, as far as values change.

The triples of an aggregate say what each input gave to it (``value``) and how often (``times``). An
input whose own value has been computed again gives its new value instead. These are the tensors of
the Lipstick paper (section 3.2).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from numba import njit

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.operations import FUNCTIONS

from .derivations import AGGREGATE, COPY, Derivations
from .fates import DELETED, DIES, I8, SURVIVES, U8, UNDECIDED, UNREACHED, Fates

F64 = npt.NDArray[np.float64]

SUM: Final = FUNCTIONS.index("sum")
COUNT: Final = FUNCTIONS.index("count")
MIN: Final = FUNCTIONS.index("min")
MAX: Final = FUNCTIONS.index("max")
AVG: Final = FUNCTIONS.index("avg")
DISTINCT: Final = FUNCTIONS.index("count_distinct")

SAME, CHANGED, UNKNOWN_VALUE = 0, 1, 2
_LOST_INPUT, _NEW_INPUT, _UNKNOWN_INPUT, _UNSURE_INPUT = 1, 2, 4, 8

REASONS: Final = (
    "",
    "its op has no function that can be computed again",
    "an input has no value",
    "it is undecided whether an input still exists",
    "an input has changed, but its new value is not known",
    "an input has changed, and its triple does not have the value that changed",
    "it is computed from an input that has changed",
    "it is computed from itself",
)
"""Why a value is not computed again, by code; code 0 means that it is."""
_NO_FUNCTION, _NO_VALUE, _UNSURE, _NOT_KNOWN, _OTHER_VALUE, _COMPUTED, _CYCLE = range(1, 8)


@dataclass(frozen=True)
class Tensors:
    """The statements of the triples of aggregates, as parallel arrays of all rows, and functions.

    A value that is not known is NaN. ``function`` has an index of ``FUNCTIONS`` for each
    derivation, or -1.
    """

    value: F64
    times: I64
    function: I8


@dataclass(frozen=True)
class Values:
    """The aggregates that change, and the values that may change but cannot be computed again."""

    ways: I32
    """The derivations that change."""
    before: F64
    after: F64
    inputs_lost: I64
    unknown: I32
    """The derivations whose new value is not known."""
    reasons: I8
    """The position in ``REASONS`` of each of ``unknown``."""

    def select(self, changed: Bools, unknown: Bools) -> "Values":
        """Return only the derivations that the two masks mark."""
        return Values(
            self.ways[changed], self.before[changed], self.after[changed],
            self.inputs_lost[changed], self.unknown[unknown], self.reasons[unknown],
        )  # fmt: skip


NOTHING = Values(
    np.empty(0, np.int32), np.empty(0), np.empty(0), np.empty(0, np.int64),
    np.empty(0, np.int32), np.empty(0, np.int8),
)  # fmt: skip


class Recomputed:
    """The values after a deletion."""

    def __init__(self, graph: Derivations, tensors: Tensors, found: Fates) -> None:
        self._graph, self._tensors, self._found = graph, tensors, found

    @cached_property
    def _inputs(self) -> tuple[I32, I64]:
        """The rows of aggregates and copies by derivation, and the position of each first one."""
        graph = self._graph
        wanted = (graph.kind == AGGREGATE) | (graph.kind == COPY)
        rows = np.flatnonzero(wanted[graph.of])
        rows = rows[np.argsort(graph.of[rows], kind="stable")]
        counts = np.where(wanted, graph.size, 0)
        return rows.astype(np.int32), np.append(0, np.cumsum(counts)).astype(np.int64)

    def values(self, deleted: I32, ended: I32) -> Values:
        """Return the values that change. ``deleted`` are places, ``ended`` are rows."""
        graph, tensors, fate = self._graph, self._tensors, self._found.fate
        gone = np.zeros(len(graph.of) if len(ended) else 0, bool)
        gone[ended] = True
        flags = np.zeros(len(graph.dst), np.uint8)
        counts = np.zeros(len(graph.dst), np.int64)
        reached = self._found.reached
        sources = np.concatenate([deleted, reached[fate[reached] != SURVIVES]])
        ends = graph.of[ended]
        ends = ends[(graph.kind[ends] == AGGREGATE) & (fate[graph.dst[ends]] == SURVIVES)]
        flags[ends] |= _LOST_INPUT
        np.add.at(counts, ends, 1)
        mark = np.zeros(graph.places, np.uint8)
        queue = np.empty(graph.places, np.int32)
        count = _seeds(
            graph.at, graph.rows, graph.targets, graph.dst, graph.kind, sources,
            np.unique(graph.dst[ends]), fate, gone, flags, counts, mark, queue,
        )  # fmt: skip
        if not count:
            return NOTHING
        waiting = np.zeros(graph.places, np.int32)
        count = _touch(graph.at, graph.targets, graph.dst, fate, mark, queue, count, waiting)
        rows, at = self._inputs
        before = np.zeros(len(graph.dst))
        after = np.zeros(len(graph.dst))
        state = np.zeros(len(graph.dst), np.int8)
        why = np.zeros(len(graph.dst), np.int8)
        _recompute(
            graph.at, graph.targets, graph.dst, graph.kind, graph.first, graph.src, fate, gone,
            rows, at, tensors.value, tensors.times, tensors.function, queue[:count], waiting,
            flags, before, after, state, why,
        )  # fmt: skip
        touched = queue[:count]
        ways = _ways_of(graph, touched)
        changed, unknown = (ways[state[ways] == each] for each in (CHANGED, UNKNOWN_VALUE))
        return Values(
            changed, before[changed], after[changed], counts[changed], unknown, why[unknown]
        )


def alternatives(values: F64, times: I64, function: int, chosen: I64) -> F64:
    """Return the value of an aggregate without each of the chosen inputs, one at a time.

    The result is NaN where nothing is left of it.
    """
    v, t = values[chosen], times[chosen]
    total = times.sum()
    left = total - t
    if function == COUNT:
        return np.asarray(left, np.float64)
    if function in (SUM, AVG):
        found = _exact_sum(values, times) - v * t
        with np.errstate(divide="ignore", invalid="ignore"):
            found = found if function == SUM else np.where(left > 0, found / left, np.nan)
        return np.asarray(found, np.float64)
    if function == DISTINCT:
        ordered = np.sort(values)
        low, high = (np.searchsorted(ordered, np.sort(v), side) for side in ("left", "right"))
        alone = np.empty(len(v), bool)
        alone[np.argsort(v)] = high - low == 1
        return np.asarray(1 + (ordered[1:] != ordered[:-1]).sum() - alone, np.float64)
    sign = 1.0 if function == MIN else -1.0
    signed = values * sign
    nearest = np.partition(signed, min(1, len(signed) - 1))[:2]
    second = nearest[1] if len(nearest) > 1 else np.nan
    return np.where(v * sign == nearest[0], second, nearest[0]) * sign


def _ways_of(graph: Derivations, places: I32) -> I32:
    first = graph.first[places]
    counts = graph.first[places + 1] - first
    before = np.cumsum(counts) - counts
    ways: I32 = (np.repeat(first - before, counts) + np.arange(counts.sum())).astype(np.int32)
    return ways


@njit(cache=True, nogil=True)
def _seeds(
    at: I64, rows: I32, targets: I32, dst: I32, kind: I8, sources: I32, starts: I32, fate: I8,
    gone: Bools, flags: U8, counts: I64, mark: U8, queue: I32,
) -> int:  # fmt: skip
    """Flag the aggregates that lose an input, and write their items to ``queue``."""
    filled = 0
    for place in starts:
        mark[place] = 1
        queue[filled] = place
        filled += 1
    for place in sources:
        unsure = fate[place] == UNDECIDED
        for edge in range(at[place], at[place + 1]):
            way = targets[edge]
            target = dst[way]
            if fate[target] != SURVIVES or (kind[way] != AGGREGATE and kind[way] != COPY):
                continue
            if len(gone) and gone[rows[edge]]:
                continue
            if kind[way] == COPY:  # the item still has another derivation
                continue
            flags[way] |= _UNSURE_INPUT if unsure else _LOST_INPUT
            if not unsure:
                counts[way] += 1
            if not mark[target]:
                mark[target] = 1
                queue[filled] = target
                filled += 1
    return filled


@njit(cache=True, nogil=True)
def _touch(
    at: I64, targets: I32, dst: I32, fate: I8, mark: U8, queue: I32, filled: int, waiting: I32
) -> int:
    """Add all surviving items downstream to ``queue``, and count the inputs that each waits for."""
    taken = 0
    while taken < filled:
        place = queue[taken]
        taken += 1
        for edge in range(at[place], at[place + 1]):
            target = dst[targets[edge]]
            if fate[target] != SURVIVES:
                continue
            waiting[target] += 1
            if not mark[target]:
                mark[target] = 1
                queue[filled] = target
                filled += 1
    return filled


@njit(cache=True, nogil=True)
def _recompute(
    at: I64, targets: I32, dst: I32, kind: I8, first: I32, src: I32, fate: I8, gone: Bools,
    rows: I32, begins: I64, value: F64, times: I64, function: I8, touched: I32, waiting: I32,
    flags: U8, before: F64, after: F64, state: I8, why: I8,
) -> None:  # fmt: skip
    """Set the new value, the state and the reason of each derivation, inputs first."""
    ready = np.empty(len(touched), np.int32)
    done = np.zeros(len(first), np.uint8)
    filled = 0
    for place in touched:
        if waiting[place] == 0:
            ready[filled] = place
            filled += 1
    taken = 0
    while taken < filled:
        place = ready[taken]
        taken += 1
        done[place] = 1
        flag = _judge_item(
            place, kind, first, src, fate, gone, rows, begins, value, times, function, flags,
            before, after, state, why,
        )  # fmt: skip
        for edge in range(at[place], at[place + 1]):
            way = targets[edge]
            target = dst[way]
            if fate[target] != SURVIVES:
                continue
            flags[way] |= flag
            waiting[target] -= 1
            if waiting[target] == 0:
                ready[filled] = target
                filled += 1
    for place in touched:  # those on a cycle, and those after it
        if not done[place]:
            for way in range(first[place], first[place + 1]):
                state[way], why[way] = UNKNOWN_VALUE, _CYCLE


@njit(cache=True, nogil=True)
def _judge_item(
    place: int, kind: I8, first: I32, src: I32, fate: I8, gone: Bools, rows: I32, begins: I64,
    value: F64, times: I64, function: I8, flags: U8, before: F64, after: F64, state: I8, why: I8,
) -> int:  # fmt: skip
    """Judge the derivations of an item; return the flag for what is made from it."""
    changed = unknown = False
    for way in range(first[place], first[place + 1]):
        if not flags[way]:
            continue
        if kind[way] == AGGREGATE:
            why[way] = _aggregate(
                way, first, src, fate, gone, rows, begins, value, times, function, kind,
                before, after, state,
            )  # fmt: skip
        elif kind[way] == COPY:
            why[way] = _copied(way, first, src, rows, begins, kind, before, after, state, why)
        elif flags[way] & (_NEW_INPUT | _UNKNOWN_INPUT):
            why[way] = _COMPUTED
        if why[way]:
            state[way] = UNKNOWN_VALUE
            unknown = True
        elif state[way] == CHANGED:
            changed = True
    if unknown:
        return _UNKNOWN_INPUT | (_NEW_INPUT if changed else 0)
    return _NEW_INPUT if changed else 0


@njit(cache=True, nogil=True)
def _copied(
    way: int, first: I32, src: I32, rows: I32, begins: I64, kind: I8, before: F64, after: F64,
    state: I8, why: I8,
) -> int:  # fmt: skip
    """Give a copy the values of the group that it is a copy of."""
    group = src[rows[begins[way]]]
    for of in range(first[group], first[group + 1]):
        if state[of] == CHANGED:
            before[way], after[way], state[way] = before[of], after[of], CHANGED
            return 0
        if state[of] == UNKNOWN_VALUE:
            return int(why[of])
    return 0


@njit(cache=True, nogil=True)
def _aggregate(
    way: int, first: I32, src: I32, fate: I8, gone: Bools, rows: I32, begins: I64, value: F64,
    times: I64, function: I8, kind: I8, before: F64, after: F64, state: I8,
) -> int:  # fmt: skip
    """Compute an aggregate before and after; return why that fails, or 0."""
    how = function[way]
    if how < SUM or how > DISTINCT:
        return _NO_FUNCTION
    begin, end = begins[way], begins[way + 1]
    old = np.empty(end - begin)
    new = np.empty(end - begin)
    old_times = np.empty(end - begin, np.int64)
    new_times = np.empty(end - begin, np.int64)
    left = 0
    for at in range(begin, end):
        row = rows[at]
        given = value[row]
        if how != COUNT and np.isnan(given):
            return _NO_VALUE
        old[at - begin], old_times[at - begin] = given, times[row]
        if len(gone) and gone[row]:
            continue
        source = src[row]
        kept = fate[source]
        if kept in (DIES, DELETED):
            continue
        if kept == UNDECIDED:
            return _UNSURE
        if kept != UNREACHED and how != COUNT:
            given, failed = _given(source, given, first, kind, before, after, state)
            if failed:
                return failed
        new[left], new_times[left] = given, times[row]
        left += 1
    before[way] = _value(how, old, old_times, end - begin)
    after[way] = _value(how, new, new_times, left)
    state[way] = CHANGED if before[way] != after[way] else SAME
    return 0


@njit(cache=True, nogil=True)
def _given(
    source: int, given: float, first: I32, kind: I8, before: F64, after: F64, state: I8
) -> tuple[float, int]:
    """Return what a surviving input gives now, and why that is not known, or 0."""
    found = given
    matches = 0
    changed = unknown = False
    for way in range(first[source], first[source + 1]):
        if state[way] == UNKNOWN_VALUE:
            unknown = True
        elif state[way] == CHANGED:
            changed = True
            if _close(before[way], given) and (matches == 0 or after[way] != found):
                found = after[way]
                matches += 1
    if matches == 1:
        return found, 0
    if unknown:
        return found, _NOT_KNOWN
    return found, _OTHER_VALUE if changed else 0


@njit(cache=True, nogil=True)
def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


@njit(cache=True, nogil=True)
def _value(how: int, values: F64, times: I64, count: int) -> float:
    """Return an aggregate of the first ``count`` values."""
    if how == COUNT:
        return float(times[:count].sum())
    if how == MIN:
        return values[:count].min() if count else np.nan
    if how == MAX:
        return values[:count].max() if count else np.nan
    if how == DISTINCT:
        ordered = np.sort(values[:count])
        return float(1 + (ordered[1:] != ordered[:-1]).sum()) if count else 0.0
    total = _exact_sum(values[:count], times[:count])
    if how == SUM:
        return total
    weight = times[:count].sum()
    return total / weight if weight else np.nan


@njit(cache=True, nogil=True)
def _exact_sum(values: F64, times: I64) -> float:
    """Return the sum of values times ``times``, with the rounding errors added up (Neumaier)."""
    total = rest = 0.0
    for at in range(len(values)):
        given = values[at] * times[at]
        grown = total + given
        if abs(total) >= abs(given):
            rest += (total - grown) + given
        else:
            rest += (given - grown) + total
        total = grown
    return total + rest
