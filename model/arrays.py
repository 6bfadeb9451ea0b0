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


def among(values: I64, ordered: I64) -> Bools:
    """Which values are among others that are in order; unlike ``isin`` it sorts nothing."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    found: Bools = ordered[at] == values
    return found
