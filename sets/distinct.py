"""Distinct pairs of sets: sorted, since ``numpy.unique`` hashes them, several times slower."""

import numpy as np

from provhouse.model.arrays import I32, I64

WIDTH = np.int64(1) << 32


def coded(one: I32, other: I32) -> I64:
    """Pairs as single numbers, which sort as the pairs do."""
    return one * WIDTH + other


def decoded(code: I64) -> tuple[I32, I32]:
    """The pairs that these numbers stand for."""
    one, other = np.divmod(code, WIDTH)
    return one.astype(np.int32), other.astype(np.int32)


def distinct(values: I64) -> I64:
    """The distinct values, none of which is negative, in order; sorts ``values`` in place."""
    values.sort()
    return values[np.diff(values, prepend=-1) > 0]


def distinct_pairs(one: I32, other: I32) -> tuple[I32, I32]:
    """The distinct pairs of two different numbers, in order."""
    across = one != other
    return decoded(distinct(coded(one[across], other[across])))


def dense_values(labels: I32) -> I32:
    """Any labels from 0 up, numbered anew without gaps, in their order."""
    used = np.zeros(int(labels.max(initial=-1)) + 1, bool)
    used[labels] = True
    rank = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return rank[labels]
