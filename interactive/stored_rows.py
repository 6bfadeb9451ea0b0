"""Match the rows stored by a statement to the rows of its query, which ran earlier.

Rows match if all their values are equal. They are first compared position by position, and then in
any order, since rows with equal values are interchangeable. Floating-point sums may differ from run
to run. So rows also match if the values that determine their lineage, such as the keys of a group,
are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import numpy as np

from provhouse.sql.not_covered import NotCovered
from provhouse.sql.quoting import quoted

from .index.rid_indexes import Rows
from .planning.plan import Plan

QUERY = "__provhouse_query"
"""The temporary table with the rows of the first run of the query; its columns are c0, c1, ...."""


@dataclass(frozen=True)
class StoredRows:
    """The rows that a statement has stored in a table or a file."""

    table: str
    """The table, or a copy of the file, as SQL."""
    columns: Sequence[str]
    """The columns that contain the query's values, in the order of the query's columns."""
    first: int = 0
    """The smallest rid of the stored rows."""


def order_of(con: duckdb.DuckDBPyConnection, plan: Plan, stored: StoredRows) -> Rows | None:
    """Return the query's row number for each stored row; None if the order is the same.

    Raises NotCovered if other rows are stored.
    """
    return _Match(con, plan, stored).order()


class _Match:
    """The search for stored rows among the rows of a query."""

    def __init__(self, con: duckdb.DuckDBPyConnection, plan: Plan, stored: StoredRows) -> None:
        self._con, self._plan, self._stored = con, plan, stored
        listed = ", ".join(map(quoted, stored.columns))
        self._kinds = list(map(str, con.sql(f"select {listed} from {stored.table}").types))

    def order(self) -> Rows | None:
        every, rows = range(len(self._kinds)), self._number("select count(*) from s")
        if rows == self._number("select count(*) from q"):
            if self._at_same_places(every) == rows:
                return None
            identifying = self._identifying()
            for columns in [every] if identifying is None else [every, identifying]:
                if (found := self._anywhere(columns)).size == rows:
                    return found
        raise NotCovered(
            "The lineage of the stored rows cannot be found",
            "DuckDB gave other rows when the query ran again, as LIMIT without ORDER BY may",
            "Add ORDER BY, so that all runs give the same rows",
        )

    def _at_same_places(self, columns: Sequence[int]) -> int:
        """Return how many stored rows equal the query's row at the same position."""
        place = "s.r - (select min(r) from s) = q.r"
        return self._number(
            f"select count(*) from s join q on {' and '.join([place, *_same(columns)])}", columns
        )

    def _anywhere(self, columns: Sequence[int]) -> Rows:
        """Pair each stored row with a different row of the query that has the same values.

        Returns the numbers of these rows of the query, in the order of the stored rows.
        """
        keys = "".join(f"k{at}, " for at in columns)
        by = f"partition by {keys[:-2]}" if keys else ""
        numbered = f"select {keys}r, row_number() over ({by} order by r) as n from"
        joined = " and ".join(["s.n = q.n", *_same(columns)])
        text = f"select q.r from ({numbered} s) s join ({numbered} q) q on {joined} order by s.r"
        found = self._con.execute(f"{self._with(columns)} {text}").fetchnumpy()
        return np.asarray(found["r"], np.int64)

    def _number(self, query: str, columns: Sequence[int] = ()) -> int:
        ((number,),) = self._con.execute(f"{self._with(columns)} {query}").fetchall()
        return int(number)

    def _with(self, columns: Sequence[int]) -> str:
        """Return a WITH clause with the stored rows as ``s``, and the query's rows as ``q``."""
        stored, queried = "rowid as r", "rowid as r"
        for at in columns:
            kind, value = self._kinds[at], f"c{at}"
            if self._plan.kinds[at] != kind:
                value = f"try_cast(c{at} as {kind})"
            stored += f", {_exact(quoted(self._stored.columns[at]), kind)} as k{at}"
            queried += f", {_exact(value, kind)} as k{at}"
        return (
            f"with s as (select {stored} from {self._stored.table} "
            f"where rowid >= {self._stored.first}), q as (select {queried} from {QUERY})"
        )

    def _identifying(self) -> list[int] | None:
        """Return the columns whose values determine a row's lineage.

        Returns None if some of them are not stored, or are stored with another type.
        """
        identity = self._plan.identity
        found = [at for index, at in enumerate(self._plan.hidden) if index != identity.count]
        stored = all(
            at < len(self._kinds) and self._kinds[at] == self._plan.kinds[at] for at in found
        )
        return found if stored else None


def _same(columns: Sequence[int]) -> list[str]:
    return [f"s.k{at} is not distinct from q.k{at}" for at in columns]


def _exact(value: str, kind: str) -> str:
    """Return an SQL expression that compares values exactly, regardless of collation."""
    if kind == '"NULL"':
        return "1"
    if kind in ("VARCHAR", "JSON") or kind.startswith("ENUM("):
        return f"encode({value}::varchar)"
    return f"{value}::varchar" if kind in ("FLOAT", "DOUBLE") else value
