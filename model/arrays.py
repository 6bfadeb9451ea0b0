"""Short names for the array types that pass between the folders, and what numpy lacks."""

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
"""Bytes for each value that a look-up by number may take."""


def among(values: I64, ordered: I64) -> Bools:
    """Which values are among others that are in order; unlike ``isin`` it sorts nothing."""
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
