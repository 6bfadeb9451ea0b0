"""The search for a smallest failing set, tested on sets of numbers without Spark."""

import random
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from provhouse.capturing.walks.minimal import Remembered, smallest
from provhouse.capturing.walks.suspicion import unusual_first
from provhouse.model.arrays import I64


def everything(rows: I64) -> I64:
    return rows


def check_smallest(rows: I64, fails: Callable[[I64], bool]) -> None:
    assert fails(rows)
    assert not any(fails(np.delete(rows, at)) for at in range(len(rows)))


def test_culprits_are_found_in_about_log_n_runs_each() -> None:
    dice = random.Random(7)
    for culprits in (1, 2, 3):
        wanted = {*dice.sample(range(100_000), culprits)}
        fails = Remembered(lambda rows, wanted=wanted: wanted <= {*rows.tolist()})  # type: ignore[misc]
        found = smallest([np.arange(90_000), np.arange(90_000, 100_000)], fails, everything)
        assert {*found.tolist()} == wanted
        assert fails.runs <= 24 * culprits + 4


@pytest.mark.parametrize("seed", range(40))
def test_what_is_found_is_1_minimal_for_any_test(seed: int) -> None:
    """A test can pass again when rows are added, for example a mean compared with a limit."""
    dice = random.Random(seed)
    values = [dice.choice([0, 1, 5, 60, 200]) for _ in range(40)]
    kinds: list[Callable[[list[int]], bool]] = [
        lambda some: sum(some) > 300,
        lambda some: bool(some) and sum(some) / len(some) > 30,
        lambda some: len(some) % 7 == len(values) % 7,
        lambda some: some.count(60) >= min(2, values.count(60)) and 0 not in some[:1],
        lambda some: len(some) > len({*some}),
    ]
    for kind in kinds:
        fails = Remembered(lambda rows, kind=kind: kind([values[row] for row in rows]))  # type: ignore[misc]
        every = np.arange(len(values))
        if fails(every):
            tables = [every[every % 3 != 1], every[every % 3 == 1]]
            check_smallest(smallest(tables, fails, everything), fails)


def test_nothing_is_needed_for_what_fails_without_rows() -> None:
    fails = Remembered(lambda rows: True)
    assert not len(smallest([np.arange(10)], fails, everything))
    assert not len(smallest([], fails, everything))


def test_unusual_rows_come_first() -> None:
    rows = pa.table(
        {
            "id": [*range(100, 108)],
            "delay": [10.0, 11.0, 9.0, None, 10.5, 900.0, 10.2, 9.9],
            "kind": ["a", "a", "a", "a", "a", "a", "a", "b"],
        }
    )
    assert unusual_first(rows)[:3].tolist() == [5, 3, 7]
    assert unusual_first(rows.slice(0, 0)).tolist() == []
    odd = pa.table({"l": [[1], [2]], "t": [None, "x"], "n": pa.nulls(2, pa.int64())})
    assert sorted(unusual_first(odd).tolist()) == [0, 1]
