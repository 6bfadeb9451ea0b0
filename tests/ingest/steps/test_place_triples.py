"""Partitions are filled in order up to a size limit. A set that fits into one is not divided."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from provhouse.ingest.steps.place_triples import partition

SIZES = st.lists(st.integers(1, 20), max_size=30)


@settings(deadline=None, max_examples=300)
@given(SIZES, st.integers(1, 25))
def test_placements_describe_the_partitions(sizes: list[int], limit: int) -> None:
    sets = np.repeat(np.arange(len(sizes)) * 3 + 5, sizes)
    bounds, placements = partition(sets, limit)
    rows = np.diff(bounds)
    assert bounds[0] == 0
    assert bounds[-1] == len(sets)
    assert ((rows > 0) & (rows <= limit)).all()
    reported = sorted(tuple(row.values()) for row in placements.to_pylist())
    there = [
        (int(one), number, int((sets[start:end] == one).sum()))
        for number, (start, end) in enumerate(pairwise(bounds))
        for one in np.unique(sets[start:end])
    ]
    assert reported == sorted(there)


@settings(deadline=None, max_examples=300)
@given(SIZES, st.integers(1, 25))
def test_a_set_that_fits_is_in_one_partition(sizes: list[int], limit: int) -> None:
    placements = partition(np.repeat(np.arange(len(sizes)), sizes), limit)[1]
    pieces = np.bincount(np.asarray(placements["set"]), minlength=len(sizes))
    for size, count in zip(sizes, pieces, strict=True):
        # A larger set begins a new partition, and is divided into as few partitions as possible.
        assert count == -(-size // limit)


def test_a_partition_is_filled_to_its_limit() -> None:
    placements = partition(np.repeat(np.arange(5), [2, 2, 3, 1, 9]), 4)[1]
    assert placements["partition"].to_pylist() == [0, 0, 1, 1, 2, 3, 4]
    assert placements["triples"].to_pylist() == [2, 2, 3, 1, 4, 4, 1]
