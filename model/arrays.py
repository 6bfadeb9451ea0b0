"""Short names for array types that packages exchange, and functions that numpy lacks."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Bools = npt.NDArray[np.bool_]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]
Column: TypeAlias = pa.Array | pa.ChunkedArray
MOST_PER_VALUE = 8
"""The memory, in bytes for each value, that a look-up table over a range of numbers may take."""

DENSE = 64
"""Marking a range is faster than sorting while it has at most this many numbers for each value."""


def among(values: I64, ordered: I64) -> Bools:
    """Return which values occur in ``ordered``; unlike ``numpy.isin``, sort nothing."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    first, span = ordered[0], int(ordered[-1] - ordered[0]) + 1
    if span > MOST_PER_VALUE * len(values):
        at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
        same: Bools = ordered[at] == values
        return same
    there = np.zeros(span, bool)
    there[ordered - first] = True
    places = values - first
    found: Bools = there.take(places, mode="clip")
    found &= (places >= 0) & (places < span)
    return found


def distinct(values: I64) -> tuple[I64, I64]:
    """Return the distinct values in order, and for each value its position among them."""
    if not len(values):
        return values, values
    first = values.min()
    span = int(values.max() - first) + 1
    if span > DENSE * len(values):
        ordered, places = np.unique(values, return_inverse=True)
        return ordered, places
    there = np.zeros(span, bool)
    there[values - first] = True
    ordered = np.flatnonzero(there)
    place = np.empty(span, np.int32)
    place[ordered] = np.arange(len(ordered), dtype=np.int32)
    return ordered + first, place[values - first].astype(np.int64)
