"""A DuckDB in memory with the empty tables of a DDL text, without access to anything else."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import duckdb

from provhouse.model.errors import BadInput
from provhouse.sql.bound import NotBound, bound
from provhouse.sql.time_limit import interrupted

from .from_duckdb import ForeignKey, TableFacts, Translation
from .plan_form import Options, PlanForm

SEALED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 1,
}
LOCK = "set lock_configuration = true"
DECLARES = {duckdb.StatementType.CREATE, duckdb.StatementType.SET}


@dataclass(frozen=True)
class EmptyDatabase:
    """A database with empty tables, and what its catalogue records about them."""

    con: duckdb.DuckDBPyConnection
    columns: dict[tuple[str, ...], list[tuple[str, str]]]
    """The names and types of the columns of each table, by the table's whole name."""
    facts: dict[tuple[str, ...], TableFacts]
    settings: Options
    """The settings that the DDL has changed; the others are those of DuckDB's version."""

    def clear(self) -> None:
        """Remove all rows, of tables that refer to others first."""
        left = list(self.columns)
        for _ in self.columns:
            left = [table for table in left if not self._cleared(table)]

    def _cleared(self, table: tuple[str, ...]) -> bool:
        try:
            self.con.execute(f"delete from {whole_name(table)}")
        except duckdb.ConstraintException:
            return False
        return True

    def plan(self, text: str) -> PlanForm:
        """Return the plan of a query; raise BadInput unless it is one query that DuckDB binds."""
        try:
            _check_one_query(self.con, text)
            (found,) = bound(self.con, text)
            names = tuple(self.con.sql(text).columns)
        except (duckdb.Error, NotBound) as error:
            raise _refused("DuckDB refuses the query", error) from error
        root = Translation(self.facts).operator(found.nodes[0])
        return PlanForm("duckdb", duckdb.__version__, self.settings, names, root)


@contextmanager
def empty_database(ddl: str) -> Iterator[EmptyDatabase]:
    """Yield a database with the tables, views, types and macros of a DDL text.

    The database cannot read files or load extensions. Raises BadInput if the text has other
    statements than CREATE and SET, or if DuckDB refuses one.
    """
    with duckdb.connect(config=SEALED) as con, interrupted(con):
        try:
            for statement in con.extract_statements(ddl):
                _check(statement)
                con.execute(statement)
            con.execute(LOCK)
        except duckdb.Error as error:
            raise _refused("Cannot create the tables of the DDL", error) from error
        columns = table_columns(con)
        yield EmptyDatabase(con, columns, table_facts(con, columns), _settings(con))


def whole_name(table: tuple[str, ...]) -> str:
    """Return the name of a table as SQL."""
    return ".".join('"{}"'.format(part.replace('"', '""')) for part in table)


def table_columns(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, ...], list[tuple[str, str]]]:
    """Return the names and types of the columns of each table, by the table's whole name."""
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for *path, column, type_ in con.execute(COLUMNS).fetchall():
        found.setdefault(tuple(path), []).append((column, type_))
    return found


def _check_one_query(con: duckdb.DuckDBPyConnection, text: str) -> None:
    kinds = [each.type for each in con.extract_statements(text)]
    if kinds != [duckdb.StatementType.SELECT]:
        found = f"Found {len(kinds)} statements, or a statement that is not a SELECT"
        raise BadInput("The text is not one query", found, "Give one SELECT")


def _check(statement: duckdb.Statement) -> None:
    if statement.type not in DECLARES:
        raise BadInput(
            "The DDL does more than declare tables",
            f"Found the statement {statement.query.strip()[:60]}",
            "Remove it; CREATE and SET are allowed",
        )


def _refused(problem: str, error: Exception) -> BadInput:
    return BadInput(problem, str(error).splitlines()[0], "Correct the text")


def _settings(con: duckdb.DuckDBPyConnection) -> Options:
    """Return the settings that the DDL has changed; the others are those of DuckDB's version."""
    return tuple(sorted(set(_all_settings(con)) - _defaults()))


@cache
def _defaults() -> frozenset[tuple[str, str]]:
    with duckdb.connect(config=SEALED) as con:
        con.execute(LOCK)
        return frozenset(_all_settings(con))


def _all_settings(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    return con.execute("select name, coalesce(value, '') from duckdb_settings()").fetchall()


def table_facts(
    con: duckdb.DuckDBPyConnection, tables: Iterable[tuple[str, ...]]
) -> dict[tuple[str, ...], TableFacts]:
    """Return the constraints of tables."""
    primary: dict[tuple[str, ...], tuple[str, ...]] = {}
    keys: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for *path, kind, columns in con.execute(KEYS).fetchall():
        keys.setdefault(tuple(path), []).append(tuple(columns))
        if kind == "PRIMARY KEY":
            primary[tuple(path)] = tuple(columns)
    foreign: dict[tuple[str, ...], list[ForeignKey]] = {}
    for *path, columns, table, referred in con.execute(FOREIGN).fetchall():
        key = ForeignKey(tuple(columns), (*path[:2], table), tuple(referred))
        foreign.setdefault(tuple(path), []).append(key)
    not_null = {tuple(path): columns for *path, columns in con.execute(NOT_NULL).fetchall()}
    return {
        path: TableFacts(
            frozenset(not_null.get(path, ())),
            primary.get(path, ()),
            tuple(keys.get(path, ())),
            tuple(foreign.get(path, ())),
        )
        for path in tables
    }


COLUMNS = """
    select database_name, schema_name, table_name, column_name, data_type from duckdb_columns()
    where not internal and table_name in (select table_name from duckdb_tables())
    order by database_name, schema_name, table_name, column_index"""
KEYS = """
    select database_name, schema_name, table_name, constraint_type, constraint_column_names
    from duckdb_constraints() where constraint_type in ('PRIMARY KEY', 'UNIQUE')
    order by all"""
FOREIGN = """
    select database_name, schema_name, table_name, constraint_column_names, referenced_table,
        referenced_column_names
    from duckdb_constraints() where constraint_type = 'FOREIGN KEY' order by all"""
NOT_NULL = """
    select database_name, schema_name, table_name, list(column_name) from duckdb_columns()
    where not is_nullable group by all"""
