"""Compiled loops over rid indexes. A rid is the row number of a record in its table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from provhouse.model.compiled import compiled

from . import numpy_kernels as twins

Offsets = NDArray[np.int64]
Rids = NDArray[Any]
"""Row numbers: int32, or int64 for tables with more than two billion rows."""


SHORT = 24
"""Lists of up to this many rids are sorted by insertion."""


@compiled(twins.sort_pairs, nogil=True)
def sort_pairs(keys: Rids, values: Rids, number: int) -> tuple[Offsets, Rids]:
    """Return each key's values as a CSR, by a stable counting sort; drop negative values."""
    offsets = np.zeros(number + 1, np.int64)
    for i in range(keys.size):
        if values[i] >= 0:
            offsets[keys[i] + 1] += 1
    for key in range(number):
        offsets[key + 1] += offsets[key]
    at = offsets[:number].copy()
    out = np.empty(offsets[number], values.dtype)
    for i in range(keys.size):
        if values[i] >= 0:
            out[at[keys[i]]] = values[i]
            at[keys[i]] += 1
    return offsets, out


@compiled(twins.sort_rows, nogil=True)
def sort_rows(offsets: Offsets, rids: Rids) -> tuple[Offsets, Rids]:
    """Return a CSR with the rids of each row in ascending order without repeats."""
    out_offsets = np.zeros_like(offsets)
    out = rids.copy()
    size = 0
    for row in range(offsets.size - 1):
        first, end = offsets[row], offsets[row + 1]
        if end - first > SHORT:
            out[first:end] = np.sort(out[first:end])
        else:
            for j in range(first + 1, end):
                rid, at = out[j], j
                while at > first and out[at - 1] > rid:
                    out[at] = out[at - 1]
                    at -= 1
                out[at] = rid
        for j in range(first, end):
            rid = out[j]
            if j == first or rid != out[size - 1]:
                out[size] = rid
                size += 1
        out_offsets[row + 1] = size
    return out_offsets, out[:size].copy()


@compiled(twins.only_rows, nogil=True)
def only_rows(offsets: Offsets, rids: Rids, codes: Rids) -> bool:
    """Write each rid's row to ``codes``; return False as soon as a rid occurs a second time.

    On entry, every element of ``codes`` must be the number of rows, which means "no row".
    """
    rows = offsets.size - 1
    for row in range(rows):
        for j in range(offsets[row], offsets[row + 1]):
            if codes[rids[j]] != rows:
                return False
            codes[rids[j]] = row
    return True


@compiled(twins.place_rids, nogil=True)
def place_rids(offsets: Offsets, codes: Rids, out: Rids) -> None:
    """Write each row's rids to ``out`` in ascending order, given the only row of each rid."""
    rows = offsets.size - 1
    at = offsets[:rows].copy()
    for rid in range(codes.size):
        row = codes[rid]
        if row != rows:
            out[at[row]] = rid
            at[row] += 1


@compiled(twins.merge_rows, nogil=True)
def merge_rows(by_rid: Offsets, rows: Rids, rids: Rids, number: int) -> tuple[Offsets, Rids]:
    """Invert a CSR from rids to rows: return the CSR of ``number`` rows, without repeats.

    The result has the element type of ``rids``. Only the type of ``rids`` is used: its size and its
    values do not matter.
    """
    last = np.full(number, -1, np.int64)
    offsets = np.zeros(number + 1, np.int64)
    for rid in range(by_rid.size - 1):
        for j in range(by_rid[rid], by_rid[rid + 1]):
            if last[rows[j]] != rid:
                last[rows[j]] = rid
                offsets[rows[j] + 1] += 1
    for row in range(number):
        offsets[row + 1] += offsets[row]
    out = np.empty(offsets[number], rids.dtype)
    at = offsets[:number].copy()
    last[:] = -1
    for rid in range(by_rid.size - 1):
        for j in range(by_rid[rid], by_rid[rid + 1]):
            row = rows[j]
            if last[row] != rid:
                last[row] = rid
                out[at[row]] = rid
                at[row] += 1
    return offsets, out


@compiled(twins.mark, nogil=True)
def mark(rids: Rids, marks: NDArray[np.bool_]) -> None:
    """Set ``marks`` to true at each rid."""
    for i in range(rids.size):
        marks[rids[i]] = True


@compiled(twins.increasing, nogil=True)
def increasing(offsets: Offsets, rids: Rids) -> bool:
    """Return whether the rids of each row are in ascending order without repeats."""
    for row in range(offsets.size - 1):
        for j in range(offsets[row] + 1, offsets[row + 1]):
            if rids[j] <= rids[j - 1]:
                return False
    return True


@compiled(twins.invert, nogil=True)
def invert(offsets: Offsets, rids: Rids, number: int) -> tuple[Offsets, NDArray[np.int32]]:
    """Return the inverse index, from each rid to its rows, by a counting sort."""
    out_offsets = np.zeros(number + 1, np.int64)
    for j in range(rids.size):
        out_offsets[rids[j] + 1] += 1
    for rid in range(number):
        out_offsets[rid + 1] += out_offsets[rid]
    at = out_offsets[:number].copy()
    out = np.empty(rids.size, np.int32)
    for row in range(offsets.size - 1):
        for j in range(offsets[row], offsets[row + 1]):
            out[at[rids[j]]] = row
            at[rids[j]] += 1
    return out_offsets, out


@compiled(twins.composed_size, nogil=True)
def composed_size(offsets: Offsets, middle: Rids, inner_offsets: Offsets) -> int:
    """Return the number of rids in the composition of two CSRs, repeats included."""
    size = 0
    for j in range(middle.size):
        size += inner_offsets[middle[j] + 1] - inner_offsets[middle[j]]
    return size


@compiled(twins.compose, nogil=True)
def compose(
    offsets: Offsets, middle: Rids, inner_offsets: Offsets, inner: Rids, size: int
) -> tuple[Offsets, Rids]:
    """Return the composition of two CSRs, repeats included."""
    out_offsets = np.zeros_like(offsets)
    out = np.empty(size, inner.dtype)
    at = 0
    for row in range(offsets.size - 1):
        for j in range(offsets[row], offsets[row + 1]):
            for k in range(inner_offsets[middle[j]], inner_offsets[middle[j] + 1]):
                out[at] = inner[k]
                at += 1
        out_offsets[row + 1] = at
    return out_offsets, out


@compiled(twins.gather, nogil=True)
def gather(offsets: Offsets, rids: Rids, rows: NDArray[np.int64]) -> Rids:
    """Return the rids of the given rows, row by row."""
    size = 0
    for row in rows:
        size += offsets[row + 1] - offsets[row]
    out = np.empty(size, rids.dtype)
    at = 0
    for row in rows:
        for j in range(offsets[row], offsets[row + 1]):
            out[at] = rids[j]
            at += 1
    return out


@compiled(twins.take, nogil=True)
def take(values: NDArray[Any], rids: Rids, out: NDArray[Any]) -> None:
    """Write to ``out`` the element of ``values`` at each rid."""
    for i in range(rids.size):
        out[i] = values[rids[i]]


@compiled(twins.pick, nogil=True)
def pick(codes: NDArray[Any], passes: NDArray[np.bool_], rids: Rids, out: Rids) -> int:
    """Write to ``out`` the rids whose codes pass, and return how many do."""
    size = 0
    for i in range(rids.size):
        out[size] = rids[i]  # overwritten if it does not pass; a branch would be slower
        size += passes[codes[rids[i]]]
    return size
