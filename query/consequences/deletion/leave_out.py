"""Compute, for each input of an aggregate, the aggregate without this input, in just two passes.

The passes combine the values before an input with the values after it. An input is not subtracted
from the total, because the difference would lose values that are small compared to the input. A sum
is stored as two numbers: the total, and its rounding errors.
"""

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.compiled import compiled
from provhouse.model.derivations import WHOLE

from .recompute import AVG, COUNT, DISTINCT, F64, MAX, MIN, SUM, added, is_exact, value_of


def without_each(how: int, values: F64, times: I64, starts: I64) -> F64:
    """Return, for each input, the aggregate with the function ``how`` of all other inputs.

    An input's rows begin at its position in ``starts``, and end before the next position; the last
    entry of ``starts`` is the number of rows. If no other rows exist, the result is NaN.
    """
    if how == COUNT:
        counts: F64 = (times.sum() - np.add.reduceat(times, starts[:-1])).astype(np.float64)
        return counts
    if how in (MIN, MAX):
        sign = 1.0 if how == MIN else -1.0
        extremes: F64 = _extremes(values * sign, starts) * sign
        return extremes
    if how == DISTINCT:
        distinct: F64 = _distinct(np.asarray(_coded(values).indices), starts)
        return distinct
    sums, weights = _sums(values, times, starts)
    assert how in (SUM, AVG)
    if len(starts) == 2:  # nothing is left
        return np.full(1, np.nan)
    if how == AVG:
        sums = np.where(weights == 0, np.nan, sums / np.where(weights == 0, 1, weights))
    found: F64 = sums
    return found


def has_exact_parts(how: int, values: F64, times: I64) -> bool:
    """Return whether double precision can represent the aggregate of any selection of the rows.

    For large sums, the result may be False although double precision would be enough.
    """
    every = bool(is_exact(how, np.abs(values), times, len(values)))
    if not every or how != SUM or (values != np.floor(values)).any():
        return every
    return bool((np.abs(values) * times).sum() <= WHOLE)


def with_all(how: int, values: F64, times: I64) -> float:
    """Return the aggregate of all rows. There must be at least one row."""
    if how == DISTINCT:  # a dictionary needs no sorting
        return float(len(_coded(values).dictionary))
    return float(value_of(how, values, times, len(values)))


def _coded(values: F64) -> pa.DictionaryArray:
    return pa.array(values + 0.0).dictionary_encode()  # -0.0 becomes 0.0


@compiled(nogil=True)
def _sums(values: F64, times: I64, starts: I64) -> tuple[F64, F64]:
    """Return, for each input, the sum and the weight of the rows of all other inputs."""
    inputs = len(starts) - 1
    high, low = np.empty(inputs), np.empty(inputs)
    total = rest = 0.0
    for at in range(inputs):
        high[at], low[at] = total, rest
        for row in range(starts[at], starts[at + 1]):
            total, rest = _added(total, rest, values[row] * times[row])
    sums, weights = np.empty(inputs), np.empty(inputs)
    weight = times.sum()
    total = rest = 0.0
    for at in range(inputs - 1, -1, -1):
        first, second = _added(high[at], low[at], total)
        sums[at] = first + (second + rest)
        own = 0
        for row in range(starts[at], starts[at + 1]):
            total, rest = _added(total, rest, values[row] * times[row])
            own += times[row]
        weights[at] = weight - own
    return sums, weights


@compiled(nogil=True)
def _added(total: float, rest: float, given: float) -> tuple[float, float]:
    """Return a two-part number plus ``given``; the second part of a number is rounding errors."""
    grown, lost = added(total, given)
    return grown, rest + lost


@compiled(nogil=True)
def _extremes(values: F64, starts: I64) -> F64:
    """Return, for each input, the smallest value of all other inputs; NaN if there are none."""
    inputs = len(starts) - 1
    found = np.empty(inputs)
    least = np.inf
    for at in range(inputs):
        found[at] = least
        for row in range(starts[at], starts[at + 1]):
            least = min(least, values[row])
    least = np.inf
    for at in range(inputs - 1, -1, -1):
        found[at] = min(found[at], least)
        for row in range(starts[at], starts[at + 1]):
            least = min(least, values[row])
    if inputs == 1:
        found[0] = np.nan
    return found


@compiled(nogil=True)
def _distinct(codes: I32, starts: I64) -> F64:
    """Return, for each input, the number of distinct values of all other inputs.

    ``codes`` has the values as numbers from 0 without gaps.
    """
    inputs = len(starts) - 1
    givers = np.zeros(codes.max() + 1, np.int64)
    last = np.full(len(givers), -1, np.int64)
    for at in range(inputs):
        for row in range(starts[at], starts[at + 1]):
            if last[codes[row]] != at:
                last[codes[row]] = at
                givers[codes[row]] += 1
    found = np.empty(inputs)
    last[:] = -1
    for at in range(inputs):
        own = 0
        for row in range(starts[at], starts[at + 1]):
            if givers[codes[row]] == 1 and last[codes[row]] != at:
                last[codes[row]] = at
                own += 1
        found[at] = len(givers) - own
    return found


@compiled(nogil=True)
def leading_to(src: I32, of: I32, dst: I32, marked: Bools) -> Bools:
    """Return a mask of the places from which one or more triples lead to a marked place.

    For each row, ``src`` has the place of the row's src, and ``of`` has the row's derivation. For
    each derivation, ``dst`` has the place of its dst.
    """
    places = len(marked)
    begins = np.zeros(places + 2, np.int64)
    # The counts start two entries ahead. So begins[p + 1] is where p begins after the sums are
    # taken, and where p ends after the rows are filled in.
    for row in range(len(src)):
        begins[dst[of[row]] + 2] += 1
    for place in range(2, places + 2):
        begins[place] += begins[place - 1]
    rows = np.empty(len(src), np.int64)
    for row in range(len(src)):
        place = dst[of[row]] + 1
        rows[begins[place]] = row
        begins[place] += 1
    found = np.zeros(places, np.bool_)
    queue = np.empty(2 * places, np.int64)
    filled = 0
    for place in range(places):
        if marked[place]:
            queue[filled] = place
            filled += 1
    taken = 0
    while taken < filled:
        place = queue[taken]
        taken += 1
        for at in range(begins[place], begins[place + 1]):
            source = src[rows[at]]
            if not found[source]:
                found[source] = True
                if not marked[source]:
                    queue[filled] = source
                    filled += 1
    return found
