"""Find distinct values and pairs by sorting.

``numpy.unique`` uses hashing, which is several times slower.
"""

import numpy as np

from provhouse.model.arrays import I32, I64

WIDTH = np.int64(1) << 32


def coded(one: I32, other: I32) -> I64:
    """Return each pair as one number; the numbers sort as the pairs do."""
    return one * WIDTH + other


def decoded(code: I64) -> tuple[I32, I32]:
    """Return the pairs that ``coded`` turned into these numbers."""
    one, other = np.divmod(code, WIDTH)
    return one.astype(np.int32), other.astype(np.int32)


def distinct(values: I64) -> I64:
    """Return the distinct values in order. Sorts ``values``, which are 0 or more, in place."""
    values.sort()
    return values[np.diff(values, prepend=-1) > 0]


def distinct_pairs(one: I32, other: I32) -> tuple[I32, I32]:
    """Return the distinct pairs whose two numbers differ, in order."""
    across = one != other
    return decoded(distinct(coded(one[across], other[across])))


def dense_values(labels: I32) -> I32:
    """Renumber labels, which are 0 or more, from 0 without gaps and in the same order."""
    used = np.zeros(int(labels.max(initial=-1)) + 1, bool)
    used[labels] = True
    rank = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return rank[labels]
