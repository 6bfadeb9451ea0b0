"""A DuckDB connection whose queries have lineage."""

import sys
from collections import ChainMap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import duckdb

from provhouse.sql.parameters import Parameters

from .planning.want import Mode, Want
from .session_state import MEMORY_MB, Session
from .table_sources import check_database, ending

if TYPE_CHECKING:
    from .charts.binning import Binning
    from .dependencies import Violations
    from .edits import Edits
    from .linking import Linked
    from .result import Result
    from .table_views import TableViews


def connect(
    source: Any = ":memory:", *, read_only: bool = False, memory_mb: int = MEMORY_MB
) -> "Connection":
    """Open a DuckDB file, or use an open DuckDB connection.

    A Parquet, CSV or JSON file becomes a table with the name of the file. ``memory_mb`` is the
    memory in megabytes for lineage indexes and decoded columns; indexes beyond it are moved to
    files. Raises NotFound or UsageError if the file does not exist, and DuckDB's own errors if it
    is broken.
    """
    if isinstance(source, duckdb.DuckDBPyConnection):
        return Connection(source, shared=True, memory_mb=memory_mb)
    path = Path(source)
    if (suffix := ending(path)) is None:
        check_database(path)
        opened = duckdb.connect(str(source), read_only=read_only)
        return Connection(opened, memory_mb=memory_mb)
    con = Connection(duckdb.connect(), memory_mb=memory_mb)
    con.register(path.name[: -len(suffix)], path)
    return con


class Connection(Session):
    """A session of queries. Several threads may call its methods, which run one at a time."""

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @overload
    def sql(
        self, query: str, *, params: Parameters | None = None, lineage: Literal[False] = False
    ) -> duckdb.DuckDBPyRelation: ...

    @overload
    def sql(
        self,
        query: str,
        *,
        params: Parameters | None = None,
        lineage: Literal[True],
        want: Want = ...,
        mode: Mode | None = ...,
    ) -> "Result": ...

    def sql(
        self,
        query: str,
        *,
        params: Parameters | None = None,
        lineage: bool = False,
        want: Want = Want(),  # noqa: B008  # immutable
        mode: Mode | None = None,
    ) -> Any:
        """Run a query. With lineage, the result can return the origins of its rows.

        ``params`` are the values of the query's parameters. A query with lineage may also read
        files, and data frames that are variables of the caller. ``mode`` forces the mode in which
        lineage is captured. With lineage, ``create table ... as``, ``insert`` and ``copy ... to``
        return the rows that they store; later queries follow the lineage of these rows. Raises
        NotCovered for SQL whose lineage is not supported, UsageError if the file behind a table has
        changed, and DuckDB's own errors.
        """
        if not lineage:
            with self.lock:
                self._note(query)
                return self.duckdb.sql(query, params=params)
        from .result import Result
        from .statement_text import storing

        caller = sys._getframe(1)
        variables = ChainMap(caller.f_locals, caller.f_globals)
        with self.lock:
            if query not in self.plans and storing(query) is not None:
                from .statements import stored

                return stored(self, query, params, want, mode)
            text = self.text(query, params, variables)
            return Result(self, text, self.current_plan(text), want, mode)

    def views(
        self,
        table: str,
        *,
        bins: "Mapping[str, Binning] | None" = None,
        measures: Sequence[str] = (),
        grids: Mapping[tuple[str, str], int | None] | None = None,
        budget_mb: int = 2048,
        **by: str,
    ) -> "TableViews":
        """Return linked views of a table, one for each named SQL expression.

        ``bins`` states how to divide each view into bars (see ``charts.binning``), ``measures`` are
        the columns to sum and average, and ``grids`` are pairs of columns. Raises UsageError or
        BadInput for a column that cannot be charted, and DuckDB's own errors.

        >>> views = con.views("flights", date="flight_date", hour="hour", bins={"date": "month"})
        >>> views.brush("hour", [7, 8]).views["date"].counts
        >>> views.records().to_pandas()
        """
        from .table_views import TableViews

        return TableViews(self, table, by, bins or {}, measures, grids or {}, budget_mb)

    def edits(self, *, workflow: str = "", warehouse: str | Path = "warehouse") -> "Edits":
        """Return a session for editing a query, which reuses the results of earlier queries.

        Undone and reordered edits get their results at once. A tightened query is computed from an
        earlier result, and a widened one from an earlier result plus the missing rows. With
        ``workflow``, each edit is stored in the warehouse as a revision, with its result.

        >>> edits = con.edits()
        >>> edits.sql("select * from flights where delay > 10").by
        'computed'
        >>> edits.sql("select * from flights where delay > 20").by
        'filter'
        """
        from .edits import Edits, stored_edits

        if not workflow:
            return Edits(self)
        return stored_edits(self, workflow, Path(warehouse), shared=self._shared)

    def link(self, first: "Result", second: "Result", table: str | None = None) -> "Linked":
        """Link two results, so that each highlights the rows of the other; see ``Linked``."""
        from .linking import Linked

        with self.lock:
            return Linked(first, second, table)

    def check_fd(self, table: str, dependency: str) -> "Violations":
        """Return the violations of a functional dependency, such as ``customer -> segment``.

        Either side may be several columns, separated by commas. NULL equals only NULL. Raises
        UsageError if the table or a column is missing, or if ``dependency`` is malformed.
        """
        from .dependencies import check_dependency

        return check_dependency(self, table, dependency)
