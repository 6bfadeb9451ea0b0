"""Spark's ``xxhash64`` of rows, computed from Arrow's columns.

Spark hashes the columns of a row in order: the hash of a value is the seed for the next value.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, U64, Bools
from provhouse.model.compiled import compiled
from provhouse.store.names.hashing import digest

SEED = 42
"""The seed of the first column."""
_WIDTHS = {"int": "<i4", "bigint": "<i8"}


def hashed(column: pa.Array, kind: str, seeds: U64) -> U64:
    """Return the hash of each value, computed with the value's seed; the hash of NULL is the seed.

    ``kind`` is ``string``, ``bigint``, or ``int`` for all narrower types.
    """
    data, offsets = _text(column) if kind == "string" else _numbers(column, _WIDTHS[kind])
    found: U64 = _digests(data, offsets, np.asarray(column.is_valid()), seeds)
    return found


def flagged(column: pa.Array, seeds: U64) -> U64:
    """Return a hash for each value, computed with its seed: the hash of 1 for NULL, else of 0."""
    return hashed(pc.is_null(column).cast(pa.int32()), "int", seeds)


def _text(column: pa.Array) -> tuple[npt.NDArray[np.uint8], I64]:
    text = column.cast(pa.large_binary())
    _, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, np.int64)[text.offset : text.offset + len(text) + 1]
    return np.frombuffer(data or b"", np.uint8), ends


def _numbers(column: pa.Array, width: str) -> tuple[npt.NDArray[np.uint8], I64]:
    values = np.asarray(pc.fill_null(column.cast(pa.int64()), 0)).astype(width)
    return np.frombuffer(values.tobytes(), np.uint8), np.arange(len(values) + 1) * values.itemsize


@compiled(nogil=True)
def _digests(data: npt.NDArray[np.uint8], offsets: I64, valid: Bools, seeds: U64) -> U64:
    """Return the hash of each string; a NULL leaves its seed, as in Spark."""
    out = seeds.copy()
    for row in range(len(out)):
        if valid[row]:
            out[row] = digest(data, offsets[row], offsets[row + 1], seeds[row])
    return out
