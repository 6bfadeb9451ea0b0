"""Groups of a tracked polars frame's rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from ..refusals import untracked
from ..row_links import Later, Listed
from .needs import check_constants, chooses_columns
from .polars_frame import ROW, Frame, flat


class Grouped:
    """The groups of a frame's rows that have equal keys."""

    def __init__(
        self, frame: Frame, by: Sequence[Any], named: dict[str, Any], maintain_order: bool
    ) -> None:
        self._frame, self._by, self._named, self._order = frame, by, named, maintain_order

    def __getattr__(self, op: str) -> Any:
        if op.startswith("_"):
            raise AttributeError(op)
        raise untracked(f"group_by.{op}", "", "Use agg, as in agg(pl.col('x').sum())")

    def agg(self, *aggregates: Any, **named: Any) -> Frame:
        """Return a row of aggregates for each group. It derives from all rows of the group."""
        check_constants([*aggregates, *named.values()])
        frame = self._frame
        by_pattern = any(map(chooses_columns, (*aggregates, *named.values())))
        order = self._order or by_pattern
        grouped = frame._numbered().group_by(*self._by, maintain_order=order, **self._named)
        if by_pattern:  # the pattern must not find the hidden column: both have one order
            plain = frame._value.group_by(*self._by, maintain_order=True, **self._named)
            found = plain.agg(*aggregates, **named)
            rows = grouped.agg(pl.col(ROW))[ROW]
        else:
            found = grouped.agg(*aggregates, pl.col(ROW), **named)
            rows = found[ROW]

        def lists() -> Listed:
            return Listed(*flat(rows), len(frame))

        value = found.drop(ROW, strict=False)
        return frame._grouped("group_by.agg", value, Later(lists), "aggregate")

    def len(self, name: str = "len") -> Frame:
        """Return the number of rows of each group."""
        return self.agg(pl.len().alias(name))
