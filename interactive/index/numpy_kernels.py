"""The loops of ``kernels`` as NumPy operations, for users without numba.

These functions sort where the loops use a counting sort.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from provhouse.model.arrays import expand_ranges, key_starts

Offsets = NDArray[np.int64]
Rids = NDArray[Any]


def sort_pairs(keys: Rids, values: Rids, number: int) -> tuple[Offsets, Rids]:
    """Return each key's values as a CSR, in their original order; drop negative values."""
    kept = values >= 0
    keys, values = keys[kept], values[kept]
    return key_starts(keys, number), values[np.argsort(keys, kind="stable")]


def sort_rows(offsets: Offsets, rids: Rids) -> tuple[Offsets, Rids]:
    """Return a CSR with the rids of each row in ascending order without repeats."""
    return _without_repeats(_rows(offsets), rids, offsets.size - 1)


def only_rows(offsets: Offsets, rids: Rids, codes: Rids) -> bool:
    """Write each rid's row to ``codes``; return whether each rid occurs only once."""
    codes[rids] = _rows(offsets)
    return bool(np.bincount(rids).max(initial=0) < 2)


def place_rids(offsets: Offsets, codes: Rids, out: Rids) -> None:
    """Write each row's rids to ``out`` in ascending order, given the only row of each rid."""
    kept = np.flatnonzero(codes != offsets.size - 1)
    out[: kept.size] = kept[np.argsort(codes[kept], kind="stable")]


def merge_rows(by_rid: Offsets, rows: Rids, rids: Rids, number: int) -> tuple[Offsets, Rids]:
    """Invert a CSR from rids to rows: return the CSR of ``number`` rows, without repeats.

    The result has the element type of ``rids``. Only the type of ``rids`` is used: its size and its
    values do not matter.
    """
    return _without_repeats(rows, _rows(by_rid).astype(rids.dtype), number)


def mark(rids: Rids, marks: NDArray[np.bool_]) -> None:
    """Set ``marks`` to true at each rid."""
    marks[rids] = True


def increasing(offsets: Offsets, rids: Rids) -> bool:
    """Return whether the rids of each row are in ascending order without repeats."""
    rows = _rows(offsets)
    return bool(((rows[1:] != rows[:-1]) | (rids[1:] > rids[:-1])).all())


def invert(offsets: Offsets, rids: Rids, number: int) -> tuple[Offsets, NDArray[np.int32]]:
    """Return the inverse index, from each rid to its rows."""
    rows = _rows(offsets).astype(np.int32)
    return key_starts(rids, number), rows[np.argsort(rids, kind="stable")]


def composed_size(offsets: Offsets, middle: Rids, inner_offsets: Offsets) -> int:
    """Return the number of rids in the composition of two CSRs, repeats included."""
    return int(np.diff(inner_offsets)[middle].sum())


def compose(
    offsets: Offsets, middle: Rids, inner_offsets: Offsets, inner: Rids, size: int
) -> tuple[Offsets, Rids]:
    """Return the composition of two CSRs, repeats included."""
    ends = np.zeros(middle.size + 1, np.int64)
    np.cumsum(np.diff(inner_offsets)[middle], out=ends[1:])
    return ends[offsets], gather(inner_offsets, inner, middle.astype(np.int64))


def gather(offsets: Offsets, rids: Rids, rows: NDArray[np.int64]) -> Rids:
    """Return the rids of the given rows, row by row."""
    return rids[expand_ranges(offsets[rows], np.diff(offsets)[rows])]


def take(values: NDArray[Any], rids: Rids, out: NDArray[Any]) -> None:
    """Write to ``out`` the element of ``values`` at each rid."""
    out[:] = values[rids]


def pick(codes: NDArray[Any], passes: NDArray[np.bool_], rids: Rids, out: Rids) -> int:
    """Write to ``out`` the rids whose codes pass, and return how many do."""
    kept = rids[passes[codes[rids]]]
    out[: kept.size] = kept
    return int(kept.size)


def _rows(offsets: Offsets) -> Offsets:
    """Return the row to which each element of a CSR belongs."""
    return np.repeat(np.arange(offsets.size - 1), np.diff(offsets))


def _without_repeats(rows: Rids, rids: Rids, number: int) -> tuple[Offsets, Rids]:
    """Return the CSR of the given (row, rid) pairs, sorted and without repeats."""
    order = np.lexsort((rids, rows))
    rows, rids = rows[order], rids[order]
    new = np.ones(rids.size, np.bool_)
    new[1:] = (rows[1:] != rows[:-1]) | (rids[1:] != rids[:-1])
    return key_starts(rows[new], number), rids[new]
