"""Rows of integers, divided into parts that fit in memory. Several parts are stored on disk."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from secrets import token_hex

import numpy as np

from provhouse.model.arrays import I64

MOST = 1 << 22
"""The largest average number of rows in a part, which determines the number of parts."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio. The high bits of its product with a value select the part."""


class Spread:
    """Rows of ``width`` 64-bit integers, divided into parts by a value that is given for each row.

    Rows with equal values are in the same part. ``rows`` is the largest expected number of rows,
    and ``aside`` is a folder for files, which the caller removes.
    """

    def __init__(self, width: int, rows: int, aside: Path) -> None:
        self._width = width
        self._bits = max(-(-rows // MOST) - 1, 0).bit_length()
        self._arrays = list[I64]()
        """The rows, if there is only one part."""
        self._files = aside / f"spread-{token_hex(8)}"

    def add(self, by: I64, columns: Sequence[I64]) -> None:
        """Add rows; a row's value in ``by`` determines the part."""
        if not len(by):
            return
        if not self._bits:
            self._arrays.append(np.stack(columns))
            return
        part = ((by.view(np.uint64) * _MIX) >> np.uint64(64 - self._bits)).astype(np.int16)
        order = np.argsort(part, kind="stable")
        bounds = np.searchsorted(part[order], np.arange((1 << self._bits) + 1))
        rows = np.stack(columns, axis=1)[order]
        for number, (start, end) in enumerate(pairwise(bounds.tolist())):
            if start < end:
                with self._path(number).open("ab") as file:
                    rows[start:end].tofile(file)

    def parts(self) -> Iterator[I64]:
        """Yield the parts, each as an array whose first axis is the columns."""
        for number in range(1 << self._bits):
            yield self._load(number)

    def replace(self, number: int, columns: Sequence[I64]) -> None:
        """Replace the rows of a part."""
        if not self._bits:
            self._arrays = [np.stack(columns)]
        else:
            np.stack(columns, axis=1).tofile(self._path(number))

    def _load(self, number: int) -> I64:
        if not self._bits:
            empty = np.empty((self._width, 0), np.int64)
            self._arrays = [np.concatenate([empty, *self._arrays], axis=1)]
            return self._arrays[0]
        path = self._path(number)
        if not path.exists():
            return np.empty((self._width, 0), np.int64)
        rows: I64 = np.fromfile(path, np.int64).reshape(-1, self._width).T
        return np.ascontiguousarray(rows)

    def _path(self, number: int) -> Path:
        return self._files.with_name(f"{self._files.name}-{number}")
