"""Totals for each pair of bars of two views.

With these totals, a brush of one view is answered without reading rows.
"""

from collections.abc import Sequence

import numpy as np

from .coded_rows import CodedRows, Mask
from .cube_kernels import Ints, sum_columns, sum_rows

Pair = tuple[int, int]
MAX_CELLS = 1 << 22
"""The maximum number of cells of a cube. Summing this many takes three milliseconds."""


class PairCubes:
    """The cubes of the given pairs of views. A cube has a row for each bar of its first view."""

    def __init__(self, rows: CodedRows, pairs: Sequence[Pair]) -> None:
        self._cubes = dict(zip(pairs, rows.tally(pairs, {}), strict=True))

    @property
    def size(self) -> int:
        """The size of all cubes in bytes."""
        return sum(cube.nbytes for cube in self._cubes.values())

    def has(self, brushed: int, target: int) -> bool:
        """Return whether there is a cube for two views."""
        return (min(brushed, target), max(brushed, target)) in self._cubes

    def answer(self, brushed: int, mask: Mask, target: int) -> Ints:
        """Return the totals of ``target`` under the brush ``mask`` of the view ``brushed``."""
        if brushed < target:
            return add_up(self._cubes[brushed, target], mask)
        cube = self._cubes[target, brushed]
        found = np.zeros(cube.shape[:2], np.int64)
        for part, out in zip(cube, found, strict=True):
            sum_columns(part, mask, out)
        return found


def add_up(cube: Ints, mask: Mask) -> Ints:
    """Return the sum of the cube's rows that ``mask`` marks.

    The cube's shape is (width, rows, columns).
    """
    found = np.zeros((cube.shape[0], cube.shape[2]), np.int64)
    for part, out in zip(cube, found, strict=True):
        sum_rows(part, mask, out)
    return found
