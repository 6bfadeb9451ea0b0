"""Runs of rows are divided into stretches that have exactly the rows of the runs."""

import random
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

from provhouse.capturing.reading import stretches

SIZES = (1, 2, 7, 8, 9, 16, 17, 100, 129)


def positions(
    first: int, last: int, runs: list[tuple[int, int]]
) -> Iterator[tuple[list[int], int]]:
    """Divide runs of one partition; yield the positions of each, and its number of stretches."""
    numbers = np.arange(len(runs))
    start, end = np.array(runs).T
    bounds = (np.full(len(runs), each) for each in (first, last))
    short, long = stretches.divided((numbers, start, end), *bounds)
    found, count = defaultdict[int, list[int]](list), defaultdict[int, int](int)
    for at, low, high in short:
        for number, one, other in zip(at.tolist(), low.tolist(), high.tolist(), strict=True):
            found[number] += range(one, other)
    for at, stretch in long:
        low, high = stretches.bounds(stretch)
        for number, one, other in zip(at.tolist(), low.tolist(), high.tolist(), strict=True):
            found[number] += range(one, min(other, last))
            count[number] += 1
    yield from ((found[number], count[number]) for number in numbers.tolist())


@pytest.mark.parametrize("least", [0, 1, 3])
def test_each_run_has_its_rows_once_and_few_stretches(
    least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stretches, "LEAST_BITS", least)
    for size in SIZES:
        first = 1000 + size  # a partition may begin anywhere
        pairs = [(start, end) for start in range(size) for end in range(start + 1, size + 1)]
        runs = [(first + start, first + end) for start, end in pairs]
        every = positions(first, first + size, runs)
        for (start, end), (found, count) in zip(runs, every, strict=True):
            assert sorted(found) == [*range(start, end)], (size, start, end)
            assert count <= 2 * (end - start).bit_length()


def test_a_running_total_shares_its_stretches() -> None:
    """A run up to a row, or from a row to the end, has one stretch of each length, at most."""
    size = 1 << 10
    for runs in ([(0, end) for end in range(1, size)], [(start, size) for start in range(size)]):
        counts = [count for _, count in positions(0, size, runs)]
        assert max(counts) <= size.bit_length() - stretches.LEAST_BITS
        assert sum(counts) <= size * 4


def test_overlapping_runs_of_a_row_become_disjoint() -> None:
    rng = random.Random(7)
    for _ in range(200):
        given = [[tuple(sorted(rng.choices(range(12), k=2))) for _ in range(5)] for _ in range(3)]
        arrays = [np.array(part) for part in given]
        found = defaultdict[int, list[int]](list)
        for rows, starts, ends in stretches.merged([(each[:, 0], each[:, 1]) for each in arrays]):
            for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
                found[row] += range(start, end)
        for row in range(5):
            expected = {at for part in given for at in range(*part[row])}
            assert sorted(found[row]) == sorted(expected)
