"""Links between the rows of a semi join with a comparison, and the matching rows on its right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from provhouse.model.associations import NONE

from ..reading.tap_table import TapTable
from .cursor_ids import CursorIds
from .tap_links import KEY, TapLink, holding
from .taps import tap_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MATCHES = {
    "<": ("value < most", "least < value"),
    "<=": ("value <= most", "least <= value"),
    ">": ("value > least", "most > value"),
    ">=": ("value >= least", "most >= value"),
    "<>": ("(value <> least OR value <> most)", "(value <> least OR value <> most)"),
}
"""For each comparison: whether a row on the right matches one of several rows on the left, and
whether a row on the left matches one of several rows on the right. The smallest and the largest
value of the several rows are enough to know.
"""


@dataclass(frozen=True)
class MatchLink(TapLink):
    """The link of a semi join with a comparison."""

    table: TapTable

    def frame(self) -> "DataFrame":
        """Return the rows on the right: the columns ``by``, ``value``, and one for each slot."""
        found = tap_frame(self.spark, [self.table.folder], self.table.first_slot + len(self.slots))
        value = _value(f"c{self.table.order}")
        return found.selectExpr("c0 AS by", f"{value} AS value", *self._columns())

    def _used(self, ids: CursorIds) -> "DataFrame":
        matches, _ = _MATCHES[self.table.compared]
        return _matching(self.frame(), ids.keep(self._asked(), KEY), matches)

    def _using(self, ids: CursorIds, slots: Sequence[int]) -> "DataFrame":
        _, matches = _MATCHES[self.table.compared]
        return _matching(self._asked(), holding(self.frame(), ids, slots), matches)

    def _asked(self) -> "DataFrame":
        """Return the groups of the left side: the columns ``key``, ``by`` and ``value``."""
        found = tap_frame(self.spark, [self.table.asked], 3)
        matched = found.where("c0 IS NOT NULL")
        return matched.selectExpr(f"c0 AS {KEY}", "c1 AS by", f"{_value('c2')} AS value")


def _value(column: str) -> str:
    """Return a column of values, which are never NULL: ``NONE`` is the number itself."""
    return f"coalesce({column}, CAST('{NONE}' AS BIGINT))"


def _matching(rows: "DataFrame", others: "DataFrame", matches: str) -> "DataFrame":
    from pyspark.sql import functions as F

    ends = others.groupBy("by").agg(F.min("value").alias("least"), F.max("value").alias("most"))
    return rows.join(ends, "by").where(matches)
