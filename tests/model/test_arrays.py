"""The fast array functions return the same values as numpy's slower functions."""

import numpy as np
import pytest

from provhouse.model.arrays import (
    among,
    distinct,
    expand_ranges,
    matching_rows,
    minus,
    union,
    unique,
)


@pytest.mark.parametrize("span", [5, 50, 5_000, 2**50, 2**63 - 1])
def test_among_equals_isin(span: int) -> None:
    random = np.random.default_rng(span)
    for _ in range(200):
        values = random.integers(-span, span, random.integers(0, 60))
        ordered = np.unique(random.integers(-span, span, random.integers(0, 30)))
        assert np.array_equal(among(values, ordered), np.isin(values, ordered))


@pytest.mark.parametrize("span", [5, 50, 5_000, 2**50, 2**63 - 1])
def test_distinct_equals_unique(span: int) -> None:
    random = np.random.default_rng(span)
    for size in (0, 1, *range(2, 200, 7)):
        values = random.integers(-span, span, size)
        ordered, places = distinct(values)
        assert np.array_equal(ordered, np.unique(values))
        assert np.array_equal(ordered[places], values)


@pytest.mark.parametrize("span", [5, 50, 5_000, 2**50, 2**63 - 1])
def test_sets_equal_those_of_numpy(span: int) -> None:
    random = np.random.default_rng(span)
    for size in (0, 1, *range(2, 200, 7)):
        one, other = random.integers(-span, span, (2, size))
        for kind in (np.int64, np.int32):
            if span < 2**31:
                assert np.array_equal(unique(one.astype(kind)), np.unique(one))
        assert np.array_equal(unique(np.stack([one, other])), np.unique([one, other]))
        assert np.array_equal(union(one, other[:3]), np.union1d(one, other[:3]))
        assert np.array_equal(minus(one, other), np.setdiff1d(one, other))
    assert union(one, []).dtype == minus(one, []).dtype == np.int64


def test_ranges_are_expanded_in_turn() -> None:
    starts, counts = np.array([5, 9, 2, 7]), np.array([2, 0, 3, 1])
    assert expand_ranges(starts, counts).tolist() == [5, 6, 2, 3, 4, 7]
    assert expand_ranges(starts[:0], counts[:0]).tolist() == []


@pytest.mark.parametrize("span", [5, 50, 2**50])
def test_matching_rows_are_all_equal_pairs(span: int) -> None:
    random = np.random.default_rng(span)
    for size in (0, 1, 7, 40):
        keys = np.sort(random.integers(0, span, size))
        wanted = random.integers(0, span, 20)
        rows, owner = matching_rows(keys, wanted)
        pairs = [(row, at) for at in range(20) for row in range(size) if keys[row] == wanted[at]]
        assert list(zip(rows.tolist(), owner.tolist(), strict=True)) == pairs
