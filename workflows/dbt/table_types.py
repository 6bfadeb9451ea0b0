"""The columns of tables that no query determines: sources, seeds, and incremental models.

They are read from dbt's catalog, from the database, or from a DDL text, in this order.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from provhouse.equivalence.empty_database import empty_database, table_columns
from provhouse.model.errors import BadInput

from .project import DbtProject, ProjectNode

Columns = list[tuple[str, str]]
"""The name and the type of each column."""
Named = Mapping[tuple[str, str], Columns]
"""The columns of tables by schema and name."""


class TableTypes:
    """The recorded columns of a project's tables."""

    def __init__(self, *catalogs: Mapping[str, Any] | None, named: Named) -> None:
        """Store columns from catalogs, and columns by table name.

        If several catalogs describe a table, the first one counts.
        """
        self._recorded: dict[str, Columns] = {}
        for catalog in catalogs:
            for part in ("nodes", "sources"):
                for id_, table in (catalog or {}).get(part, {}).items():
                    self._recorded.setdefault(id_, _columns(table))
        self._named = named

    def of(self, node: ProjectNode) -> Columns | None:
        """Return the columns of a node's table, or None if they are unknown."""
        return self._recorded.get(node.id) or self._named.get((node.schema, node.identifier))


def named_columns(database: Path | None, ddl: Path | None) -> Named:
    """Return the columns of the tables in a database file and in a DDL file."""
    return {**(_of_ddl(ddl) if ddl else {}), **(columns_of_database(database) if database else {})}


def columns_of_database(path: Path) -> Named:
    """Return the columns of a database's tables; raise BadInput if it cannot be read."""
    try:
        with duckdb.connect(str(path), read_only=True) as con:
            return _by_schema(table_columns(con))
    except duckdb.Error as error:
        raise BadInput(
            f"Cannot read the database {path}",
            str(error).splitlines()[0],
            "Name a DuckDB file that no other process is writing to",
        ) from error


def _of_ddl(path: Path) -> Named:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"Cannot read {path}", str(error), "Name a file with SQL text") from error
    return columns_of_ddl(text)


def columns_of_ddl(ddl: str) -> Named:
    """Return the columns of the tables in a DDL text; raise BadInput if DuckDB refuses it."""
    with empty_database(ddl) as database:
        return _by_schema(database.columns)


def _by_schema(columns: Mapping[tuple[str, ...], Columns]) -> Named:
    return {(path[-2], path[-1]): listed for path, listed in columns.items()}


def _columns(table: Mapping[str, Any]) -> Columns:
    listed = sorted(table["columns"].values(), key=lambda column: column["index"])
    return [(column["name"], column["type"]) for column in listed]


def for_both(base: DbtProject, head: DbtProject, named: Named) -> tuple[TableTypes, TableTypes]:
    """Return the types of two revisions; types missing in one are taken from the other."""
    catalogs = base.catalog, head.catalog
    return TableTypes(*catalogs, named=named), TableTypes(*reversed(catalogs), named=named)
