"""The sparse cube: totals for all combinations of bars that occur, in two orders.

The views are divided into two sides. A *cell* of a side is a combination of bars of its views. The
cube is a sparse matrix with the cells of one side as rows and the cells of the other side as
columns; it is stored by rows and by columns (CSR and CSC). An entry is a row of the table, or if
combinations repeat, all rows with one combination.

Each side keeps the totals of its cells under the brushes of the *other* side. When a brush changes,
some cells begin or cease to pass, and only the entries of these cells are added or subtracted.
Crossfilter.js does the same (it calls them flips), but its entries are not consecutive. If this
would read more entries than all that pass, or than all that fail, the totals are computed again
from the smaller of these two groups. So a change never reads more than half of the entries. The
bars of a view are computed from the totals of its side, which are few.
"""

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from .bars import smallest
from .coded_rows import Brushes, CodedRows
from .cube_kernels import Codes, Ints, changed_runs, counting_sort, extend, flip_counts, flip_values
from .threads import at_once, parts

MAX_CELLS = 1 << 20
"""The maximum number of cells of a side: their totals then stay in the processor's cache."""
FEW_CELLS = 1 << 16
"""A side with up to this many cells is allowed even if the table has few rows."""
ROWS_BY_CELL = 8
"""With fewer rows per cell than this, scanning the rows is faster than reading all totals."""
REPEATS = 4
"""Rows are combined into entries if an entry then represents at least this many rows on average."""
Signs = NDArray[np.int8]


