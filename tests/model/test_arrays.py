"""The fast array functions return the same as numpy's slower ones."""

import numpy as np
import pytest

from provhouse.model.arrays import among, distinct


@pytest.mark.parametrize("span", [5, 50, 5_000, 2**50])
def test_among_equals_isin(span: int) -> None:
    random = np.random.default_rng(span)
    for _ in range(200):
        values = random.integers(-span, span, random.integers(0, 60))
        ordered = np.unique(random.integers(-span, span, random.integers(0, 30)))
        assert np.array_equal(among(values, ordered), np.isin(values, ordered))


@pytest.mark.parametrize("span", [5, 50, 5_000, 2**50])
def test_distinct_equals_unique(span: int) -> None:
    random = np.random.default_rng(span)
    for size in (0, 1, *range(2, 200, 7)):
        values = random.integers(-span, span, size)
        ordered, places = distinct(values)
        assert np.array_equal(ordered, np.unique(values))
        assert np.array_equal(ordered[places], values)
