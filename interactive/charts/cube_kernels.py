"""Compiled loops over the codes of rows. A code is the position of a row's bar in its view.

Each loop reads one column, so that few variants are compiled, and releases the interpreter's lock.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Codes = NDArray[Any]
"""The bars of rows in one view: the smallest unsigned integers that fit."""
Ints = NDArray[np.int64]
Fails = NDArray[np.uint16]
"""For each row, the bits of the views whose brushes the row does not pass."""


@njit(cache=True, nogil=True)
def mark(codes: Codes, failing: Fails, fails: Fails) -> None:
    """Set a view's bit in ``fails`` for each row whose bar has the bit in ``failing``."""
    for i in range(codes.size):
        fails[i] |= failing[codes[i]]


@njit(cache=True, nogil=True)
def count(codes: Codes, fails: Fails, own: int, out: Ints) -> None:
    """Add to each bar in ``out`` its number of rows that fail no view outside ``own``."""
    others = np.uint16(~own & 0xFFFF)
    for i in range(codes.size):
        if fails[i] & others == 0:
            out[codes[i]] += 1


@njit(cache=True, nogil=True)
def add(codes: Codes, fails: Fails, own: int, values: Ints, out: Ints) -> None:
    """Add to each bar in ``out`` the values of its rows that fail no view outside ``own``."""
    others = np.uint16(~own & 0xFFFF)
    for i in range(codes.size):
        if fails[i] & others == 0:
            out[codes[i]] += values[i]


@njit(cache=True, nogil=True)
def extend(keys: NDArray[np.uint32], codes: Codes, bars: int) -> None:
    """Append a view to composite keys: ``keys = keys * bars + codes``."""
    for i in range(codes.size):
        keys[i] = keys[i] * np.uint32(bars) + np.uint32(codes[i])


@njit(cache=True, nogil=True)
def counting_sort(keys: Codes, cells: int) -> tuple[Ints, NDArray[np.int32]]:
    """Return the offsets of each key, and the positions of all keys in stable order."""
    offsets = np.zeros(cells + 1, np.int64)
    for i in range(keys.size):
        offsets[keys[i] + 1] += 1
    for cell in range(cells):
        offsets[cell + 1] += offsets[cell]
    at = offsets[:cells].copy()
    order = np.empty(keys.size, np.int32)
    for i in range(keys.size):
        key = keys[i]
        order[at[key]] = i
        at[key] += 1
    return offsets, order


@njit(cache=True, nogil=True)
def changed_runs(offsets: Ints, signs: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the runs of entries whose cells have the same sign, as rows of first, end and sign.

    Cells with sign 0 are left out. Adjacent cells with one sign are one run.
    """
    runs = np.empty((signs.size, 3), np.int64)
    found = 0
    for cell in range(signs.size):
        first, end = offsets[cell], offsets[cell + 1]
        if signs[cell] == 0 or first == end:
            continue
        if found and runs[found - 1, 1] == first and runs[found - 1, 2] == signs[cell]:
            runs[found - 1, 1] = end
        else:
            runs[found, 0], runs[found, 1], runs[found, 2] = first, end, signs[cell]
            found += 1
    return runs[:found]


@njit(cache=True, nogil=True)
def flip_counts(runs: NDArray[np.int64], keys: Codes, out: Ints) -> None:
    """Add the sign of each run to ``out``, at the key of each entry of the run."""
    for run in range(runs.shape[0]):
        sign = runs[run, 2]
        for j in range(runs[run, 0], runs[run, 1]):
            out[keys[j]] += sign


@njit(cache=True, nogil=True)
def flip_values(runs: NDArray[np.int64], keys: Codes, values: Ints, out: Ints) -> None:
    """Add the value of each entry, times the sign of its run, to ``out`` at the entry's key."""
    for run in range(runs.shape[0]):
        sign = runs[run, 2]
        for j in range(runs[run, 0], runs[run, 1]):
            out[keys[j]] += sign * values[j]


@njit(cache=True, nogil=True)
def sum_rows(cube: Ints, chosen: NDArray[np.bool_], out: Ints) -> None:
    """Add up the chosen rows of a cube."""
    for a in range(cube.shape[0]):
        if chosen[a]:
            for b in range(cube.shape[1]):
                out[b] += cube[a, b]


@njit(cache=True, nogil=True)
def sum_columns(cube: Ints, chosen: NDArray[np.bool_], out: Ints) -> None:
    """Add up the chosen columns of a cube."""
    columns = np.flatnonzero(chosen)
    for a in range(cube.shape[0]):
        total = 0
        for b in columns:
            total += cube[a, b]
        out[a] += total
