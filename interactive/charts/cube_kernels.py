"""Compiled loops over the codes of rows. A code is the position of a row's bar in its view.

Each loop reads one column, so that few variants are compiled, and releases the interpreter's lock.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from provhouse.model.compiled import compiled

from . import cube_numpy as twins

Codes = NDArray[Any]
"""For each row, the code of its bar in one view, in the smallest unsigned type that fits."""
Ints = NDArray[np.int64]
Fails = NDArray[np.uint16]
"""For each row, the bits of the views whose brushes the row does not pass."""


@compiled(twins.mark, nogil=True)
def mark(codes: Codes, failing: Fails, fails: Fails) -> None:
    """For each row, set the bit in ``fails`` that ``failing`` contains for the row's bar."""
    for i in range(codes.size):
        fails[i] |= failing[codes[i]]


@compiled(twins.count, nogil=True)
def count(codes: Codes, fails: Fails, own: int, out: Ints) -> None:
    """Add to ``out``, for each bar, the number of its rows that pass all views outside ``own``."""
    others = np.uint16(~own & 0xFFFF)
    for i in range(codes.size):
        if fails[i] & others == 0:
            out[codes[i]] += 1


@compiled(twins.add, nogil=True)
def add(codes: Codes, fails: Fails, own: int, values: Ints, out: Ints) -> None:
    """Add to ``out``, for each bar, the values of its rows that pass all views outside ``own``."""
    others = np.uint16(~own & 0xFFFF)
    for i in range(codes.size):
        if fails[i] & others == 0:
            out[codes[i]] += values[i]


@compiled(twins.extend, nogil=True)
def extend(keys: NDArray[np.uint32], codes: Codes, bars: int) -> None:
    """Extend composite keys by the codes of one more view: ``keys = keys * bars + codes``."""
    for i in range(codes.size):
        keys[i] = keys[i] * np.uint32(bars) + np.uint32(codes[i])


@compiled(twins.counting_sort, nogil=True)
def counting_sort(keys: Codes, cells: int) -> tuple[Ints, NDArray[np.int32]]:
    """Return each key's start in the sorted order, and the rows' positions in that order.

    Rows with equal keys keep their order.
    """
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


@compiled(twins.changed_runs, nogil=True)
def changed_runs(offsets: Ints, signs: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return runs of entries whose cells have the same sign.

    A run is a row: first entry, end, sign. Cells with sign 0 are left out. Adjacent cells with
    the same sign are one run.
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


@compiled(twins.flip_counts, nogil=True)
def flip_counts(runs: NDArray[np.int64], keys: Codes, out: Ints) -> None:
    """For each entry and its key in each run, add the run's sign (1 or -1) to ``out[key]``."""
    for run in range(runs.shape[0]):
        sign = runs[run, 2]
        for j in range(runs[run, 0], runs[run, 1]):
            out[keys[j]] += sign


@compiled(twins.flip_values, nogil=True)
def flip_values(runs: NDArray[np.int64], keys: Codes, values: Ints, out: Ints) -> None:
    """Like ``flip_counts``, but add the entry's value times the run's sign."""
    for run in range(runs.shape[0]):
        sign = runs[run, 2]
        for j in range(runs[run, 0], runs[run, 1]):
            out[keys[j]] += sign * values[j]


@compiled(twins.sum_rows, nogil=True)
def sum_rows(cube: Ints, chosen: NDArray[np.bool_], out: Ints) -> None:
    """Add the chosen rows of a cube to ``out``."""
    for a in range(cube.shape[0]):
        if chosen[a]:
            for b in range(cube.shape[1]):
                out[b] += cube[a, b]


@compiled(twins.sum_columns, nogil=True)
def sum_columns(cube: Ints, chosen: NDArray[np.bool_], out: Ints) -> None:
    """Add the chosen columns of a cube to ``out``."""
    columns = np.flatnonzero(chosen)
    for a in range(cube.shape[0]):
        total = 0
        for b in columns:
            total += cube[a, b]
        out[a] += total
