"""New values of aggregates over aggregates, compared with values computed by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.model.arrays import ItemNumbers
from provhouse.model.derivations import KINDS
from provhouse.model.operations import FUNCTIONS
from provhouse.query.consequences.deletion.derivation_index import DerivationRows, Derivations
from provhouse.query.consequences.deletion.fates import fates
from provhouse.query.consequences.deletion.leave_out import has_exact_parts, without_each
from provhouse.query.consequences.deletion.new_values import Recomputed, Tensors
from provhouse.query.consequences.deletion.recompute import REASONS, is_exact, value_of

Row = tuple[int, int, int, str, float]
"""A triple: its src, its dst, the derivation of the dst, the function, and the value."""
NONE = float("nan")


def values_without(
    rows: list[Row], deleted: int, times: int = 1
) -> dict[tuple[int, str], float | str]:
    """Return each changed value, by item and function, or the reason why the value is unknown."""
    src, dst, way = (np.array([row[at] for row in rows], np.int64) for at in range(3))
    kind = np.full(len(rows), KINDS["aggregate"], np.int8)
    graph = Derivations(DerivationRows(src, dst, kind, way))
    function = np.full(len(graph.dst), -1, np.int8)
    function[graph.of] = [FUNCTIONS.index(row[3]) for row in rows]
    value = np.array([row[4] for row in rows])
    tensors = Tensors(value, np.full(len(rows), times, np.int64), function)
    places = graph.place(ItemNumbers(np.array([deleted], np.int64)))
    ended = np.empty(0, np.int32)
    found = Recomputed(graph, tensors, fates(graph, places, ended)).values(places, ended)

    def named(ways: np.ndarray) -> list[tuple[int, str]]:
        items = graph.items(graph.dst[ways]).tolist()
        return list(zip(items, [FUNCTIONS[at] for at in function[ways].tolist()], strict=True))

    known = dict(zip(named(found.ways), found.after.tolist(), strict=True))
    reasons = [REASONS[reason] for reason in found.reasons.tolist()]
    return known | dict(zip(named(found.unknown), reasons, strict=True))


COUNT_AND_MAX: list[Row] = [
    (1, 10, 0, "count", NONE), (2, 10, 0, "count", NONE), (3, 10, 0, "count", NONE),
    (1, 10, 1, "max", 3.0), (4, 10, 1, "max", 1.0),
    (10, 20, 0, "sum", 3.0), (5, 20, 0, "sum", 4.0),
]  # fmt: skip
"""Item 10 has a count and a maximum, both 3. Item 20 adds one of these to 4."""
UNCLEAR = "an input has changed, and its triple does not have the value that changed"
NOT_KNOWN = "an input has changed, but its new value is not known"


@pytest.mark.long
@pytest.mark.parametrize(
    ("deleted", "expected"),
    [
        # The triple may have the maximum, which is not computed again.
        (3, {(10, "count"): 2.0, (20, "sum"): NOT_KNOWN}),
        # Both values change, in different ways.
        (
            1,
            {
                (10, "count"): 2.0,
                (10, "max"): 1.0,
                (
                    20,
                    "sum",
                ): "an input has changed, and its triple does not have the value that changed",
            },
        ),
        # The maximum stays the same, and the count is not computed again.
        (4, {}),
        (5, {(20, "sum"): 3.0}),
    ],
)
def test_a_value_is_not_taken_for_that_of_another_aggregate(
    deleted: int, expected: dict[tuple[int, str], float | str]
) -> None:
    assert values_without(COUNT_AND_MAX, deleted) == expected


def test_a_sum_of_nothing_is_null() -> None:
    rows: list[Row] = [
        (1, 10, 0, "sum", 3.0), (2, 10, 1, "count", NONE), (10, 20, 0, "sum", 3.0),
        (5, 20, 0, "sum", 4.0),
    ]  # fmt: skip
    found = values_without(rows, 1)
    assert np.isnan(found.pop((10, "sum")))  # item 10 still exists, because it has a count
    assert found == {(20, "sum"): NOT_KNOWN}


INEXACT = "double precision does not have its exact value"
WHOLE = 2.0**53


@pytest.mark.parametrize(
    ("function", "values", "times", "after"),
    [
        ("sum", [1e308, 1e308, -1e308], 1, INEXACT),  # the sum is infinite
        ("avg", [1e308, 1e308, -1e308], 1, INEXACT),
        ("sum", [1e308, -1e308, 1e308], 1, 0.0),
        ("sum", [9e307, 5.0], 2, INEXACT),
        ("sum", [9e307, 9e306], 1, 9e307),
        ("max", [1e308, 1e308, 1.5e308], 1, 1e308),
        ("sum", [WHOLE, 1.0, 4.0], 1, INEXACT),
        ("sum", [WHOLE, 2.0, 4.0], 1, WHOLE + 2),
        ("sum", [WHOLE - 1, 1.0, 4.0], 1, WHOLE),
        ("sum", [-WHOLE, -1.0, 4.0], 1, INEXACT),
        # not integers, so the sum is rounded, as in a database
        ("sum", [WHOLE, 1.5, -WHOLE], 1, WHOLE + 2),
        ("sum", [WHOLE - 1, 4.0], 3, INEXACT),
        ("sum", [4.0, WHOLE, 1.0, -WHOLE], 1, INEXACT),
        ("avg", [WHOLE, 1.0, 4.0], 1, (WHOLE + 1) / 2),
        ("count", [NONE, NONE], 2**53, INEXACT),
        ("count", [NONE, NONE], 2**52, 2.0**52),
        ("min", [WHOLE, 1.0, 0.0], 1, 1.0),
    ],
)
def test_a_value_has_all_its_digits_or_a_reason(
    function: str, values: list[float], times: int, after: float | str
) -> None:
    """In each case, the last input is deleted."""
    rows: list[Row] = [(at, 10, 0, function, value) for at, value in enumerate(values)]
    found = values_without(rows, len(values) - 1, times)
    assert found.get((10, function)) == after


@given(
    st.lists(st.integers(-(2**60), 2**60).map(float), min_size=1, max_size=6),
    st.integers(1, 3),
)
def test_sums_of_integers_are_exact_or_refused(values: list[float], times: int) -> None:
    column, each = np.array(values), np.full(len(values), times)
    exact = sum(int(value) for value in values) * times
    if is_exact(0, column, each, len(values)):
        assert value_of(0, column, each, len(values)) == exact
    if has_exact_parts(0, column, each) and len(values) > 1:
        left = without_each(0, column, each, np.arange(len(values) + 1))
        assert [int(one) for one in left] == [exact - int(one) * times for one in values]
    if sum(map(abs, values)) * times < WHOLE:
        assert is_exact(0, column, each, len(values))
        assert has_exact_parts(0, column, each)
