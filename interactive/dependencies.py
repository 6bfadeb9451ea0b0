"""Check functional dependencies of a table, and find each violation's rows (Smoke, section 6)."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

from .index.rid_indexes import Link, from_pairs
from .table_records import Records
from .table_states import TableStates

if TYPE_CHECKING:
    from .session_state import Session

_DEPENDENCY = re.compile(r"\s*([^>]+?)\s*->\s*([^>]+?)\s*")


@dataclass(frozen=True)
class Violations:
    """The groups of rows that agree on the left side of a dependency but not on the right side.

    ``groups`` is a table of the groups: the columns of the left side, and the number of rows.
    """

    groups: pa.Table
    _con: "Session"
    _table: TablePlace
    _link: Link
    _snapshot: TableStates

    def __len__(self) -> int:
        return int(self.groups.num_rows)

    def records(self, group: int | None = None) -> Records:
        """Return the rows of one violation, or of all violations.

        Raises UsageError if the violation does not exist, or a table has changed.
        """
        self._snapshot.check(
            "The rows of the violations can no longer be read", "Check the dependency again"
        )
        if group is not None and not 0 <= group < len(self):
            raise UsageError(f"There is no violation {group}", f"There are {len(self):,}")
        rows = np.arange(len(self)) if group is None else np.array([group])
        return Records(self._con, self._table, self._link.backward(rows), self._snapshot)


def check_dependency(con: "Session", table: str, dependency: str) -> Violations:
    """Return the violations of a dependency such as ``customer -> segment``.

    Either side may be several columns, separated by commas. NULL equals only NULL. Raises
    UsageError if the table or a column is missing, or if ``dependency`` is malformed.
    """
    place, columns = con.find(table)
    left, right = _sides(dependency, place, columns)
    with con.lock:
        snapshot = TableStates(con, [place])
        keys, differ = ", ".join(left), " or ".join(map(_differs, right))
        con.duckdb.execute(f"""
            create temp table {GROUPS} as
            select row_number() over () - 1 as {NUMBER}, * from (
                select {keys}, count(*)::bigint as "rows" from {place.sql()}
                group by {keys} having {differ} order by {keys})""")
        try:
            same = " and ".join(f"g.{key} is not distinct from t.{key}" for key in left)
            pairs = con.duckdb.sql(f"""
                select g.{NUMBER} as number, t.rowid as rid
                from {place.sql()} t join {GROUPS} g on {same}""").to_arrow_table()
            read = f"select * exclude ({NUMBER}) from {GROUPS} order by {NUMBER}"
            found = con.duckdb.sql(read).to_arrow_table()
        finally:
            con.duckdb.execute(f"drop table {GROUPS}")
        numbers, rids = (pairs.column(name).to_numpy() for name in ("number", "rid"))
        link = from_pairs(numbers, rids, len(found), con.size(place))
    return Violations(found, con, place, link, snapshot)


def _sides(
    dependency: str, place: TablePlace, columns: dict[str, str]
) -> tuple[list[str], list[str]]:
    parts = _DEPENDENCY.fullmatch(dependency)
    if not parts:
        raise UsageError(
            "The text is not a functional dependency",
            f"It is {dependency!r}",
            "Write it as 'customer -> segment', or 'a, b -> c'",
        )
    by_name = {name.lower(): name for name in columns}
    sides: list[list[str]] = []
    for side in parts.groups():
        names = [name.strip().strip('"').lower() for name in side.split(",")]
        for name in names:
            if name not in by_name:
                raise UsageError(
                    f"The table {place.name} has no column {name!r}",
                    f"Its columns are: {', '.join(columns)}",
                )
        sides.append([quoted(by_name[name]) for name in names])
    return sides[0], sides[1]


def _differs(column: str) -> str:
    """Return SQL that states whether a group has different values in a column.

    This SQL is faster than counting the distinct values.
    """
    some_null = f"count({column}) between 1 and count(*) - 1"
    return f"min({column}) <> max({column}) or {some_null}"


GROUPS, NUMBER = "__provhouse_groups", "__provhouse_number"
