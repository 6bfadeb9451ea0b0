"""Distinct values and pairs, by sorting.

``numpy.unique`` uses hashing, which is several times slower.
"""

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32, I64
from provhouse.model.compiled import compiled

Numbers = npt.NDArray[np.signedinteger]

WIDTH = np.int64(1) << 32
"""A number above every 32-bit number, so that each pair gets a unique code."""


def coded(one: I32, other: I32) -> I64:
    """Return a number for each pair. The numbers have the same order as the pairs."""
    return one * WIDTH + other


def decoded(code: I64) -> tuple[I32, I32]:
    """Return the pairs that ``coded`` turned into these numbers."""
    one, other = np.divmod(code, WIDTH)
    return one.astype(np.int32), other.astype(np.int32)


def distinct(values: I64) -> I64:
    """Return the distinct values in order, and sort ``values`` in place.

    No value may be negative.
    """
    values.sort()
    return values[np.diff(values, prepend=-1) > 0]


def distinct_pairs(one: I32, other: I32) -> tuple[I32, I32]:
    """Return the distinct pairs whose two numbers differ, in order. Numbers must not be negative.

    Most pairs occur many times, so duplicates are dropped before the sort.
    """
    begin = np.zeros(int(one.max(initial=-1)) + 2, np.int64)
    np.cumsum(np.bincount(one), out=begin[1:])
    width = int(other.max(initial=-1)) + 1
    return decoded(distinct(_first_pairs(begin[:-1].copy(), begin, one, other, width)))


@compiled(nogil=True)
def _first_pairs(free: I64, begin: I64, one: Numbers, other: Numbers, width: int) -> I64:
    """Return the distinct codes (see ``coded``) of all pairs whose two numbers differ."""
    grouped = np.empty(len(one), np.int32)
    for pair in range(len(one)):
        grouped[free[one[pair]]] = other[pair]
        free[one[pair]] += 1
    codes = np.empty(len(one), np.int64)
    last = np.full(width, -1, np.int32)  # the last number that each ``other`` was paired with
    found = 0
    for number in range(len(begin) - 1):
        for place in range(begin[number], begin[number + 1]):
            to = grouped[place]
            if to != number and last[to] != number:
                last[to] = number
                codes[found] = number * WIDTH + to
                found += 1
    return codes[:found]


def dense_values(labels: I32) -> I32:
    """Renumber labels, which must not be negative, from 0 without gaps and in the same order."""
    used = np.zeros(int(labels.max(initial=-1)) + 1, bool)
    used[labels] = True
    rank = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return rank[labels]
