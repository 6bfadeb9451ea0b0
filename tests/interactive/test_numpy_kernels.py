"""Each compiled loop that users may run without numba has a NumPy version with equal results."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.sampled import one_in
from provhouse.interactive.charts import cube_kernels
from provhouse.interactive.charts import cube_numpy as cube_twins
from provhouse.interactive.compiled import group_kernels
from provhouse.interactive.compiled import group_numpy as group_twins
from provhouse.interactive.index import kernels
from provhouse.interactive.index import numpy_kernels as twins
from provhouse.model.compiled import LARGE, TwinnedLoop, compiled

Random = np.random.Generator
SEEDS = range(20)
"""The first seeds give no rows, or one row."""


def _csr(random: Random, rows: int, number: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    offsets = np.zeros(rows + 1, np.int64)
    offsets[1:] = np.cumsum(random.integers(0, 40, rows) * random.integers(0, 2, rows))
    return offsets, random.integers(0, number, int(offsets[-1])).astype(np.int32)


def _once(random: Random, rows: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return a CSR in which each rid has at most one row."""
    offsets, rids = _csr(random, rows, 1)
    return offsets, random.permutation(rids.size * 2)[: rids.size].astype(np.int32)


def _index(random: Random, size: int) -> dict[str, tuple[Any, ...]]:
    rows, number = size % 9, size + 1
    offsets, rids = _csr(random, rows, number)
    inner, below = _csr(random, number, 50)
    middle = inner, below
    once = _once(random, rows)
    codes = np.full(once[1].size * 2, rows, np.int32)
    kernels.only_rows(*once, codes)
    keys = random.integers(0, rows + 1, size).astype(np.int32)
    values = random.integers(-2, 50, size).astype(np.int32)
    some = random.integers(0, max(rows, 1), 5 if rows else 0)
    bars = random.integers(0, 4, number).astype(np.uint8)
    return {
        "sort_pairs": (keys, values, rows + 1),
        "sort_rows": (offsets, rids),
        "only_rows": (*once, np.full(once[1].size * 2, rows, np.int32)),
        "place_rids": (once[0], codes, np.empty_like(once[1])),
        "merge_rows": (*kernels.invert(offsets, rids, number), rids[:0], rows),
        "mark": (rids, np.zeros(number, np.bool_)),
        "increasing": (offsets, rids) if size % 2 else kernels.sort_rows(offsets, rids),
        "invert": (offsets, rids, number),
        "composed_size": (offsets, rids, inner),
        "compose": (offsets, rids, *middle, kernels.composed_size(offsets, rids, inner)),
        "gather": (offsets, rids, some),
        "take": (random.random(number), rids, np.zeros(rids.size)),
        "pick": (bars, np.array([True, False, True, False]), rids, np.zeros_like(rids)),
    }


