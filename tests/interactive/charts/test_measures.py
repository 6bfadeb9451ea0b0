"""Measures are whole numbers with exact sums. Columns that cannot be summed are refused."""

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from provhouse.interactive.charts.measures import measure
from provhouse.model.errors import BadInput, UsageError


@pytest.mark.parametrize(
    "values",
    [[1, None, -3], [0.1, None, 0.2], [1e-300, 2e-300], [1e300, 1.0], [0.0], [],
     [Decimal("1.25"), None]],
)  # fmt: skip
def test_the_sum_of_all_values_is_right(values: list[Any]) -> None:
    kind = None if values else pa.float64()
    found = measure(pa.table({"x": pa.array(values, kind)}), "x")
    expected = float(sum(value for value in values if value is not None))
    assert found.sums(np.array([found.values.sum()])) == pytest.approx([expected], rel=1e-12)
    present = found.present
    assert (present is not None) == (None in values)
    assert present is None or present.tolist() == [int(value is not None) for value in values]


@pytest.mark.parametrize(
    ("values", "error", "problem"),
    [
        (["a"], UsageError, "cannot be added up"),
        ([1 << 62], UsageError, "could exceed 64 bits"),
        ([float("inf")], BadInput, "infinite number"),
    ],
)
def test_what_cannot_be_added_up_is_refused(
    values: list[Any], error: type[Exception], problem: str
) -> None:
    with pytest.raises(error, match=problem):
        measure(pa.table({"x": values}), "x")
    with pytest.raises(UsageError, match="no column 'y'"):
        measure(pa.table({"x": values}), "y")
