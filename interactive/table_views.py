"""Linked views of a table in DuckDB."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from provhouse.model.errors import UsageError
from provhouse.sql.quoting import quoted

from .charts.binning import Binning
from .charts.duckdb_types import as_charted
from .charts.linked_views import ChartViews
from .record_expressions import check_values
from .table_records import Records
from .table_states import TableStates

if TYPE_CHECKING:
    from .session_state import Session

RID = "__provhouse_rid"


def _listed(columns: Mapping[str, str]) -> str:
    """Return the given columns as a SELECT list."""
    return ", ".join(f"({text}\n) as {quoted(name)}" for name, text in columns.items())


def _charted(name: str, text: str, kind: str) -> str:
    """Return the SQL of a view's column. Raises UsageError if its type has no bars."""
    found = as_charted(text, kind)
    if found is None:
        seconds = f"Chart its seconds: {name}='epoch({text})'"
        raise UsageError(
            f"The column {name!r} cannot be charted",
            f"Its type is {kind}",
            seconds if kind == "INTERVAL" else "Choose a column of numbers, dates or text",
        )
    return found


class TableViews(ChartViews):
    """Linked views whose selections are records of a table; see ``Connection.views``."""

    def __init__(
        self,
        con: "Session",
        table: str,
        by: Mapping[str, str],
        bins: Mapping[str, Binning],
        measures: Sequence[str],
        grids: Mapping[tuple[str, str], int | None],
        budget_mb: int,
    ) -> None:
        if not by and not grids:
            raise UsageError(
                "No view is named", "", f"Name one: views({table!r}, hour='hour', day='date')"
            )
        if unknown := sorted(bins.keys() - by.keys()):
            raise UsageError(
                f"bins names {unknown[0]!r}, which is not a view", f"The views are: {', '.join(by)}"
            )
        self._con = con
        self._place, _ = con.find(table)
        plain = {*measures, *(name for pair in grids for name in pair)}
        for name in sorted(plain & by.keys()):
            if by[name].strip('"').lower() != name.lower():
                raise UsageError(
                    f"{name!r} is both a view and a column",
                    f"The view is {by[name]}",
                    "Give the view another name",
                )
        columns = {name: quoted(name) for name in plain} | dict(by)
        with con.lock:
            for name, text in columns.items():
                check_values(con, self._place, text, f"The view {name!r}")
            read = con.duckdb.sql(f"select {_listed(columns)} from {self._place.sql()}")
            kinds = dict(zip(columns, map(str, read.types), strict=True))
            columns = {name: _charted(name, text, kinds[name]) for name, text in columns.items()}
            listed = _listed(columns)
            self._snapshot = TableStates(con, [self._place])
            query = f"select {listed}, rowid as {RID} from {self._place.sql()} order by rowid"
            found = con.duckdb.sql(query).to_arrow_table()
        self._row_ids = found.column(RID).to_numpy()
        binned = {name: bins.get(name) for name in by}
        super().__init__(found, binned, measures, dict(grids), budget_mb)

    def records(
        self, brushes: Mapping[str, Iterable[int] | None] | None = None, limit: int | None = None
    ) -> Records:
        """Return the records that pass ``brushes``, by default the current brushes of the views.

        At most the first ``limit`` records are returned. Raises UsageError if a table has changed
        since the views were created.
        """
        self._snapshot.check(
            "The records of these views can no longer be read", "Make the views again"
        )
        rows = self.selected(self.rows if limit is None else limit, brushes)
        return Records(
            self._con, self._place, np.asarray(self._row_ids[rows], np.int64), self._snapshot
        )
