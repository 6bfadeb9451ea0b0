"""Compiled loops that recompute aggregates on arrays of derivations, inputs first."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.compiled import compiled
from provhouse.model.derivations import WHOLE
from provhouse.model.operations import FUNCTIONS

from .codes import DELETED, DIES, I8, SURVIVES, U8, UNDECIDED, UNREACHED
from .derivation_index import AGGREGATE, COPY, TripleIndex

F64 = npt.NDArray[np.float64]

SUM: Final = FUNCTIONS.index("sum")
COUNT: Final = FUNCTIONS.index("count")
MIN: Final = FUNCTIONS.index("min")
MAX: Final = FUNCTIONS.index("max")
AVG: Final = FUNCTIONS.index("avg")
DISTINCT: Final = FUNCTIONS.index("count_distinct")

_NOT_COMPUTED, CHANGED, UNKNOWN_VALUE, _SAME = 0, 1, 2, 3
LOST_INPUT, _NEW_INPUT, _UNKNOWN_INPUT, _UNSURE_INPUT = 1, 2, 4, 8

REASONS: Final = (
    "",
    "its op has no function that can be computed again",
    "an input has no value",
    "it is undecided whether an input still exists",
    "an input has changed, but its new value is not known",
    "an input has changed, and its triple does not have the value that changed",
    "it is computed from an input that has changed",
    "it is computed from itself, or from an item that is",
    "double precision does not have its exact value",
)
"""The reasons why a value is not computed again, by code. Code 0 means that the value is
computed.
"""
_NO_FUNCTION, _NO_VALUE, _UNSURE, _NOT_KNOWN, _OTHER_VALUE, _COMPUTED, _CYCLE = range(1, 8)
_INEXACT: Final = 8
_INTEGERS = 1e38
"""The limit of SQL's integers. A number in double precision above it is not an SQL integer."""


class InputValues(NamedTuple):
    """The rows of derivations, the position of each derivation's first row, and the tensors."""

    rows: I32
    begins: I64
    value: F64
    times: I64
    function: I8


class Lost(NamedTuple):
    """The fate of each place, and a mask (or an empty array) of the rows that a deletion ended."""

    fate: I8
    gone: Bools


class Outcome(NamedTuple):
    """For each derivation: flags about its inputs, old value, new value, state, and reason."""

    flags: U8
    before: F64
    after: F64
    state: I8
    why: I8


@compiled(nogil=True)
def seeds(
    graph: TripleIndex,
    sources: I32,
    starts: I32,
    lost: Lost,
    flags: U8,
    counts: I64,
    mark: U8,
    queue: I32,
) -> int:
    """Flag the aggregates that lose an input, and write their items to ``queue``."""
    filled = 0
    for place in starts:
        mark[place] = 1
        queue[filled] = place
        filled += 1
    for place in sources:
        unsure = lost.fate[place] == UNDECIDED
        for edge in range(graph.at[place], graph.at[place + 1]):
            way = graph.targets[edge]
            target = graph.dst[way]
            if lost.fate[target] != SURVIVES or graph.kind[way] != AGGREGATE:
                continue
            if len(lost.gone) and lost.gone[graph.rows[edge]]:
                continue
            flags[way] |= _UNSURE_INPUT if unsure else LOST_INPUT
            if not unsure:
                counts[way] += 1
            if not mark[target]:
                mark[target] = 1
                queue[filled] = target
                filled += 1
    return filled


@compiled(nogil=True)
def touch(graph: TripleIndex, fate: I8, mark: U8, queue: I32, filled: int, waiting: I32) -> int:
    """Add all surviving items downstream to ``queue``; count the inputs that each must wait for."""
    taken = 0
    while taken < filled:
        place = queue[taken]
        taken += 1
        for edge in range(graph.at[place], graph.at[place + 1]):
            target = graph.dst[graph.targets[edge]]
            if fate[target] != SURVIVES:
                continue
            waiting[target] += 1
            if not mark[target]:
                mark[target] = 1
                queue[filled] = target
                filled += 1
    return filled


