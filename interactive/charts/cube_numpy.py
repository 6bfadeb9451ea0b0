"""The loops of ``cube_kernels`` as NumPy operations, for users without numba."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from provhouse.model.arrays import expand_ranges, key_starts

Codes = NDArray[Any]
Ints = NDArray[np.int64]
Fails = NDArray[np.uint16]


def mark(codes: Codes, failing: Fails, fails: Fails) -> None:
    """For each row, set the bit in ``fails`` that ``failing`` contains for the row's bar."""
    fails |= failing[codes]


def count(codes: Codes, fails: Fails, own: int, out: Ints) -> None:
    """Add to ``out``, for each bar, the number of its rows that pass all views outside ``own``."""
    out += np.bincount(codes[_passing(fails, own)], minlength=out.size)


def add(codes: Codes, fails: Fails, own: int, values: Ints, out: Ints) -> None:
    """Add to ``out``, for each bar, the values of its rows that pass all views outside ``own``."""
    passing = _passing(fails, own)
    np.add.at(out, codes[passing], values[passing])


def extend(keys: NDArray[np.uint32], codes: Codes, bars: int) -> None:
    """Extend composite keys by the codes of one more view: ``keys = keys * bars + codes``."""
    keys *= np.uint32(bars)
    keys += codes.astype(np.uint32)


def counting_sort(keys: Codes, cells: int) -> tuple[Ints, NDArray[np.int32]]:
    """Return each key's start in the sorted order, and the rows' positions in that order."""
    return key_starts(keys, cells), np.argsort(keys, kind="stable").astype(np.int32)


def changed_runs(offsets: Ints, signs: NDArray[np.int8]) -> Ints:
    """Return runs of entries whose cells have the same sign: first entry, end, sign."""
    cells = np.flatnonzero((signs != 0) & (offsets[1:] > offsets[:-1]))
    first, end, sign = offsets[cells], offsets[cells + 1], signs[cells]
    new = np.ones(cells.size, np.bool_)
    new[1:] = (first[1:] != end[:-1]) | (sign[1:] != sign[:-1])
    last = np.roll(new, -1)  # the cell before a new run, and the last cell, end a run
    return np.stack([first[new], end[last], sign[new]], axis=1, dtype=np.int64)


def flip_counts(runs: Ints, keys: Codes, out: Ints) -> None:
    """For each entry and its key in each run, add the run's sign (1 or -1) to ``out[key]``."""
    for sign in (1, -1):
        chosen = runs[runs[:, 2] == sign]
        out += sign * np.bincount(keys[_entries(chosen)], minlength=out.size)


def flip_values(runs: Ints, keys: Codes, values: Ints, out: Ints) -> None:
    """Like ``flip_counts``, but add the entry's value times the run's sign."""
    entries = _entries(runs)
    signs = np.repeat(runs[:, 2], runs[:, 1] - runs[:, 0])
    np.add.at(out, keys[entries], signs * values[entries])


def sum_rows(cube: Ints, chosen: NDArray[np.bool_], out: Ints) -> None:
    """Add the chosen rows of a cube to ``out``."""
    out += cube[chosen].sum(axis=0)


def sum_columns(cube: Ints, chosen: NDArray[np.bool_], out: Ints) -> None:
    """Add the chosen columns of a cube to ``out``."""
    out += cube[:, chosen].sum(axis=1)


def _passing(fails: Fails, own: int) -> NDArray[np.bool_]:
    passing: NDArray[np.bool_] = (fails & np.uint16(~own & 0xFFFF)) == 0
    return passing


def _entries(runs: Ints) -> Ints:
    return expand_ranges(runs[:, 0], runs[:, 1] - runs[:, 0])
