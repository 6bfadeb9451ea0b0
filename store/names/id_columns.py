"""Encode columns of row ids in batches, as differences, which take few bytes if ids are in order.

In a batch, the first id of each table is stored as it is, and each further id as the difference
to the id of that table before it. Arrow's compression makes next to nothing of equal differences.
"""

import numpy as np
import pyarrow as pa
from numba import njit

from provhouse.model.arrays import I32, I64, Bools


def encoded(ids: I64, codes: I32, given: Bools) -> pa.Array:
    """Return row ids as differences, null where no id is ``given``.

    ``codes`` are the positions of their tables. No trace of other ids is left.
    """
    return pa.array(_differences(ids, codes, given), mask=~given)


def decoded(column: pa.Array, codes: I32) -> tuple[I64, Bools]:
    """Return the row ids that ``encoded`` made a column of, and which rows have one."""
    given = np.asarray(column.is_valid())
    return _sums(np.asarray(column.fill_null(0)), codes, given), given


@njit(cache=True)
def _differences(ids: I64, codes: I32, given: Bools) -> I64:
    out = np.zeros(len(ids), np.int64)
    last = np.zeros(_tables(codes), np.int64)
    for row in range(len(ids)):
        if given[row]:
            out[row] = ids[row] - last[codes[row]]  # wraps around, and so does the sum
            last[codes[row]] = ids[row]
    return out


@njit(cache=True)
def _sums(differences: I64, codes: I32, given: Bools) -> I64:
    out = np.zeros(len(differences), np.int64)
    last = np.zeros(_tables(codes), np.int64)
    for row in range(len(out)):
        if given[row]:
            last[codes[row]] += differences[row]
            out[row] = last[codes[row]]
    return out


@njit(cache=True)
def _tables(codes: I32) -> int:
    most = 0
    for code in codes:
        most = max(most, code + 1)
    return most