@compiled(nogil=True)
def inputs(of: I32, graph: TripleIndex, touched: I32) -> tuple[I32, I64]:
    """Return the rows of the aggregates and copies that make the places ``touched``.

    The second result has, for each of these derivations, the position of its first row in the first
    result, where the rows of a derivation are consecutive. The derivation's ``size`` is their
    number.
    """
    begins = np.zeros(len(graph.kind), np.int64)
    count = 0
    for place in touched:
        for way in range(graph.first[place], graph.first[place + 1]):
            if graph.kind[way] == AGGREGATE or graph.kind[way] == COPY:
                count += graph.size[way]
                # This is the end of its rows: the loop below fills them backwards from here.
                begins[way] = count
    rows = np.empty(count, np.int32)
    for row in range(len(of) - 1, -1, -1):
        way = of[row]
        if begins[way]:
            begins[way] -= 1
            rows[begins[way]] = row
    return rows, begins


@compiled(nogil=True)
def recompute(
    graph: TripleIndex,
    lost: Lost,
    tensors: InputValues,
    touched: I32,
    waiting: I32,
    outcome: Outcome,
) -> None:
    """Set the new value, the state and the reason of each derivation, inputs first."""
    ready = np.empty(len(touched), np.int32)
    done = np.zeros(len(graph.first), np.uint8)
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
        flag = _judge_item(place, graph, lost, tensors, outcome)
        for edge in range(graph.at[place], graph.at[place + 1]):
            way = graph.targets[edge]
            target = graph.dst[way]
            if lost.fate[target] != SURVIVES:
                continue
            outcome.flags[way] |= flag
            waiting[target] -= 1
            if waiting[target] == 0:
                ready[filled] = target
                filled += 1
    for place in touched:  # places on a cycle or after one never become ready
        if not done[place]:
            for way in range(graph.first[place], graph.first[place + 1]):
                outcome.state[way], outcome.why[way] = UNKNOWN_VALUE, _CYCLE


@compiled(nogil=True)
def _judge_item(
    place: int, graph: TripleIndex, lost: Lost, tensors: InputValues, outcome: Outcome
) -> int:
    """Check the derivations of an item; return the flag to set on derivations that use it."""
    changed = unknown = False
    for way in range(graph.first[place], graph.first[place + 1]):
        if not outcome.flags[way]:
            continue
        if graph.kind[way] == AGGREGATE:
            outcome.why[way] = _aggregate(way, graph, lost, tensors, outcome)
        elif graph.kind[way] == COPY:
            outcome.why[way] = _copied(way, graph, tensors, outcome)
        elif outcome.flags[way] & (_NEW_INPUT | _UNKNOWN_INPUT):
            outcome.why[way] = _COMPUTED
        if outcome.why[way]:
            outcome.state[way] = UNKNOWN_VALUE
            unknown = True
        elif outcome.state[way] == CHANGED:
            changed = True
    if unknown:
        return _UNKNOWN_INPUT | (_NEW_INPUT if changed else 0)
    return _NEW_INPUT if changed else 0


@compiled(nogil=True)
def _copied(way: int, graph: TripleIndex, tensors: InputValues, outcome: Outcome) -> int:
    """Set a copy's values to its group's values; return the reason why they are unknown, or 0."""
    group = graph.src[tensors.rows[tensors.begins[way]]]
    for of in range(graph.first[group], graph.first[group + 1]):
        if outcome.state[of] == CHANGED:
            outcome.before[way], outcome.after[way], outcome.state[way] = (
                outcome.before[of],
                outcome.after[of],
                CHANGED,
            )
            return 0
        if outcome.state[of] == UNKNOWN_VALUE:
            return int(outcome.why[of])
    return 0


