"""Short names for array types that several packages use, and functions that numpy lacks."""

from collections.abc import Sequence
from typing import Any, NewType, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Bools = npt.NDArray[np.bool_]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]
Column: TypeAlias = pa.Array | pa.ChunkedArray

# Kinds of numbers that must not be confused with each other. They exist for the type checker only:
# at run time each is a plain array or int.
ItemNumbers = NewType("ItemNumbers", npt.NDArray[np.int64])
SetIds = NewType("SetIds", npt.NDArray[np.int64])
SetPositions = NewType("SetPositions", npt.NDArray[np.int64])
"""Sets, identified by their positions in ``Snapshot.set_ids`` instead of by their ids."""
RowPlaces = NewType("RowPlaces", npt.NDArray[np.int64])
"""The partition and row of each triple, encoded as one number; see ``store/tables/ranges.py``."""
PartitionNumbers = NewType("PartitionNumbers", npt.NDArray[np.int64])
ItemNumber = NewType("ItemNumber", int)
SetId = NewType("SetId", int)
PartitionNumber = NewType("PartitionNumber", int)

_Number = TypeVar("_Number", bound=np.generic)

MOST_PER_VALUE = 8
"""The maximum size of the table that ``among`` uses, in bytes per value to look up.

The table has one byte for each number in the range of ``ordered``. If the table would be larger,
``among`` uses binary search instead.
"""

DENSE = 64
"""``distinct`` uses a table if the range of the values spans at most this many numbers per value.

For a wider range, it sorts the values, which is then faster.
"""


def among(values: I64, ordered: I64) -> Bools:
    """Return for each value whether it occurs in ``ordered``.

    Unlike ``numpy.isin``, ``among`` sorts nothing.
    """
    if not len(ordered):
        return np.zeros(len(values), bool)
    first, span = ordered[0], int(ordered[-1]) - int(ordered[0]) + 1
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


def unique(values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Return the distinct values in order.

    Since numpy 2.3, ``numpy.unique`` uses a hash table. For three million integers, the hash table
    takes a hundred times as long as sorting.
    """
    given = np.asarray(values)
    # Row ids are often in order already, and checking that takes an eighth of a sort.
    is_ordered = given.ndim == 1 and bool(np.greater_equal(given[1:], given[:-1]).all())
    ordered = given if is_ordered else np.sort(given, axis=None)
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return ordered[begins]


def union(*arrays: I64 | Sequence[int]) -> I64:
    """Return the distinct numbers of all arrays together, in order."""
    return unique(np.concatenate([np.asarray(each, np.int64) for each in arrays]))


def minus(values: I64, others: I64 | Sequence[int]) -> I64:
    """Return the distinct ``values`` that are not in ``others``, in order."""
    mine = unique(values)
    return mine[~among(mine, np.sort(np.asarray(others, np.int64)))]


def distinct(values: I64) -> tuple[I64, I64]:
    """Return the distinct values in order, and for each value its position among them."""
    if not len(values):
        return values, values
    first = values.min()
    span = int(values.max()) - int(first) + 1
    if span > DENSE * len(values):
        ordered, places = np.unique(values, return_inverse=True)
        return ordered, places
    offsets = values - first
    there = np.zeros(span, bool)
    there[offsets] = True
    ordered = np.flatnonzero(there)
    place = np.empty(span, np.int32)
    place[ordered] = np.arange(len(ordered), dtype=np.int32)
    return ordered + first, place[offsets].astype(np.int64)


def column(values: npt.NDArray[np.generic]) -> pa.Array:
    """Return numbers as an Arrow array. ``pa.array`` would import pandas, which takes a second."""
    given = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(given.dtype)
    return pa.Array.from_buffers(kind, given.size, [None, pa.py_buffer(given)])


def key_starts(keys: npt.NDArray[np.integer[Any]], number: int) -> I64:
    """Return the position where each key begins in sorted order, followed by the total count.

    ``keys`` are integers from 0 to ``number - 1``.
    """
    offsets = np.zeros(number + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=number), out=offsets[1:])
    return offsets


def expand_ranges(starts: I64, counts: I64) -> I64:
    """Return ``counts[n]`` consecutive numbers from ``starts[n]``, for each range in turn."""
    before = np.cumsum(counts) - counts
    expanded: I64 = np.repeat(starts - before, counts) + np.arange(counts.sum())
    return expanded


def matching_rows(keys: I64, wanted: I64) -> tuple[I64, I64]:
    """Find all occurrences of each wanted value in ordered ``keys``, which may contain duplicates.

    Return the positions of all matches in ``keys``, and for each match its position in ``wanted``.
    """
    low = np.searchsorted(keys, wanted, "left")
    counts = np.searchsorted(keys, wanted, "right") - low
    return expand_ranges(low, counts), np.repeat(np.arange(len(wanted)), counts)


def without_views(table: pa.Table) -> pa.Table:
    """Return a table with plain string and binary columns instead of Arrow's view types.

    Writers in Rust store view types.

    Arrow lacks some functions for view types, such as the selection of rows.
    """
    fields = [field.with_type(_plain_type(field.type)) for field in table.schema]
    return table.cast(pa.schema(fields, table.schema.metadata))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_plain_type(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain_type(field.type)) for field in kind.fields])
    return kind
