"""New values of aggregates whose inputs have aggregates of their own, written out by hand."""

import numpy as np
import pytest

from provhouse.model.arrays import ItemNumbers
from provhouse.model.derivations import KINDS
from provhouse.model.operations import FUNCTIONS
from provhouse.query.deletion.derivations import Derivations, Rows
from provhouse.query.deletion.fates import fates
from provhouse.query.deletion.recompute import REASONS
from provhouse.query.deletion.values import Recomputed, Tensors

Row = tuple[int, int, int, str, float]
"""The src, the dst, the derivation of the dst, its function, and the value of a triple."""
NONE = float("nan")


def values_without(rows: list[Row], deleted: int) -> dict[tuple[int, str], float | str]:
    """Return the values that change, or why one is not known, by item and function."""
    src, dst, way = (np.array([row[at] for row in rows], np.int64) for at in range(3))
    kind = np.full(len(rows), KINDS["aggregate"], np.int8)
    graph = Derivations(Rows(src, dst, kind, way))
    function = np.full(len(graph.dst), -1, np.int8)
    function[graph.of] = [FUNCTIONS.index(row[3]) for row in rows]
    value = np.array([row[4] for row in rows])
    tensors = Tensors(value, np.ones(len(rows), np.int64), function)
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
"""Item 10 has a count and a maximum of 3, and item 20 adds one of them to 4."""
UNCLEAR = "an input has changed, and its triple does not have the value that changed"
NOT_KNOWN = "an input has changed, but its new value is not known"


@pytest.mark.parametrize(
    ("deleted", "expected"),
    [
        # The triple may have the maximum, which is not computed again.
        (3, {(10, "count"): 2.0, (20, "sum"): NOT_KNOWN}),
        # Both change, in different ways.
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
        # The maximum stays, and the count is not computed again.
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
    assert np.isnan(found.pop((10, "sum")))  # item 10 still exists by its count
    assert found == {(20, "sum"): NOT_KNOWN}
