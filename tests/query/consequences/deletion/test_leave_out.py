"""Aggregates without one input equal aggregates of the other rows, in exact arithmetic."""

from fractions import Fraction
from math import isclose, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.sampled import one_in
from provhouse.model.operations import FUNCTIONS
from provhouse.query.consequences.deletion.leave_out import leading_to, without_each
from provhouse.query.consequences.deletion.recompute import value_of

COMPUTED = ("sum", "count", "min", "max", "avg", "count_distinct")
VALUES = st.sampled_from((0.1, 0.2, -0.3, 1e16, -1e16, 7.0, 1e-9, 0.0))
ROWS = st.lists(st.tuples(VALUES, st.integers(1, 3)), min_size=1, max_size=3)


def exact(function: str, rows: list[tuple[float, int]]) -> float:
    """Return the aggregate of values, each of which counts as often as its given number."""
    values = [value for value, times in rows for _ in range(times)]
    if function == "count":
        return float(len(values))
    if function == "count_distinct":
        return float(len({*values}))
    if not values:
        return nan
    if function in ("min", "max"):
        return min(values) if function == "min" else max(values)
    total = sum(map(Fraction, values))
    return float(total / len(values) if function == "avg" else total)


@pytest.mark.parametrize("function", one_in(6, COMPUTED))
@given(inputs=st.lists(ROWS, min_size=1, max_size=6))
def test_alternatives_are_exact(function: str, inputs: list[list[tuple[float, int]]]) -> None:
    rows = [row for each in inputs for row in each]
    values, times = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    starts = np.cumsum([0, *map(len, inputs)])
    how = FUNCTIONS.index(function)
    found = without_each(how, values, times, starts)
    for at, after in enumerate(found.tolist()):
        left = [row for other, each in enumerate(inputs) if other != at for row in each]
        expected = exact(function, left)
        if isnan(expected):
            assert isnan(after)
            continue
        # The product of a value and the number of times that it counts is rounded, as always.
        assert isclose(after, expected, rel_tol=1e-15, abs_tol=1e-15)
        kept = np.repeat(np.arange(len(inputs)) != at, np.diff(starts))
        same = value_of(how, values[kept], times[kept], int(kept.sum()))
        assert isclose(after, same, rel_tol=1e-15, abs_tol=1e-15)


def test_what_is_small_beside_an_input_is_not_lost() -> None:
    values = np.array([1e300, 1.0, 2.0, -1e300, 3e-9])
    found = without_each(FUNCTIONS.index("sum"), values[:3], np.ones(3, np.int64), np.arange(4))
    assert found.tolist() == [3.0, 1e300, 1e300]
    both = without_each(FUNCTIONS.index("sum"), values, np.ones(5, np.int64), np.arange(6))
    assert both[4] == 3.0


def test_a_place_leads_to_what_is_derived_from_it() -> None:
    """Position 0 leads to 1, 1 leads to 2, and 3 leads to itself."""
    src, of, dst = (np.array(each, np.int32) for each in ([0, 1, 3], [0, 1, 2], [1, 2, 3]))
    marked = np.array([False, False, True, True, False])
    assert leading_to(src, of, dst, marked).tolist() == [True, True, False, True, False]
