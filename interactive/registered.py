"""Files and data frames that ``register`` copied into tables, and the files' states when read."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

from .table_sources import ReadSource, reader, to_arrow

if TYPE_CHECKING:
    from .tables import Tables

GIVEN = "__provhouse_data"


class Registered:
    """The tables that one connection has created from files and data frames."""

    def __init__(self, con: "Tables") -> None:
        self._con = con
        self._sources: dict[TablePlace, tuple[ReadSource, int]] = {}

    def add(self, name: str, data: Any) -> None:
        """Create a temporary table from a file or a data frame; see ``Connection.register``."""
        con, table = self._con, quoted(name)
        if isinstance(data, (str, Path)):
            read, found = f"select * from {reader(data)}(?)", ReadSource.of(data, reader(data))
            con.execute(f"create or replace temp table {table} as {read}", [found.path])
            place = TablePlace("temp", "main", name)
            self._sources[place] = found, con.number(place)
            return
        con.duckdb.register(GIVEN, to_arrow(data))
        try:
            con.execute(f"create or replace temp table {table} as select * from {GIVEN}")
        finally:
            con.duckdb.unregister(GIVEN)

    def source(self, table: TablePlace) -> ReadSource | None:
        """Return the file from which a table was read; None if the table has been replaced."""
        found, number = self._sources.get(table, (None, 0))
        return found if found is not None and number == self._con.number(table) else None

    def check(self, tables: Iterable[TablePlace]) -> None:
        """Raise UsageError if the file behind one of the tables has changed since it was read."""
        for table in tables:
            found = self.source(table)
            if found is not None and found.changed:
                raise UsageError(
                    f"{found.path} has changed since it was read",
                    f"The table {table.name} still contains the earlier records",
                    f"Read it again: register({table.name!r}, {found.path!r})",
                )
