"""The database after a dbt run, opened for queries with lineage on the tables of dbt's nodes."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from provhouse.model.errors import BadInput
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted, text_of
from provhouse.workflows.dbt.project import DbtProject, ProjectNode
from provhouse.workflows.dbt.relation_names import RelationNames

from ..duckdb_session import Connection
from .child_process import DbtRun

BEFORE = "provhouse_before"
"""The name under which the copy from before the run is attached."""
STAND_INS = "provhouse_views"
"""The database that holds copies of the rows of views, and of sources that are not tables."""
PART = "before "
"""The prefix of schemas that hold a part of the rows that a table had before the run."""
NOW = f"{STAND_INS}.main.now"
"""The table with the rows that the SQL of the current model returns."""

_TABLES = "select database_name, schema_name, table_name from duckdb_tables() where not internal"
_COLUMNS = """
    select database_name, schema_name, table_name, column_name, data_type
    from duckdb_columns() where not internal order by column_index"""


class OpenedDatabase:
    """Access to the tables of a dbt project. The project's database is opened read-only."""

    def __init__(self, run: DbtRun, project: DbtProject) -> None:
        self.con = Connection(duckdb.connect())
        self.con.plans.binds_ahead = False
        self.duckdb = self.con.duckdb
        self._project, self._name, self.path = project, run.database, run.path
        for extension in run.extensions:
            self._try(f"load {quoted(extension)}")
        for name, value in run.settings.items():
            self._try(f"set {quoted(name)} = {text_of(str(value))}")
        self._attach(run.path, run.database)
        for each in run.attached:
            kind = f", type {each['type']}" if each["type"] else ""
            alias = f" as {quoted(each['alias'])}" if each["alias"] else ""
            self._try(f"attach {text_of(str(each['path']))}{alias} (read_only{kind})")
        self.has_before = run.before is not None
        if run.before is not None:
            self._attach(run.before, BEFORE)
        self.duckdb.execute(f"attach ':memory:' as {STAND_INS}")
        self.duckdb.execute(f"use {quoted(run.database)}")
        self._places: dict[str, TablePlace] = {}
        """The places of tables, by the tables' names in SQL."""
        self._stand_ins: dict[str, TablePlace] = {}
        self._columns = self._all_columns()
        self._tables = {TablePlace(*each) for each in self.duckdb.execute(_TABLES).fetchall()}
        self._nodes = {self.stored(node): node for node in project.nodes.values() if node.relation}
        self._make_stand_ins()

    def close(self) -> None:
        """Close the database."""
        self.con.close()

    @property
    def nodes(self) -> Iterable[ProjectNode]:
        """The nodes of the project."""
        return self._project.nodes.values()

    def _try(self, statement: str) -> None:
        """Run a statement of the profile. If it fails, models that need it are refused later."""
        with contextlib.suppress(duckdb.Error):
            self.duckdb.execute(statement)

    def _attach(self, path: Path, name: str) -> None:
        try:
            self.duckdb.execute(f"attach {text_of(str(path))} as {quoted(name)} (read_only)")
        except duckdb.Error as error:
            raise BadInput(
                f"Cannot read the database {path}",
                f"It was written by a DuckDB newer than {duckdb.__version__}, or another process "
                "has it open",
                "Close other programs that use it, or build it with this version of DuckDB",
            ) from error

    def _all_columns(self) -> dict[TablePlace, dict[str, str]]:
        found: dict[TablePlace, dict[str, str]] = {}
        for database, schema, table, column, kind in self.duckdb.execute(_COLUMNS).fetchall():
            found.setdefault(TablePlace(database, schema, table), {})[column] = kind
        return found

    def arrow(self, query: str) -> Any:
        """Return the rows of a query as an Arrow table."""
        return self.duckdb.sql(query).to_arrow_table()

    def stored(self, node: ProjectNode) -> TablePlace:
        """Return the place of a node's table in the database."""
        if node.relation not in self._places:
            table = exp.to_table(node.relation, dialect="duckdb")
            place = TablePlace(table.catalog or self._name, table.db or "main", table.name)
            self._places[node.relation] = place
        return self._places[node.relation]

    def before(self, node: ProjectNode) -> TablePlace | None:
        """Return the place of a node's table in the state before the run, if it existed."""
        place = self.stored(node)._replace(database=BEFORE)
        own = self.stored(node).database.lower() == self._name.lower()
        return place if own and place in self._columns else None

    def place(self, node: ProjectNode) -> TablePlace:
        """Return the table that contains a node's rows: the node's own table, or a copy."""
        return self._stand_ins.get(node.id) or self.stored(node)

    def node_of(self, place: TablePlace) -> ProjectNode | None:
        """Return the node of a table, or None if the table is outside the project."""
        if place.database == STAND_INS:
            return self._project.nodes.get(place.schema.removeprefix(PART))
        if place.database == BEFORE:
            place = place._replace(database=self._name)
        return self._nodes.get(place)

    def columns(self, place: TablePlace) -> Mapping[str, str]:
        """Return a table's column types, by column name; empty if the table does not exist."""
        return self._columns.get(place, {})

    def is_table(self, place: TablePlace) -> bool:
        """Return whether ``place`` is a table that stores rows, rather than a view or a file."""
        return place in self._tables

    def _make_stand_ins(self) -> None:
        """Create an empty table for each view of the project, before queries read the catalog."""
        for place, node in self._nodes.items():
            if place in self._columns and place not in self._tables:
                with contextlib.suppress(duckdb.Error):
                    self.stored_aside(node, node.id, f"from {place.sql()} limit 0")

    def stand_in(self, node: ProjectNode, query: str, rows: pa.Table | None = None) -> TablePlace:
        """Store the rows of a query as the rows of a node, for later queries to read.

        ``rows`` are the rows of the query, if they have been computed already.
        """
        place = TablePlace(STAND_INS, node.id, node.identifier)
        if place not in self._columns:
            self.stored_aside(node, node.id, f"from ({query}\n) limit 0")
            self.con.changed()
        if rows is None:
            self.duckdb.execute(f"insert into {place.sql()} {query}")
        else:
            self.insert(place.sql(), rows)
        self._stand_ins[node.id] = place
        return place

    def stored_aside(self, node: ProjectNode, schema: str, query: str) -> TablePlace:
        """Store the rows of a query in ``schema``, in a table with the name of the node's table."""
        place = TablePlace(STAND_INS, schema, node.identifier)
        self.duckdb.execute(f"create schema if not exists {STAND_INS}.{quoted(schema)}")
        self.duckdb.execute(f"create or replace table {place.sql()} as from ({query}\n)")
        found = self.duckdb.sql(f"from {place.sql()} limit 0")
        self._columns[place] = dict(zip(found.columns, map(str, found.types), strict=True))
        return place

    def insert(self, table: str, rows: pa.Table, how: str = "") -> None:
        """Insert rows into a table.

        The table determines the column types, since Arrow lacks some of DuckDB's types.
        """
        with self.given(rows) as name:
            self.duckdb.execute(f"insert into {table} {how} from {name}")

    @contextlib.contextmanager
    def given(self, rows: pa.Table) -> Iterator[str]:
        """Make the rows of an Arrow table available to queries; yield the table's name in SQL."""
        self.duckdb.register("given_rows", rows)
        try:
            yield "given_rows"
        finally:
            self.duckdb.unregister("given_rows")

    def text(self, node: ProjectNode, replaced: Mapping[str, TablePlace] | None = None) -> str:
        """Return the compiled SQL of a node, changed to read the tables that contain the rows.

        ``replaced`` maps ids of nodes to tables that are read in place of the nodes' own.
        """
        places = {each: self.place(self._project.nodes[each]) for each in self.reads(node)}
        places[node.id] = self.stored(node)
        names = {
            self._project.nodes[each].table: place.sql()
            for each, place in {**places, **(replaced or {})}.items()
        }
        return RelationNames(names).replaced(node.text or "")[0]

    def reads(self, node: ProjectNode) -> Sequence[str]:
        """Return the ids of the nodes that a node's compiled SQL reads."""
        return list(dict.fromkeys(self._project.tables_below(node.id)))
