"""Find the rows that a statement has stored among the rows of its query, which ran again.

Rows are the same if all values are, at the same place or else anywhere, since rows with equal values
can replace each other. Floating-point sums may differ from run to run, so it also suffices that the
values are the same from which the lineage of a row follows, such as the keys of its group.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from provhouse.sql.catalog import TablePlace
from provhouse.sql.not_covered import REWRITE, NotCovered
from provhouse.sql.quoting import quoted

from .planning.plan import Plan

QUERY, ORDER = "__provhouse_query", "__provhouse_order"
"""Temporary tables: the rows of a query, and the pairs of a stored row and a row of the query."""


@dataclass(frozen=True)
class StoredRows:
    """The rows that a statement has stored in a table or a file."""

    table: str
    """The table, or a copy of the file, as SQL."""
    columns: Sequence[str]
    """The columns that have the values of the query, in its order."""
    first: int = 0
    """The stored rows have this rid or a higher one."""


def matched(con: duckdb.DuckDBPyConnection, plan: Plan, stored: StoredRows) -> str:
    """Run a query again, and return the text that reads its rows in the order of stored rows.

    The rows have the hidden columns of the query. Raises NotCovered if the query gave other rows.
    """
    names = ", ".join(f"c{at}" for at in range(plan.width))
    try:
        con.execute(f"create temp table {QUERY}({names}) as {plan.sql}").fetchall()
        return _Match(con, plan, stored).order()
    except duckdb.Error:  # DuckDB has already run the user's own text
        raise NotCovered(
            "Lineage of this statement is not supported",
            "DuckDB does not accept its query with columns that identify its rows",
            REWRITE,
        ) from None


class _Match:
    """The search for stored rows among the rows of a query."""

    def __init__(self, con: duckdb.DuckDBPyConnection, plan: Plan, stored: StoredRows) -> None:
        self._con, self._plan, self._stored = con, plan, stored
        listed = ", ".join(map(quoted, stored.columns))
        self._kinds = list(map(str, con.sql(f"select {listed} from {stored.table}").types))

    def order(self) -> str:
        """Return the text that reads the rows of the query in the order of stored rows."""
        every, rows = range(len(self._kinds)), self._number("select count(*) from s")
        if rows == self._number(f"select count(*) from {QUERY}"):
            if self._at_same_places(every) == rows:
                return f"select * from {QUERY} order by rowid"
            identifying = self._identifying()
            for columns in [every] if identifying is None else [every, identifying]:
                if self._anywhere(columns) == rows:
                    return (
                        f"select q.* from {QUERY} q join {ORDER} o on q.rowid = o.queried "
                        "order by o.stored"
                    )
        raise NotCovered(
            "The lineage of the stored rows cannot be found",
            "DuckDB gave other rows when the query ran again, as LIMIT without ORDER BY may",
            "Add ORDER BY, so that all runs give the same rows",
        )

    def _at_same_places(self, columns: Sequence[int]) -> int:
        """Return how many rows have the values of the query's row at the same place."""
        place = "s.r - (select min(r) from s) = q.r - (select min(r) from q)"
        return self._number(
            f"select count(*) from s join q on {' and '.join([place, *_same(columns)])}", columns
        )

    def _anywhere(self, columns: Sequence[int]) -> int:
        """Pair each stored row with another row of the query that has the same values.

        Returns the number of pairs.
        """
        keys = "".join(f"k{at}, " for at in columns)
        by = f"partition by {keys[:-2]}" if keys else ""
        numbered = f"select {keys}r, row_number() over ({by} order by r) as n from"
        joined = " and ".join(["s.n = q.n", *_same(columns)])
        text = f"select s.r as stored, q.r as queried from ({numbered} s) s join ({numbered} q) q"
        self._con.execute(
            f"create or replace temp table {ORDER} as {self._with(columns)} {text} on {joined}"
        ).fetchall()
        return self._number(f"select count(*) from {ORDER}")

    def _number(self, query: str, columns: Sequence[int] = ()) -> int:
        ((number,),) = self._con.execute(f"{self._with(columns)} {query}").fetchall()
        return int(number)

    def _with(self, columns: Sequence[int]) -> str:
        """Return a clause with the stored rows as ``s``, and the rows of the query as ``q``."""
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
        """Return the columns from whose values the lineage of a row follows.

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
    """Return an expression that is equal for the same values only, whatever the collation."""
    if kind == '"NULL"':
        return "1"
    if kind in ("VARCHAR", "JSON") or kind.startswith("ENUM("):
        return f"encode({value}::varchar)"
    return f"{value}::varchar" if kind in ("FLOAT", "DOUBLE") else value
