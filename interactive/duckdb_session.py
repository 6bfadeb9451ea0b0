"""A DuckDB connection whose queries have lineage."""

import sys
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, overload

import duckdb

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import Catalog, TablePlace
from provhouse.sql.not_covered import NotCovered
from provhouse.sql.parameters import Parameters, with_parameters

from .memory_budget import Memory
from .plan_cache import PlanCache, drop
from .planning.apart import Apart
from .planning.want import Mode, Want
from .registered import Registered
from .table_sources import FileVersion, check_database, ending
from .unnamed import Unnamed

if TYPE_CHECKING:
    from .charts.binning import Binning
    from .column_cache import ColumnCache
    from .dependencies import Violations
    from .edits import Edits
    from .linking import Linked
    from .made_tables import MadeTables
    from .planning.plan import Plan
    from .record_queries import RecordQuery
    from .result import Result
    from .table_views import TableViews

MEMORY_MB = 2048


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


class Connection:
    """A session of queries. Several threads may call its methods, which run one at a time."""

    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        shared: bool = False,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        self.duckdb = con
        self._shared = shared
        self.lock = RLock()
        self._version = 0
        self._catalog: Catalog | None = None
        self.plans = PlanCache(con)
        self._columns: ColumnCache | None = None
        self._discarded: list[str] = []
        self.memory = Memory(memory_mb << 20)
        self._sizes: dict[TablePlace, tuple[int, int]] = {}
        self._seen: dict[TablePlace, tuple[int, ...]] = {}
        self._registered = Registered(self)
        self.record_queries: dict[tuple[TablePlace, str], RecordQuery] = {}
        self._unnamed = Unnamed(con)
        self._made: MadeTables | None = None

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the DuckDB connection, and delete the index files."""
        self.memory.close()
        self.duckdb.close()

    def register(self, name: str, data: Any) -> None:
        """Create a temporary table from a file, or from an Arrow, pandas or polars table.

        The table contains copies of the rows, so that their row numbers stay the same. If the file
        changes, questions about the table raise an error until it is registered again. Raises
        NotFound for a missing file, UsageError for data of another type, and DuckDB's own errors
        for a broken file.
        """
        with self.lock:
            self._registered.add(name, data)

    def check_sources(self, tables: Iterable[TablePlace]) -> None:
        """Raise UsageError if the file behind one of the tables has changed since it was read."""
        self._registered.check(tables)

    def number(self, table: TablePlace) -> int:
        """Return DuckDB's ID of a table, or 0 if it is missing. A replaced table has a new ID."""
        text = """
            select table_oid from duckdb_tables()
            where (lower(database_name), lower(schema_name), lower(table_name))
                = (lower(?), lower(?), lower(?))"""
        found = self.duckdb.execute(text, list(table)).fetchall()
        return int(found[0][0]) if found else 0

    def file_version(self, table: TablePlace) -> FileVersion:
        """Return the version of the file that a table was read from; empty without a file."""
        found = self._registered.source(table) or self._unnamed.source(table)
        return found.version if found is not None else ()

    def execute(self, sql: str, parameters: Any = None) -> duckdb.DuckDBPyConnection:
        """Run any statement without lineage. A write invalidates the lineage of earlier results."""
        with self.lock:
            self._note(sql)
            return self.duckdb.execute(sql, parameters)

    def _note(self, sql: str) -> None:
        """Call ``changed`` if one of the statements is not a SELECT."""
        statements = duckdb.extract_statements(sql)
        if any(each.type != duckdb.StatementType.SELECT for each in statements):
            if self._made is not None:
                self._made.note(statements)
            self.read_again()

    def changed(self) -> None:
        """Record that tables may have changed, which invalidates the lineage of earlier results."""
        if self._made is not None:
            self._made.forget()
        self.read_again()

    def read_again(self) -> None:
        """Discard all cached data of tables, and invalidate the lineage of earlier results."""
        self._version += 1
        self._catalog = None
        self.plans.clear()
        if self._columns is not None:
            self._columns.clear()
        self._sizes.clear()
        self._seen.clear()
        self.record_queries.clear()

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

    def text(self, query: str, params: Parameters | None, variables: Mapping[str, Any]) -> str:
        """Rewrite a query: insert its parameters, and read tables instead of files and frames."""
        text = query if params is None else with_parameters(self.duckdb, query, params)
        if not self._unnamed.reads(text):
            try:
                self.plan(text)
            except (NotCovered, duckdb.Error):
                if self._named(text, variables) == text:
                    raise
        if self._unnamed.reads(text):
            text = self._named(text, variables)
        if params is not None:
            original = self.duckdb.sql(self._named(query, variables), params=params)
            self.plan(text).names = list(original.columns)
        return text

    def _named(self, text: str, variables: Mapping[str, Any]) -> str:
        """Rewrite a query to read tables instead of files and data frames."""
        number = self._unnamed.number
        found = self._unnamed.named(text, self.catalog(), variables)
        if self._unnamed.number != number:
            self._catalog = None
        return found

    def current_plan(self, text: str) -> "Plan":
        """Return a query's plan, after checking for changes by other DuckDB connections."""
        if self._changed_outside(self.plan(text)):
            self.read_again()
        return self.plan(text)

    def _changed_outside(self, plan: "Plan") -> bool:
        """Return whether another DuckDB connection has changed a table since it was last read."""
        tables = list(dict.fromkeys(each.table for each in plan.references))
        found = dict(zip(tables, self.states(tables), strict=False))  # empty if not shared
        changed = any(self._seen.get(table, state) != state for table, state in found.items())
        self._seen |= found
        return changed

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

    def edits(self) -> "Edits":
        """Return a session for editing a query, which reuses the results of earlier queries.

        Undone and reordered edits get their results at once. A tightened query is computed from an
        earlier result, and a widened one from an earlier result plus the missing rows.

        >>> edits = con.edits()
        >>> edits.sql("select * from flights where delay > 10").by
        'computed'
        >>> edits.sql("select * from flights where delay > 20").by
        'filter'
        """
        from .edits import Edits

        return Edits(self)

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

    def find(self, table: str) -> tuple[TablePlace, dict[str, str]]:
        """Return a base table and the types of its columns.

        Raises UsageError if the table is missing or has no row numbers.
        """
        from sqlglot import exp

        with self.lock:
            found = self.catalog().find(exp.to_table(table, dialect="duckdb"))
        if found is None or found.view is not None:
            raise UsageError(
                f"There is no table {table!r}",
                "Only tables have row numbers, not views" if found else "",
                "Name an existing table, or create one with register()",
            )
        if "rowid" in map(str.lower, found.columns):
            raise UsageError(
                f"The records of {table} have no row numbers",
                "Its column rowid hides them",
                "Rename the column, or copy the table under another column name",
            )
        return found.place, found.columns

    def plan(self, query: str) -> "Plan":
        """Return the plan of a query. The connection caches plans by SQL text."""
        return self.plans.get(query, self.catalog)

    def apart(self) -> Apart:
        """Return a store for values that Arrow cannot represent; drop discarded stores' tables."""
        while self._discarded:
            drop(self.duckdb, [self._discarded.pop()])
        return Apart(self.duckdb, self._discarded)

    @property
    def columns(self) -> "ColumnCache":
        """The decoded columns of tables."""
        if self._columns is None:
            from .column_cache import ColumnCache

            self._columns = ColumnCache(self)
            self.memory.columns = self._columns
        return self._columns

    @property
    def made(self) -> "MadeTables":
        """The tables and files that statements with lineage have created."""
        if self._made is None:
            from .made_tables import MadeTables

            self._made = MadeTables(self)
        return self._made

    def catalog(self) -> Catalog:
        """Return the tables and views. They are read once, and read again only after a change."""
        if self._catalog is None:
            self._catalog = Catalog(self.duckdb)
        return self._catalog

    @property
    def version(self) -> int:
        """A number that grows with each change through this connection."""
        return self._version

    def states(self, tables: Iterable[TablePlace]) -> list[tuple[int, ...]]:
        """Return, by table, values that change when another DuckDB connection changes the table.

        Returns an empty list for a database that this connection opened. A repeated update of rows
        is not noticed if the number of rows stays the same.
        """
        return [self._state(table) for table in tables] if self._shared else []

    def _state(self, table: TablePlace) -> tuple[int, ...]:
        name = table.sql().replace("'", "''")
        text = f"select count(*) from pragma_storage_info('{name}') where has_updates"
        ((updated,),) = self.duckdb.execute(text).fetchall()
        return (*self.measured(table), updated)

    def size(self, table: TablePlace) -> int:
        """Return a table's largest rid plus one."""
        return self.extent(table)[1]

    def extent(self, table: TablePlace) -> tuple[int, int]:
        """Return a table's number of rows and its largest rid plus one; both are cached."""
        if table not in self._sizes:
            self._sizes[table] = self.measured(table)
        return self._sizes[table]

    def set_extent(self, table: TablePlace, rows: int, end: int) -> None:
        """Cache a table's number of rows and its largest rid plus one, if a query returned both."""
        self._sizes[table] = rows, end

    def measured(self, table: TablePlace) -> tuple[int, int]:
        """Return a table's number of rows and its largest rid plus one, without using the cache."""
        text = f"select count(*), coalesce(max(rowid) + 1, 0) from {table.sql()}"
        ((rows, end),) = self.duckdb.execute(text).fetchall()
        return rows, end
