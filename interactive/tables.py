"""The part of a session that its own parts use."""

from collections.abc import Iterable
from typing import Any, Protocol

from duckdb import DuckDBPyConnection

from provhouse.sql.catalog import Catalog, TablePlace

from .memory_budget import Memory
from .table_sources import ReadSource


class Tables(Protocol):
    """A DuckDB connection and its tables, as ``Session`` offers them."""

    duckdb: DuckDBPyConnection
    memory: Memory

    def catalog(self) -> Catalog:
        """Return the tables and views."""

    def execute(self, sql: str, parameters: Any = None) -> DuckDBPyConnection:
        """Run any statement without lineage."""

    def extent(self, table: TablePlace) -> tuple[int, int]:
        """Return a table's number of rows and its largest rid plus one."""

    def size(self, table: TablePlace) -> int:
        """Return a table's largest rid plus one."""

    def number(self, table: TablePlace) -> int:
        """Return DuckDB's ID of a table, or 0 if it is missing."""

    def states(self, tables: Iterable[TablePlace]) -> list[tuple[int, ...]]:
        """Return, by table, values that change when another connection changes the table."""

    def source(self, table: TablePlace) -> ReadSource | None:
        """Return the file that a table was read from, or None."""
