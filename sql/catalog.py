"""The tables and views that a connection can use.

They are read once, and again only after a table or view has changed.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import duckdb
from sqlglot import exp

from .dialect import read
from .functions import Functions, functions
from .quoting import quoted


class TablePlace(NamedTuple):
    """The full name of a table."""

    database: str
    schema: str
    name: str

    def sql(self) -> str:
        """Return the name as SQL."""
        return ".".join(map(quoted, self))


@dataclass
class Relation:
    """A table, or a view and its query."""

    place: TablePlace
    columns: dict[str, str] = field(default_factory=dict)
    view: str | None = None


class Catalog:
    """All tables, views and functions of a connection, by lower-case name."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        found: dict[TablePlace, Relation] = {}
        for database, schema, table, column, kind in con.execute(COLUMNS).fetchall():
            place = TablePlace(database, schema, table)
            found.setdefault(place, Relation(place)).columns[column] = kind
        for database, schema, name, text in con.execute(VIEWS).fetchall():
            if (place := TablePlace(database, schema, name)) in found:
                found[place].view = text
        self._by_name: dict[str, list[Relation]] = {}
        self._path = {schema: at for at, schema in reversed([*enumerate(_search_path(con))])}
        last = len(self._path)
        for place in sorted(found, key=lambda place: self._path.get(place[:2], last)):
            self._by_name.setdefault(place.name.lower(), []).append(found[place])
        self.functions: Functions = functions(con)

    def has_collations(self, con: duckdb.DuckDBPyConnection, place: TablePlace) -> bool:
        """Return whether a collation may make different strings in a table equal."""
        text = f"""
            select ({COLLATED}) + count(*) from duckdb_tables()
            where (database_name, schema_name, table_name) = (?, ?, ?) and sql ilike '%collate%'"""
        ((found,),) = con.execute(text, list(place)).fetchall()
        return bool(found)

    def find(self, table: exp.Table) -> Relation | None:
        """Return the table or view to which a name in a query refers, or None."""
        for relation in self._by_name.get(table.name.lower(), []):
            place = relation.place
            if not table.db and place[:2] not in self._path:
                continue
            if table.db and table.db.lower() not in (place.schema.lower(), place.database.lower()):
                continue
            if table.catalog and table.catalog.lower() != place.database.lower():
                continue
            return relation
        return None


def _search_path(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return the databases and schemas that DuckDB searches for an unqualified name, in order."""
    ((path, here),) = con.execute(
        "select current_setting('search_path'), current_database()"
    ).fetchall()
    schemas = {(database, schema) for database, schema in con.execute(SCHEMAS).fetchall()}
    found = [("temp", "main")]
    entries: list[exp.Expr] = (
        exp.maybe_parse(f"({path},)", dialect="duckdb").expressions if path else []
    )
    for entry in entries:
        first, *rest = [part.name for part in entry.find_all(exp.Identifier)]
        if rest:
            found.append((first, rest[0]))
        else:
            found.append((here, first) if (here, first) in schemas else (first, "main"))
    return [*found, (here, "main")]


SCHEMAS = "select database_name, schema_name from duckdb_schemas()"
COLUMNS = """
    select database_name, schema_name, table_name, column_name, data_type from duckdb_columns()
    where not internal order by column_index"""
COLLATED = "select count(*) from duckdb_settings() where name = 'default_collation' and value <> ''"
VIEWS = "select database_name, schema_name, view_name, sql from duckdb_views() where not internal"


def view_query(relation: Relation) -> tuple[Any, list[exp.Identifier]]:
    """Return the query of a view, and the names that it gives to its columns."""
    (created,) = read(relation.view or "")
    query = created.expression
    named = created.this.expressions if isinstance(created.this, exp.Schema) else []
    return query, [exp.to_identifier(each.name) for each in named]