def _groups(random: Random, size: int) -> dict[str, tuple[Any, ...]]:
    number = 5
    kind = (np.uint8, np.uint16, np.int32)[size % 3]
    cells = random.integers(0, number + 1, size).astype(kind)
    codes = random.integers(0, 4, size).astype(np.uint8)
    places = np.array([0, 1, 1, 0], kind)
    wide = random.integers(-(2**62) // max(size, 1), 2**62 // max(size, 1), size)
    small = random.integers(-100, 100, size).astype(np.int8)
    counts = np.bincount(cells, minlength=number + 1)
    at = np.append(np.cumsum(counts[:number]) - counts[:number], size - counts[number])
    edges = [np.full(number + 1, np.iinfo(np.int64).max), np.full(number + 1, -(2**63))]
    return {
        "place": (codes, places, np.empty(size, kind)),
        "combine": (codes, places, cells, np.empty(size, kind)),
        "drop": (
            codes, np.array([~kind(0), 0, ~kind(0), 0], kind),
            np.array([0, number, 0, number], kind), cells, np.empty(size, kind),
        ),
        "count": (cells, group_kernels.totals(number)),
        "add": (cells, wide if size % 2 else small, group_kernels.totals(number)),
        "lowest": (cells, small if size % 2 else wide, edges[0]),
        "highest": (cells, wide, edges[1]),
        "scatter": (cells, 7, at, np.zeros(size + 1, np.int32)),
    }  # fmt: skip


def _cubes(random: Random, size: int) -> dict[str, tuple[Any, ...]]:
    bars = 6
    codes = random.integers(0, bars, size).astype(np.uint8)
    fails = random.integers(0, 8, size).astype(np.uint16)
    failing = random.integers(0, 2, bars).astype(np.uint16) << 3
    values = random.integers(-(2**40), 2**40, size)
    totals, cells = np.zeros(bars, np.int64), 30
    offsets, _ = cube_kernels.counting_sort(random.integers(0, cells, size).astype(np.uint8), cells)
    signs = random.integers(-1, 2, cells).astype(np.int8)
    runs = cube_kernels.changed_runs(offsets, signs)
    cube, chosen = random.integers(0, 9, (4, bars)), random.integers(0, 2, bars) > 0
    return {
        "mark": (codes, failing, fails.copy()),
        "count": (codes, fails, 2, totals.copy()),
        "add": (codes, fails, 5, values, totals.copy()),
        "extend": (codes.astype(np.uint32), codes[::-1].copy(), bars),
        "counting_sort": (codes, bars),
        "changed_runs": (offsets, signs),
        "flip_counts": (runs, codes, totals.copy()),
        "flip_values": (runs, codes, values, totals.copy()),
        "sum_rows": (cube.T.copy(), chosen, np.zeros(4, np.int64)),
        "sum_columns": (cube, chosen, np.zeros(4, np.int64)),
    }


CASES: list[tuple[Any, Any, Callable[[Random, int], dict[str, tuple[Any, ...]]]]] = [
    (kernels, twins, _index),
    (group_kernels, group_twins, _groups),
    (cube_kernels, cube_twins, _cubes),
]


@pytest.mark.parametrize(("loops", "numpy", "given"), CASES)
@pytest.mark.parametrize("seed", one_in(10, SEEDS))
def test_numpy_computes_the_same_as_the_loop(loops: Any, numpy: Any, given: Any, seed: int) -> None:
    arguments = given(np.random.default_rng(seed), seed if seed < 2 else seed * 37)
    assert set(arguments) == {name for name, each in vars(loops).items() if _is_loop(each)}
    for name, values in arguments.items():
        ours, theirs = _copied(values), _copied(values)
        loop = getattr(loops, name).machine_code
        expected, found = loop(*ours), getattr(numpy, name)(*theirs)
        _assert_same(name, expected, found)
        if name in ("pick", "scatter"):  # what follows the rows in the result is not read
            end = expected if name == "pick" else int((values[0] != 5).sum())
            ours[3][end:] = theirs[3][end:] = 0
        if not (name == "only_rows" and not expected):
            _assert_same(name, _summed(name, ours), _summed(name, theirs))


def test_a_loop_is_compiled_when_an_array_is_large() -> None:
    def loop(values: NDArray[np.int8]) -> int:
        return values.size + 1

    def twin(values: NDArray[np.int8]) -> int:
        return values.size

    found = compiled(twin)(loop)
    small, large = np.zeros(LARGE - 1, np.int8), np.zeros(LARGE, np.int8)
    assert [found(each) - each.size for each in (small, large, small)] == [0, 1, 1]


def _is_loop(each: object) -> bool:
    return isinstance(each, TwinnedLoop)


def _copied(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(value.copy() if isinstance(value, np.ndarray) else value for value in values)


def _summed(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a kernel's array arguments after a call; totals in several tables are added up."""
    return tuple(each.sum(axis=0) if name in ("count", "add") and each.ndim == 2 else each
                 for each in values if isinstance(each, np.ndarray))  # fmt: skip


def _assert_same(name: str, expected: Any, found: Any) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(expected, found, strict=True):
            _assert_same(name, one, other)
    elif isinstance(expected, np.ndarray):
        assert expected.dtype == found.dtype, name
        np.testing.assert_array_equal(expected, found, err_msg=name)
    else:
        assert expected == found, name
