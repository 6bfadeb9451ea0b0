"""Linked views: brush one or more views, and get the bars of all other views."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from time import perf_counter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provhouse.model.errors import UsageError

from . import binning
from .active_cube import ActiveCube
from .bars import Bars
from .coded_rows import MAX_VIEWS, CodedRows, Mask
from .cube_kernels import Ints
from .measures import Measure, measure
from .pair_cubes import PairCubes
from .rid_index import RidIndex
from .sparse_cube import SparseCube
from .structures import STRUCTURES, Structure, plan

BUDGET_MB = 2048
FEW_ROWS = 16
"""A rid index is used if at most one in this many rows must be read; otherwise a scan is faster."""


@dataclass(frozen=True)
class ChartView:
    """The bars of one view under the brushes of all other views."""

    counts: Ints
    sums: Mapping[str, NDArray[np.float64]]
    """The sum of each measure, per bar."""
    averages: Mapping[str, NDArray[np.float64]]
    """The average of each measure, per bar. NULLs are ignored; NaN if all values are NULL."""
    structure: Structure
    """The name of the structure from which the bars were computed."""


@dataclass(frozen=True)
class BrushedView:
    """All views, and the number of rows that pass all brushes."""

    views: Mapping[str, ChartView]
    selected: int
    seconds: float


class ChartViews:
    """Linked views of a table in memory. A view shows one column, or two columns (a grid).

    ``by`` maps each column to show to its division into bars (see ``binning.bars``). The keys of
    ``grids`` are pairs of numeric columns. A view is named after its column, or ``x,y`` for a grid.
    ``measures`` are the columns to sum and average. ``table`` is an Arrow table, or any value that
    pyarrow converts to one. ``structures`` lists the structures that the planner may choose. Raises
    UsageError for wrong arguments, or if the rows need more than ``budget_mb``. Raises BadInput for
    a column that has only NULLs or has an infinite number.
    """

    def __init__(
        self,
        table: pa.Table,
        by: Mapping[str, binning.Binning] | Sequence[str],
        measures: Sequence[str] = (),
        grids: Mapping[tuple[str, str], int | None] | None = None,
        budget_mb: int = BUDGET_MB,
        structures: tuple[Structure, ...] = STRUCTURES,
    ) -> None:
        table = table if isinstance(table, pa.Table) else pa.table(table)
        self.by = dict(by if isinstance(by, Mapping) else dict.fromkeys(by))
        self.grids = dict(grids or {})
        self._budget_mb = budget_mb
        self.bars: dict[str, Bars] = {
            column: binning.bars(table, column, how) for column, how in self.by.items()
        } | {f"{x},{y}": binning.grid(table, x, y, how) for (x, y), how in self.grids.items()}
        if not 0 < len(self.bars) <= MAX_VIEWS:
            raise UsageError(
                f"There are {len(self.bars)} views", f"A page has between 1 and {MAX_VIEWS}"
            )
        self.measures: list[Measure] = [measure(table, column) for column in measures]
        values = [
            array
            for one in self.measures
            for array in (one.values, one.present)
            if array is not None
        ]
        bars = self.bars.values()
        self._rows = CodedRows([one.codes for one in bars], [one.number for one in bars], values)
        self._names = list(self.bars)
        self._brushes: dict[int, Mask] = {}
        self._active = 0
        self._lock = Lock()
        self._build(budget_mb, structures)

    def _build(self, budget_mb: int, structures: tuple[Structure, ...]) -> None:
        rows = self._rows
        self.plan = plan(rows, budget_mb, structures)
        views = range(len(rows.bars))
        self._totals = rows.tally([(view,) for view in views], {})
        self._pairs = PairCubes(rows, self.plan.pairs)
        self._sparse = SparseCube(rows, self.plan.sides) if self.plan.sides else None
        self._rids = {view: RidIndex(rows, view) for view in self.plan.rids}
        self._cube: ActiveCube | None = None

    def again(
        self,
        table: pa.Table,
        by: Mapping[str, binning.Binning],
        grids: Sequence[tuple[str, str]],
    ) -> "ChartViews":
        """Return other views of the same table; ``grids`` selects among the grids of this object.

        Raises the same errors as the constructor.
        """
        measures = [one.column for one in self.measures]
        shown = {pair: self.grids[pair] for pair in grids}
        return ChartViews(table, by, measures, shown, self._budget_mb)

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return self._rows.number

    @property
    def sizes(self) -> dict[str, int]:
        """The size of the rows and of each structure that was built, in bytes."""
        return {
            "rows": self._rows.size,
            "pair cubes": self._pairs.size,
            "sparse cube": self._sparse.size if self._sparse else 0,
            "rid index": sum(index.size for index in self._rids.values()),
        }

    def brush(self, view: str, bars: Iterable[int] | None) -> BrushedView:
        """Select bars of a view, by their positions; None removes the view's brush.

        Raises UsageError if the view or a bar does not exist.
        """
        with self._lock:
            brushed = {self._names[at]: np.flatnonzero(of) for at, of in self._brushes.items()}
        return self.update({**brushed, view: bars}, view)

    def update(
        self, brushes: Mapping[str, Iterable[int] | None], active: str | None = None
    ) -> BrushedView:
        """Replace all brushes; ``active`` is the view whose brush is being moved.

        Raises UsageError if a view or a bar does not exist.
        """
        masks = self._masks(brushes)
        with self._lock:
            began = perf_counter()
            self._brushes = masks
            if active is not None:
                self._active = self._number(active)
            found = self._answer()
            return BrushedView(
                {self._names[at]: self._view(*found[at]) for at in sorted(found)},
                self._selected(found[0][0]),
                perf_counter() - began,
            )

    def selected(
        self, limit: int, brushes: Mapping[str, Iterable[int] | None] | None = None
    ) -> NDArray[np.int64]:
        """Return the positions of the first ``limit`` rows that pass all brushes.

        Without ``brushes``, the current brushes of the views apply.
        """
        masks = self._brushes if brushes is None else self._masks(brushes)
        return self._rows.selected(masks, limit)

    def _number(self, view: str) -> int:
        if view not in self.bars:
            raise UsageError(f"There is no view {view!r}", f"The views are: {', '.join(self.bars)}")
        return self._names.index(view)

    def _masks(self, brushes: Mapping[str, Iterable[int] | None]) -> dict[int, Mask]:
        return {
            self._number(view): self._mask(view, bars)
            for view, bars in brushes.items()
            if bars is not None
        }

    def _mask(self, view: str, bars: Iterable[int]) -> Mask:
        number = self.bars[view].number
        chosen = np.fromiter(bars, np.int64)
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < number:
            raise UsageError(
                f"The view {view!r} has no bar {int(chosen.max() if chosen.min() >= 0 else -1)}",
                f"Its bars are 0 to {number - 1}",
            )
        mask = np.zeros(number, np.bool_)
        mask[chosen] = True
        return mask

    def _answer(self) -> dict[int, tuple[Ints, Structure]]:
        """Return the totals of each view, and the structure from which they were computed."""
        found: dict[int, tuple[Ints, Structure]] = {}
        left: list[int] = []
        for target in range(len(self._names)):
            others = [view for view in self._brushes if view != target]
            if not others:
                found[target] = self._totals[target], "totals"
            elif len(others) == 1 and self._pairs.has(others[0], target):
                mask = self._brushes[others[0]]
                found[target] = self._pairs.answer(others[0], mask, target), "pair cubes"
            elif self._sparse:
                found[target] = self._sparse.answer(target, self._brushes), "sparse cube"
            elif not self._by_rids(target, others, found):
                left.append(target)
        return found | self._by_rows(left)

    def _by_rids(
        self, target: int, others: Sequence[int], found: dict[int, tuple[Ints, Structure]]
    ) -> bool:
        """Use a rid index to add a view's totals to ``found``; return False if no index helps."""
        numbers = {
            view: self._rids[view].number(self._brushes[view])
            for view in others
            if view in self._rids
        }
        if not numbers or min(numbers.values()) * FEW_ROWS > self.rows:
            return False
        view = min(numbers, key=lambda view: numbers[view])
        positions = self._rids[view].positions(self._brushes[view])
        found[target] = self._rows.tally([(target,)], self._brushes, positions)[0], "rid index"
        return True

    def _by_rows(self, targets: Sequence[int]) -> dict[int, tuple[Ints, Structure]]:
        """Return totals of views, from the active view's cube if it is planned, else by a scan."""
        active = self._active
        moving = [target for target in targets if target != active]
        found: dict[int, tuple[Ints, Structure]] = {}
        if moving and active in self._brushes and active in self.plan.active:
            if not (self._cube and self._cube.answers(active, moving, self._brushes)):
                self._cube = None  # before the new cube needs memory
                self._cube = ActiveCube(self._rows, active, moving, self._brushes)
            for target in moving:
                totals = self._cube.answer(target, self._brushes[active])
                found[target] = totals, "active-view cube"
        left = [target for target in targets if target not in found]
        scanned = self._rows.tally([(target,) for target in left], self._brushes) if left else []
        return found | {
            target: (totals, "scan") for target, totals in zip(left, scanned, strict=True)
        }

    def _view(self, totals: Ints, structure: Structure) -> ChartView:
        counts, rest = totals[0], iter(totals[1:])
        sums: dict[str, NDArray[np.float64]] = {}
        averages: dict[str, NDArray[np.float64]] = {}
        for one in self.measures:
            summed = next(rest)
            present = counts if one.present is None else next(rest)
            sums[one.column] = one.sums(summed)
            averages[one.column] = one.averages(summed, present)
        return ChartView(counts, sums, averages, structure)

    def _selected(self, totals: Ints) -> int:
        """Return the number of rows that pass all brushes, given the totals of the first view."""
        mask = self._brushes.get(0)
        return int(totals[0].sum() if mask is None else totals[0][mask].sum())
