"""Encode columns of row ids, batch by batch, as differences.

If the ids are in order, differences take few bytes. A batch stores the first id of each table
unchanged, and each further id as its difference from the previous id of the same table. Arrow's
compression reduces equal differences to a few bytes.
"""

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.compiled import compiled


def encoded(ids: I64, codes: I32, given: Bools) -> pa.Array:
    """Return row ids as differences, with nulls where ``given`` is false.

    ``codes`` contains the position of each id's table. The result contains no trace of ids that are
    not given.
    """
    return pa.array(_differences(ids, codes, given), mask=~given)


def decoded(column: pa.Array, codes: I32) -> tuple[I64, Bools]:
    """Return the row ids in a column made by ``encoded``, and a mask of rows that have an id."""
    given = np.asarray(column.is_valid())
    return _sums(np.asarray(column.fill_null(0)), codes, given), given


@compiled()
def _differences(ids: I64, codes: I32, given: Bools) -> I64:
    out = np.zeros(len(ids), np.int64)
    last = np.zeros(_tables(codes), np.int64)
    for row in range(len(ids)):
        if given[row]:
            out[row] = ids[row] - last[codes[row]]  # may wrap around; the sum then wraps back
            last[codes[row]] = ids[row]
    return out


@compiled()
def _sums(differences: I64, codes: I32, given: Bools) -> I64:
    """Return ids from differences: each is the difference to the last id of the same table."""
    out = np.zeros(len(differences), np.int64)
    last = np.zeros(_tables(codes), np.int64)
    for row in range(len(out)):
        if given[row]:
            last[codes[row]] += differences[row]
            out[row] = last[codes[row]]
    return out


@compiled()
def _tables(codes: I32) -> int:
    """Return the number of tables, which is the largest code plus one."""
    most = 0
    for code in codes:
        most = max(most, code + 1)
    return most
