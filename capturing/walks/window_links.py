"""Links between the rows of a window and the rows that its functions use."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..reading.tap_table import TapPart, TapTable
from .cursor_ids import CursorIds
from .tap_links import KEY, TapLink, holding
from .taps import tap_frame

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_PARTITION, _AT = "partition", "at"


@dataclass(frozen=True)
class WindowLink(TapLink):
    """The link of a window operator whose functions use only parts of its partitions."""

    table: TapTable
    parts: tuple[TapPart, ...]

    def frame(self) -> "DataFrame":
        """Return the window's rows, with the position of the rows that each of them uses.

        The columns are ``key``, ``partition``, ``at``, which is the row's number in its partition,
        one column for each slot, and bounds. Part n of a row's window contains the rows from
        ``low{n}`` to ``high{n}``, inclusive.
        """
        found = tap_frame(self.spark, [self.table.folder], self.table.first_slot + len(self.slots))
        return found.selectExpr(
            f"c0 AS {KEY}",
            f"c1 AS {_PARTITION}",
            f"{self._place} AS {_AT}",
            *self._columns(),
            *(f"{low} AS low{n}" for n, (low, _) in enumerate(self._bounds)),
            *(f"{high} AS high{n}" for n, (_, high) in enumerate(self._bounds)),
        )

    def _used(self, ids: CursorIds) -> "DataFrame":
        rows, used = ids.keep(self.frame(), KEY), self.frame()
        return used.alias("used").join(rows.alias("rows"), self._looks_at(), "left_semi")

    def _using(self, ids: CursorIds, slots: Sequence[int]) -> "DataFrame":
        rows, used = self.frame(), holding(self.frame(), ids, slots)
        return rows.alias("rows").join(used.alias("used"), self._looks_at(), "left_semi")

    def _looks_at(self) -> "Column":
        from pyspark.sql import functions as F

        parts = " OR ".join(
            f"(used.{_AT} >= rows.low{n} AND used.{_AT} <= rows.high{n})"
            for n in range(len(self.parts))
        )
        return F.expr(f"used.{_PARTITION} = rows.{_PARTITION} AND ({parts})")

    @property
    def _place(self) -> str:
        return f"c{2 + self.table.checked}"

    @cached_property
    def _bounds(self) -> list[tuple[str, str]]:
        return [self._bound(part) for part in self.parts]

    def _bound(self, part: TapPart) -> tuple[str, str]:
        """Return SQL for the row numbers at which a part begins and ends; the part may be empty."""
        first = 2 + self.table.checked
        if part.last is not None:
            last = f"c{first + part.last} - {part.less}"
            return (f"{last} - c{first + part.count} + 1" if part.count is not None else "1L", last)
        low = "1L" if part.low is None else f"{self._place} + {part.low}"
        high = f"{(1 << 63) - 1}L" if part.high is None else f"{self._place} + {part.high}"
        return low, high