def split(bars: list[int], rows: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Divide views into two sides so that the larger side has as few cells as possible.

    Returns the views of both sides, or None if even the larger side has too many cells.
    """
    most = min(MAX_CELLS, max(FEW_CELLS, rows // ROWS_BY_CELL))
    views = range(len(bars))
    halves = [
        (half, tuple(view for view in views if view not in half))
        for number in range(1, len(bars))
        for half in combinations(views, number)
        if 0 in half
    ]
    if not halves:
        return None
    cells = [max(prod(bars[view] for view in side) for side in half) for half in halves]
    best = int(np.argmin(cells))
    return halves[best] if cells[best] <= most else None


@dataclass
class _Side:
    """One side of the cube, and its entries in the order of its cells."""

    views: tuple[int, ...]
    shape: tuple[int, ...]
    offsets: Ints
    """For each cell, the position of its first entry; at the end, the number of entries."""
    others: Codes
    """The cell of each entry on the other side."""
    weights: list[Ints | None]
    """For each total, an array with the amount that each entry adds; None if each entry adds 1."""
    passing: NDArray[np.bool_]
    """Which cells passed this side's brushes when the other side was last computed."""
    all: Ints
    """The totals of each cell without any brush."""
    totals: Ints
    """The totals of each cell under the other side's brushes."""


class SparseCube:
    """The sparse cube of the given rows. See the docstring of the module."""

    def __init__(self, rows: CodedRows, views: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        keys = [_keys(rows, of) for of in views]
        cells = [prod(rows.bars[view] for view in of) for of in views]
        keys, weights = _entries(keys, cells, [None, *rows.values])
        self.entries = keys[0].size
        self._sides = [
            self._side(rows, views[side], cells[side], keys[side], keys[1 - side], weights)
            for side in (0, 1)
        ]
        for side, other in zip(self._sides, reversed(self._sides), strict=True):
            everything = np.ones(other.passing.size, np.int8)
            side.all = _moved(other, everything, side.all)
            side.totals = side.all.copy()

    @staticmethod
    def _side(
        rows: CodedRows, views: tuple[int, ...], cells: int, keys: Codes, others: Codes,
        weights: list[Ints | None],
    ) -> _Side:  # fmt: skip
        offsets, order = counting_sort(keys, cells)
        empty = np.zeros((rows.width, cells), np.int64)
        return _Side(
            views,
            tuple(rows.bars[view] for view in views),
            offsets,
            others[order],
            [None if weight is None else weight[order] for weight in weights],
            np.ones(cells, np.bool_),
            empty,
            empty,
        )

    @property
    def size(self) -> int:
        """The size of all arrays in bytes."""
        arrays = [
            array
            for side in self._sides
            for array in (side.offsets, side.others, *side.weights, side.all, side.totals)
        ]
        return sum(0 if array is None else array.nbytes for array in arrays)

    def answer(self, target: int, brushes: Brushes) -> Ints:
        """Return the totals of a view under the brushes of all other views."""
        at = 0 if target in self._sides[0].views else 1
        side = self._sides[at]
        self._update(side, self._sides[1 - at], brushes)
        totals = side.totals.reshape(-1, *side.shape)
        for axis in reversed(range(len(side.views))):
            view = side.views[axis]
            if view == target:
                continue
            if view in brushes:
                totals = np.compress(brushes[view], totals, axis=axis + 1)
            totals = totals.sum(axis=axis + 1)
        return totals

    def _update(self, side: _Side, other: _Side, brushes: Brushes) -> None:
        """Update the totals of ``side`` to the current brushes of ``other``."""
        passing = _passing(other, brushes)
        entries = np.diff(other.offsets)
        changed = int(entries[passing != other.passing].sum())
        passed = int(entries[passing].sum())
        if changed <= min(passed, self.entries - passed):
            signs = passing.astype(np.int8) - other.passing.astype(np.int8)
            side.totals = _moved(other, signs, side.totals)
        elif passed * 2 <= self.entries:
            side.totals = _moved(other, passing.astype(np.int8), np.zeros_like(side.all))
        else:
            side.totals = _moved(other, passing.astype(np.int8) - np.int8(1), side.all.copy())
        other.passing = passing


def _keys(rows: CodedRows, views: tuple[int, ...]) -> Codes:
    keys = rows.codes[views[0]].astype(np.uint32)
    for view in views[1:]:
        extend(keys, rows.codes[view], rows.bars[view])
    return smallest(keys, prod(rows.bars[view] for view in views))


def _entries(
    keys: list[Codes], cells: list[int], weights: list[Ints | None]
) -> tuple[list[Codes], list[Ints | None]]:
    """Combine rows that have the same cells on both sides, if this leaves few enough entries."""
    _, order = counting_sort(keys[1], cells[1])
    _, again = counting_sort(keys[0][order], cells[0])
    order = order[again]
    first, second = (key[order] for key in keys)
    new = np.ones(order.size, np.bool_)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    starts = np.flatnonzero(new)
    if starts.size * REPEATS > order.size:
        return keys, weights
    counts = np.diff(np.append(starts, order.size))
    sums = [np.add.reduceat(value[order], starts) for value in weights if value is not None]
    return [first[starts], second[starts]], [counts, *sums]


def _passing(side: _Side, brushes: Brushes) -> NDArray[np.bool_]:
    """Return a mask of a side's cells that pass the brushes of the side's own views."""
    passing = np.ones(side.shape, np.bool_)
    for axis, view in enumerate(side.views):
        if view in brushes:
            shape = [-1 if at == axis else 1 for at in range(len(side.shape))]
            passing &= brushes[view].reshape(shape)
    return passing.reshape(-1)


def _moved(of: _Side, signs: Signs, totals: Ints) -> Ints:
    """Return ``totals`` plus all entries of the side ``of``, each multiplied by its cell's sign."""
    runs = changed_runs(of.offsets, signs)
    found = at_once(lambda part: _flipped(of, part, totals.shape), _shares(runs))
    return sum(found, start=totals)


def _flipped(of: _Side, runs: Ints, shape: tuple[int, ...]) -> Ints:
    found = np.zeros(shape, np.int64)
    for weight, out in zip(of.weights, found, strict=True):
        if weight is None:
            flip_counts(runs, of.others, out)
        else:
            flip_values(runs, of.others, weight, out)
    return found


def _shares(runs: Ints) -> list[Ints]:
    """Divide runs into one part per thread. All parts have about equally many entries."""
    ends = np.cumsum(runs[:, 1] - runs[:, 0])
    total = int(ends[-1]) if ends.size else 0
    shares = []
    for low, high in parts(total):
        if low < high:
            first, last = np.searchsorted(ends, low, "right"), np.searchsorted(ends, high)
            share = runs[first : last + 1].copy()
            # if a run is divided between two shares, each share has its part of the run
            share[0, 0] = max(share[0, 0], share[0, 1] - (ends[first] - low))
            share[-1, 1] -= ends[last] - high
            shares.append(share)
    return shares
