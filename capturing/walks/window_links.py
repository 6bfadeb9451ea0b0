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
_LAST = 1 << 62
"""A number above all positions in a partition."""


@dataclass(frozen=True)
class WindowLink(TapLink):
    """The link of a window operator whose functions use only parts of its partitions."""

    table: TapTable

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
        if ids.few is not None:
            return used.alias("used").join(rows.alias("rows"), self._looks_at(), "left_semi")
        begun = self._ends(rows, "n", ("low", 1), ("high + 1", -1))
        return _with_sums(used, begun).where("so_far > 0")

    def _using(self, ids: CursorIds, slots: Sequence[int]) -> "DataFrame":
        rows, used = self.frame(), holding(self.frame(), ids, slots)
        if ids.few is not None:
            return rows.alias("rows").join(used.alias("used"), self._looks_at(), "left_semi")
        ends = self._ends(rows, "sign", ("low - 1", -1), ("high", 1))
        found = _with_sums(ends, used.selectExpr(_PARTITION, _AT, "1L AS n"))
        within = found.selectExpr(KEY, "sign * so_far AS n").groupBy(KEY)
        return within.agg({"n": "sum"}).where("`sum(n)` > 0")

    def _ends(self, rows: "DataFrame", name: str, *ends: tuple[str, int]) -> "DataFrame":
        """Return ends of the parts that rows use: expressions, each with a number as ``name``."""
        numbers = range(len(self.table.parts))
        parts = ", ".join(f"struct(low{n} AS low, high{n} AS high)" for n in numbers)
        found = rows.selectExpr(KEY, _PARTITION, f"inline(array({parts}))").where("low <= high")
        listed = ", ".join(f"struct({end} AS {_AT}, {number}L AS {name})" for end, number in ends)
        return found.selectExpr(KEY, _PARTITION, f"inline(array({listed}))")

    def _looks_at(self) -> "Column":
        from pyspark.sql import functions as F

        parts = " OR ".join(
            f"(used.{_AT} >= rows.low{n} AND used.{_AT} <= rows.high{n})"
            for n in range(len(self.table.parts))
        )
        return F.expr(f"used.{_PARTITION} = rows.{_PARTITION} AND ({parts})")

    @property
    def _place(self) -> str:
        return f"c{2 + self.table.checked}"

    @cached_property
    def _bounds(self) -> list[tuple[str, str]]:
        return [self._bound(part) for part in self.table.parts]

    def _bound(self, part: TapPart) -> tuple[str, str]:
        """Return SQL for the row numbers at which a part begins and ends; the part may be empty."""
        first = 2 + self.table.checked
        if part.found is not None:
            last = self._place if part.last is None else f"c{first + part.last}"
            found = f"c{first + part.found}"
            return f"least({self._place}, {found})", f"greatest({last}, {found})"
        if part.last is not None:
            last = f"c{first + part.last} - {part.less}"
            return (f"{last} - c{first + part.count} + 1" if part.count is not None else "1L", last)
        low = "1L" if part.low is None else f"{self._place} + {part.low}"
        high = f"{_LAST}L" if part.high is None else f"{self._place} + {part.high}"
        return low, high


def _with_sums(rows: "DataFrame", others: "DataFrame") -> "DataFrame":
    """Return rows with ``so_far``: the sum of ``n`` of all others up to the row's position.

    A join would compare each row of a partition with each other row.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    both = rows.unionByName(others.select(_PARTITION, _AT, "n"), allowMissingColumns=True)
    so_far = F.sum("n").over(Window.partitionBy(_PARTITION).orderBy(_AT))
    return both.withColumn("so_far", so_far).where("n IS NULL")
