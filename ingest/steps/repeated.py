"""Count repeated rows of an aggregate.

An SQL aggregate counts equal rows separately. Everywhere else, a repeated row of a trace counts
once.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.columns import TIMES

from .place_derivations import dense


def counted(rows: pa.Table, chosen: I64, keys: Sequence[I64]) -> pa.Table:
    """Return ``rows`` with ``times`` added up where chosen rows repeat each other.

    Chosen rows repeat each other if their ``times`` and all their ``keys`` are equal. Each key has
    a value for each chosen row. Rows that repeat each other are not merged, but each of them gets
    the total as ``times``.
    """
    if not len(chosen):
        return rows
    given = np.ones(rows.num_rows, np.int64)
    if TIMES in rows.column_names:
        given = np.asarray(rows[TIMES].fill_null(1), np.int64).copy()
    times = given[chosen]
    exact = dense([*keys, times])
    repeats = np.bincount(exact) > 1
    if not repeats.any():
        return rows
    same = dense(keys)
    repeated = np.zeros(int(same.max()) + 1, bool)
    repeated[same[repeats[exact]]] = True
    totals = np.zeros(len(repeated), np.int64)
    np.add.at(totals, same, times)
    given[chosen] = np.where(repeated[same], totals[same], times)
    column = pa.array(given, mask=given == 1)
    if TIMES not in rows.column_names:
        return rows.append_column(TIMES, column)
    return rows.set_column(rows.column_names.index(TIMES), TIMES, column)
