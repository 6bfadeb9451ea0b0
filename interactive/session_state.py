"""The state of a session of queries: its connection, tables, plans, and caches."""

from collections.abc import Iterable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any

import duckdb

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import Catalog, TablePlace
from provhouse.sql.not_covered import NotCovered
from provhouse.sql.parameters import Parameters, with_parameters

from .memory_budget import Memory
from .plan_cache import PlanCache, drop
from .planning.apart import Apart
from .registered import Registered
from .table_sources import ReadSource
from .unnamed import Unnamed

if TYPE_CHECKING:
    from .column_cache import ColumnCache
    from .made_tables import MadeTables
    from .planning.plan import Plan
    from .record_queries import RecordQuery

MEMORY_MB = 2048


class Session:
    """The state that all queries of one connection share.

    Planning, indexes and questions take a session; users call ``Connection``, which adds the
    queries themselves.
    """

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

    def source(self, table: TablePlace) -> ReadSource | None:
        """Return the file that a table was read from, or None."""
        return self._registered.source(table) or self._unnamed.source(table)

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
