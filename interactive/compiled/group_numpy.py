"""The loops of ``group_kernels`` as NumPy operations, for users without numba."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from provhouse.model.arrays import expand_ranges

Codes = NDArray[Any]
Numbers = NDArray[Any]
Ints = NDArray[np.int64]


def place(codes: Codes, places: Codes, out: Codes) -> None:
    """Write to ``out``, for each row, the element of ``places`` for its code."""
    out[:] = places[codes]


def combine(codes: Codes, places: Codes, cells: Codes, out: Codes) -> None:
    """Write to ``out``, for each row, its cell plus the element of ``places`` for its code."""
    np.add(cells, places[codes], out=out)


def drop(codes: Codes, kept: Codes, instead: Codes, cells: Codes, out: Codes) -> None:
    """Write each row's cell, or a substitute if the row's code does not pass."""
    out[:] = (cells & kept[codes]) | instead[codes]


def count(cells: Codes, out: Ints) -> None:
    """Count each cell's rows in the first array of ``out``."""
    out[0] += np.bincount(cells, minlength=out.shape[1])


def add(cells: Codes, numbers: Numbers, out: Ints) -> None:
    """Sum each cell's numbers in the first array of ``out``."""
    np.add.at(out[0], cells, numbers.astype(np.int64, copy=False))


def lowest(cells: Codes, numbers: Numbers, out: Ints) -> None:
    """Lower each cell's value in ``out`` to the smallest of its rows' ``numbers``."""
    np.minimum.at(out, cells, numbers.astype(np.int64, copy=False))


def highest(cells: Codes, numbers: Numbers, out: Ints) -> None:
    """Raise each cell's value in ``out`` to the largest of its rows' ``numbers``."""
    np.maximum.at(out, cells, numbers.astype(np.int64, copy=False))


def scatter(cells: Codes, first: int, at: Ints, out: NDArray[np.int32]) -> None:
    """Write the rids of each cell to ``out`` from position ``at[cell]`` on, in ascending order."""
    none = at.size - 1
    kept = np.flatnonzero(cells != none)
    counts = np.bincount(cells[kept], minlength=none)
    order = kept[np.argsort(cells[kept], kind="stable")]
    out[expand_ranges(at[:none], counts)] = first + order
    at[:none] += counts
