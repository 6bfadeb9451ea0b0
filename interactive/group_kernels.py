"""Compiled loops of a GROUP BY whose keys are codes. A cell is one combination of keys.

``cells`` has the cell of each row, and the number of cells for a row that does not pass the
filters: totals have one more place than there are cells, for those.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Codes = NDArray[Any]
"""Small unsigned integers, or int32."""
Ints = NDArray[np.int64]
FEW, WAYS = 4096, 4
"""Few cells have several tables of totals: neighbouring rows often have the same cell, and would
wait for each other's addition."""


def totals(cells: int) -> Ints:
    """Return empty tables of totals."""
    return np.zeros((WAYS if cells <= FEW else 1, cells + 1), np.int64)


@njit(cache=True, nogil=True)
def combine(codes: Codes, places: NDArray[np.int32], cells: Codes) -> None:
    """Add to each row's cell the place of its code."""
    for i in range(codes.size):
        cells[i] += places[codes[i]]


@njit(cache=True, nogil=True)
def drop(codes: Codes, passing: NDArray[np.bool_], cells: Codes, none: int) -> None:
    """Take the rows whose codes do not pass out of their cells."""
    for i in range(codes.size):
        cells[i] = cells[i] if passing[codes[i]] else none


@njit(cache=True, nogil=True)
def count(cells: Codes, out: Ints) -> None:
    """Add to each cell the number of its rows; ``out`` has one to four tables to add up."""
    ways = out.shape[0]
    first, second, third, fourth = out[0], out[1 % ways], out[2 % ways], out[3 % ways]
    end = cells.size - cells.size % 4
    for i in range(0, end, 4):
        first[cells[i]] += 1
        second[cells[i + 1]] += 1
        third[cells[i + 2]] += 1
        fourth[cells[i + 3]] += 1
    for i in range(end, cells.size):
        first[cells[i]] += 1


@njit(cache=True, nogil=True)
def add(cells: Codes, numbers: Ints, out: Ints) -> None:
    """Add up the numbers of each cell; ``out`` has one to four tables to add up."""
    ways = out.shape[0]
    first, second, third, fourth = out[0], out[1 % ways], out[2 % ways], out[3 % ways]
    end = cells.size - cells.size % 4
    for i in range(0, end, 4):
        first[cells[i]] += numbers[i]
        second[cells[i + 1]] += numbers[i + 1]
        third[cells[i + 2]] += numbers[i + 2]
        fourth[cells[i + 3]] += numbers[i + 3]
    for i in range(end, cells.size):
        first[cells[i]] += numbers[i]


@njit(cache=True, nogil=True)
def lowest(cells: Codes, numbers: Ints, out: Ints) -> None:
    """Find the smallest number of each cell."""
    for i in range(cells.size):
        if numbers[i] < out[cells[i]]:
            out[cells[i]] = numbers[i]


@njit(cache=True, nogil=True)
def highest(cells: Codes, numbers: Ints, out: Ints) -> None:
    """Find the largest number of each cell."""
    for i in range(cells.size):
        if numbers[i] > out[cells[i]]:
            out[cells[i]] = numbers[i]


@njit(cache=True, nogil=True)
def scatter(cells: Codes, at: Ints, none: int, out: NDArray[np.int32]) -> None:
    """Write the rids of each cell from position ``at[cell]`` on, in ascending order."""
    for i in range(cells.size):
        cell = cells[i]
        if cell != none:
            out[at[cell]] = i
            at[cell] += 1
