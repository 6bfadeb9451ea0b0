"""Choose the structures that fit in a memory budget."""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from provhouse.model.errors import UsageError

from . import pair_cubes, sparse_cube
from .coded_rows import CodedRows
from .pair_cubes import Pair

Structure = Literal[
    "totals", "pair cubes", "sparse cube", "rid index", "active-view cube", "scan"
]  # fmt: skip
STRUCTURES: tuple[Structure, ...] = (
    "pair cubes", "sparse cube", "rid index", "active-view cube",
)  # fmt: skip
"""The structures that the planner may choose. Totals and scans need only the rows."""
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class StructurePlan:
    """The structures to build. ``size`` is an upper limit in bytes."""

    pairs: tuple[Pair, ...]
    sides: tuple[tuple[int, ...], tuple[int, ...]] | None
    """The sides of the sparse cube, or None for no sparse cube."""
    rids: tuple[int, ...]
    """The views with a rid index."""
    active: frozenset[int]
    """The views whose active-view cube fits into the remaining budget."""
    size: int


def plan(
    rows: CodedRows, budget_mb: int, allowed: tuple[Structure, ...] = STRUCTURES
) -> StructurePlan:
    """Return the structures to build within a budget that includes the rows' codes and values.

    The sparse cube is planned first, since it answers every question. Pair cubes follow, the
    smallest first. Rid indexes and active-view cubes are planned only if there is no sparse cube.
    Building the sparse cube or an index temporarily needs 16 more bytes per row. Raises UsageError
    if even the rows do not fit.
    """
    left = budget_mb * MEGABYTE - rows.size
    if left < 0:
        raise UsageError(
            "The rows do not fit in memory",
            f"They need {rows.size / MEGABYTE:,.0f} MB, and the budget is {budget_mb:,} MB",
            "Set a larger budget, or choose fewer views",
        )
    total = left
    sides = sparse_cube.split(list(rows.bars), rows.number) if "sparse cube" in allowed else None
    if sides and (size := _sparse_size(rows)) <= left:
        left -= size
    else:
        sides = None
    pairs: list[Pair] = []
    for pair in sorted(_pairs(rows), key=lambda pair: _cells(rows, *pair)):
        size = _cells(rows, *pair) * 8 * rows.width
        if "pair cubes" in allowed and _cells(rows, *pair) <= pair_cubes.MAX_CELLS and size <= left:
            pairs.append(pair)
            left -= size
    rids: list[int] = []
    views = range(len(rows.bars))
    if sides is None and "rid index" in allowed:
        rids = list(views)[: left // (rows.number * 4 + 1)]
        left -= len(rids) * rows.number * 4
    active = [view for view in views if _active_size(rows, view) <= left]
    if sides is not None or "active-view cube" not in allowed:
        active = []
    return StructurePlan(
        tuple(pairs), sides, tuple(rids), frozenset(active), rows.size + total - left
    )


def _pairs(rows: CodedRows) -> list[Pair]:
    return list(combinations(range(len(rows.bars)), 2))


def _cells(rows: CodedRows, one: int, other: int) -> int:
    return rows.bars[one] * rows.bars[other]


def _sparse_size(rows: CodedRows) -> int:
    """Return the size of the sparse cube in bytes, assuming that no combination of bars repeats."""
    cells = 2 * sparse_cube.MAX_CELLS * 3 * 8 * rows.width
    return rows.number * 2 * (4 + 8 * len(rows.values)) + min(cells, rows.number * 48 * rows.width)


def _active_size(rows: CodedRows, active: int) -> int:
    """Return the size of an active view's cubes in bytes: one copy for each of two threads."""
    others = sum(bars for view, bars in enumerate(rows.bars) if view != active)
    return 2 * 8 * rows.width * rows.bars[active] * others