@compiled(nogil=True)
def _aggregate(
    way: int, graph: TripleIndex, lost: Lost, tensors: InputValues, outcome: Outcome
) -> int:
    """Compute an aggregate before and after the deletion; return 0, or why that is impossible."""
    how = tensors.function[way]
    if how < SUM or how > DISTINCT:
        return _NO_FUNCTION
    begin, end = tensors.begins[way], tensors.begins[way] + graph.size[way]
    old = np.empty(end - begin)
    new = np.empty(end - begin)
    old_times = np.empty(end - begin, np.int64)
    new_times = np.empty(end - begin, np.int64)
    left = 0
    for at in range(begin, end):
        row = tensors.rows[at]
        given = tensors.value[row]
        if how != COUNT and np.isnan(given):
            return _NO_VALUE
        old[at - begin], old_times[at - begin] = given, tensors.times[row]
        if len(lost.gone) and lost.gone[row]:
            continue
        source = graph.src[row]
        kept = lost.fate[source]
        if kept in (DIES, DELETED):
            continue
        if kept == UNDECIDED:
            return _UNSURE
        if kept != UNREACHED and how != COUNT:
            given, failed = _given(source, given, graph, outcome)
            if failed:
                return failed
        new[left], new_times[left] = given, tensors.times[row]
        left += 1
    if not (is_exact(how, old, old_times, end - begin) and is_exact(how, new, new_times, left)):
        return _INEXACT
    outcome.before[way] = value_of(how, old, old_times, end - begin)
    outcome.after[way] = value_of(how, new, new_times, left)
    outcome.state[way] = CHANGED if outcome.before[way] != outcome.after[way] else _SAME
    return 0


@compiled(nogil=True)
def _given(source: int, given: float, graph: TripleIndex, outcome: Outcome) -> tuple[float, int]:
    """Return the new value of a surviving input, and the reason why the value is unknown, or 0."""
    found = given
    matches = 0
    changed = unknown = other = False
    for way in range(graph.first[source], graph.first[source + 1]):
        if outcome.state[way] == UNKNOWN_VALUE:
            unknown = True
            continue
        if graph.kind[way] != AGGREGATE and graph.kind[way] != COPY:
            continue
        # The triple's value may come from an aggregate that lost nothing.
        if outcome.state[way] == _NOT_COMPUTED:
            other = True
            continue
        changed |= outcome.state[way] == CHANGED
        if _close(outcome.before[way], given) and (matches == 0 or outcome.after[way] != found):
            found = outcome.after[way]
            matches += 1
    if matches == 1:
        sure = not np.isnan(found) and (found == given or not other)
        return found, 0 if sure else _NOT_KNOWN
    if unknown:
        return found, _NOT_KNOWN
    return found, _OTHER_VALUE if changed else 0


@compiled(nogil=True)
def _close(one: float, other: float) -> bool:
    """Return whether two sums differ only by the order in which floats were added."""
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


@compiled(nogil=True)
def value_of(how: int, values: F64, times: I64, count: int) -> float:
    """Return the aggregate of the first ``count`` values by the function ``how``."""
    if how == COUNT:
        return float(times[:count].sum())
    if how == MIN:
        return values[:count].min() if count else np.nan
    if how == MAX:
        return values[:count].max() if count else np.nan
    if how == DISTINCT:
        ordered = np.sort(values[:count])
        return float(1 + (ordered[1:] != ordered[:-1]).sum()) if count else 0.0
    total = exact_sum(values[:count], times[:count])
    if how == SUM:
        return total if count else np.nan
    weight = times[:count].sum()
    return total / weight if weight else np.nan


@compiled(nogil=True)
def exact_sum(values: F64, times: I64) -> float:
    """Return the sum of ``values`` times ``times``, corrected for rounding errors (Neumaier)."""
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


@compiled(nogil=True)
def is_exact(how: int, values: F64, times: I64, count: int) -> bool:
    """Return whether double precision can represent the aggregate of the first ``count`` values.

    The result is False for a sum that is too large, and for a sum of integers that would lose
    digits. Sums of numbers that are not integers are always rounded, so the result is True for
    them.
    """
    if how == COUNT:
        return float(times[:count].astype(np.float64).sum()) <= WHOLE
    if how != SUM and how != AVG:
        return True
    total = rest = 0.0
    integers, kept = True, True
    for at in range(count):
        given = values[at] * times[at]
        integers &= np.floor(values[at]) == values[at] and abs(given) < _INTEGERS
        kept &= times[at] == 1 or abs(given) <= WHOLE
        total, lost = added(total, given)
        rest += lost
        kept &= abs(rest) <= WHOLE
    result, lost = added(total, rest)
    if not np.isfinite(result):
        return False
    return how == AVG or not integers or (kept and lost == 0)


@compiled(nogil=True)
def added(one: float, other: float) -> tuple[float, float]:
    """Return the sum of two numbers, and the rounding error of the sum (Knuth)."""
    total = one + other
    back = total - one
    return total, (one - (total - back)) + (other - back)
