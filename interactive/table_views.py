"""Linked views of a table in DuckDB."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from provhouse.crossfilter.binning import Binning
from provhouse.crossfilter.views import Views
from provhouse.model.errors import UsageError

from .records import Records

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
        if unknown := sorted(bins.keys() - by.keys()):
            raise UsageError(
                f"bins names {unknown[0]!r}, which is no view", f"The views are: {', '.join(by)}"
            )
        self._con = con
        self._place, _ = con.find(table)
        columns = {name: name for pair in grids for name in pair}
        columns |= {name: name for name in measures}
        columns = {name: '"' + name.replace('"', '""') + '"' for name in columns} | dict(by)
        listed = ", ".join(
            f'{text} as "{name.replace(chr(34), chr(34) * 2)}"' for name, text in columns.items()
        )
        with con.lock:
            self._version = con.version
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
        if self._version != self._con.version:
            raise UsageError(
                "The records of these views can no longer be read",
                "A table has changed since they were made",
                "Make the views again",
            )
        rows = self.selected(self.rows if limit is None else limit, brushes)
        return Records(self._con, self._place, np.asarray(self._row_ids[rows], np.int64))
