"""Linked views of a table in DuckDB."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from provhouse.crossfilter.binning import Binning
from provhouse.crossfilter.views import Views
from provhouse.model.errors import UsageError

from .names import quoted
from .records import Records
from .snapshot import Snapshot

if TYPE_CHECKING:
    from .connection import Connection

RID = "__provhouse_rid"


class TableViews(Views):
    """Linked views whose selections are records of a table; see ``Connection.views``."""

    def __init__(
        self,
        con: "Connection",
        table: str,
        by: Mapping[str, str],
        bins: Mapping[str, Binning],
        measures: Sequence[str],
        grids: Mapping[tuple[str, str], int | None],
        budget_mb: int,
    ) -> None:
        if not by and not grids:
            raise UsageError(
                "No view is named", "", f"Name some: views({table!r}, hour='hour', day='date')"
            )
        if unknown := sorted(bins.keys() - by.keys()):
            raise UsageError(
                f"bins names {unknown[0]!r}, which is no view", f"The views are: {', '.join(by)}"
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
        columns = {name: name for name in plain}
        columns = {name: quoted(name) for name in columns} | dict(by)
        listed = ", ".join(f"{text} as {quoted(name)}" for name, text in columns.items())
        with con.lock:
            self._snapshot = Snapshot(con, [self._place])
            query = f"select {listed}, rowid as {RID} from {self._place.sql()} order by rowid"
            found = con.duckdb.sql(query).to_arrow_table()
        self._row_ids = found.column(RID).to_numpy()
        binned = {name: bins.get(name) for name in by}
        super().__init__(found, binned, measures, dict(grids), budget_mb)

    def records(
        self, brushes: Mapping[str, Iterable[int] | None] | None = None, limit: int | None = None
    ) -> Records:
        """Return the first ``limit`` records, or all, that pass the views' brushes, or others.

        Raises UsageError if a table has changed since the views were made.
        """
        self._snapshot.check(
            "The records of these views can no longer be read", "Make the views again"
        )
        rows = self.selected(self.rows if limit is None else limit, brushes)
        return Records(
            self._con, self._place, np.asarray(self._row_ids[rows], np.int64), self._snapshot
        )
