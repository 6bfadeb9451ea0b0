"""Compiled loops of a GROUP BY whose keys are codes. A cell is one combination of keys.

``cells`` contains the cell of each row. For a row that does not pass the filters, ``cells``
contains the number of cells, so an array of totals has one element more than there are cells.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from provhouse.model.compiled import compiled

from . import group_numpy as twins

Codes = NDArray[Any]
"""Small unsigned integers, or int32."""
Numbers = NDArray[Any]
"""Integers of any size."""
Ints = NDArray[np.int64]
FEW, WAYS = 4096, 4
"""With at most ``FEW`` cells, totals are kept in ``WAYS`` arrays that rows use in turn.

Neighboring rows often have the same cell. In a single array, each addition to this cell would have
to wait for the previous one.
"""


def totals(cells: int) -> Ints:
    """Return one or more arrays of totals, filled with 0."""
    return np.zeros((WAYS if cells <= FEW else 1, cells + 1), np.int64)


@compiled(twins.place, nogil=True)
def place(codes: Codes, places: Codes, out: Codes) -> None:
    """Write to ``out``, for each row, the element of ``places`` for its code."""
    for i in range(codes.size):
        out[i] = places[codes[i]]


@compiled(twins.combine, nogil=True)
def combine(codes: Codes, places: Codes, cells: Codes, out: Codes) -> None:
    """Write to ``out``, for each row, its cell plus the element of ``places`` for its code.

    Adding to ``cells`` itself would take twenty times as long if the cells are bytes.
    """
    for i in range(codes.size):
        out[i] = cells[i] + places[codes[i]]


@compiled(twins.drop, nogil=True)
def drop(codes: Codes, kept: Codes, instead: Codes, cells: Codes, out: Codes) -> None:
    """Write each row's cell, or a substitute if the row's code does not pass.

    For a code that passes, ``kept`` has all bits set and ``instead`` is 0; for other codes,
    ``kept`` is 0 and ``instead`` is the substitute. A condition in the loop would be
    slower: the processor would predict it wrongly for every second row.
    """
    for i in range(codes.size):
        code = codes[i]
        out[i] = (cells[i] & kept[code]) | instead[code]


@compiled(twins.count, nogil=True)
def count(cells: Codes, out: Ints) -> None:
    """Count each cell's rows in the one to four arrays of ``out``, which are summed later."""
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


@compiled(twins.add, nogil=True)
def add(cells: Codes, numbers: Numbers, out: Ints) -> None:
    """Sum each cell's numbers in the one to four arrays of ``out``, which are summed later."""
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


@compiled(twins.lowest, nogil=True)
def lowest(cells: Codes, numbers: Numbers, out: Ints) -> None:
    """Lower each cell's value in ``out`` to the smallest of its rows' ``numbers``."""
    for i in range(cells.size):
        if numbers[i] < out[cells[i]]:
            out[cells[i]] = numbers[i]


@compiled(twins.highest, nogil=True)
def highest(cells: Codes, numbers: Numbers, out: Ints) -> None:
    """Raise each cell's value in ``out`` to the largest of its rows' ``numbers``."""
    for i in range(cells.size):
        if numbers[i] > out[cells[i]]:
            out[cells[i]] = numbers[i]


@compiled(twins.scatter, nogil=True)
def scatter(cells: Codes, first: int, at: Ints, out: NDArray[np.int32]) -> None:
    """Write the rids of each cell to ``out`` from position ``at[cell]`` on, in ascending order.

    The rid of the first row is ``first``. Rows that do not pass the filters are written as well,
    from the position in the last element of ``at`` on: a condition that skips them would be slower,
    because the processor would have to predict it.
    """
    none = at.size - 1
    for i in range(cells.size):
        cell = cells[i]
        position = at[cell]  # read once: for the compiler, ``out`` and ``at`` may overlap
        out[position] = first + i
        at[cell] = position + (cell != none)
