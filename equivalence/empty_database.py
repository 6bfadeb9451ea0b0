"""An in-memory DuckDB with the empty tables of a DDL text, and without access to anything else."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache

import duckdb

from provhouse.model.errors import BadInput
from provhouse.sql.bound import NotBound, bound
from provhouse.sql.quoting import quoted
from provhouse.sql.time_limit import interrupted

from .from_duckdb import ForeignKey, TableFacts, Translation
from .plan_form import Options, PlanForm
from .sealed_duckdb import LOCK, kept_instance, own_instance

DECLARES = {duckdb.StatementType.CREATE, duckdb.StatementType.SET}


@dataclass(frozen=True)
class EmptyDatabase:
    """A database with empty tables, and what its catalogue records about them."""

    con: duckdb.DuckDBPyConnection
    columns: dict[tuple[str, ...], list[tuple[str, str]]]
    """The names and types of each table's columns, by the table's full name."""
    facts: dict[tuple[str, ...], TableFacts]
    settings: Options
    """The settings that the DDL has changed; all others are the defaults of DuckDB's version."""

    def referred_first(self, tables: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return the given tables and all tables that they reference, referenced tables first."""
        found: dict[tuple[str, ...], None] = {}

        def add(table: tuple[str, ...]) -> None:
            if table not in found:
                for key in self.facts[table].foreign:
                    if key.table != table:
                        add(key.table)
                found[table] = None

        for table in tables:
            add(table)
        return list(found)

    def clear(self, tables: Iterable[tuple[str, ...]]) -> None:
        """Remove all rows of the given tables and of all tables that they reference."""
        for table in reversed(self.referred_first(tables)):
            self.empty(table)

    def empty(self, table: tuple[str, ...]) -> None:
        """Remove all rows of a table; rows that refer to other rows of it are removed first."""
        for key in self.facts[table].foreign:
            if key.table == table:
                referring = " or ".join(f"{quoted(name)} is not null" for name in key.columns)
                self.con.execute(f"delete from {whole_name(table)} where {referring}")
        self.con.execute(f"delete from {whole_name(table)}")

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
def empty_database(ddl: str, small: bool = True) -> Iterator[EmptyDatabase]:
    """Yield a database with the tables, views, types and macros of a DDL text.

    The database cannot read files or load extensions. If ``small``, its queries may use 500 MB of
    memory and no disk. Raises BadInput if the text contains statements other than CREATE and SET,
    or if DuckDB refuses a statement.
    """
    with ExitStack() as opened:
        con = opened.enter_context(kept_instance())
        try:
            statements = con.extract_statements(ddl)
            sets = any(each.type == duckdb.StatementType.SET for each in statements)
            own = sets or not small
            con = opened.enter_context(own_instance(small)) if own else con
            opened.enter_context(interrupted(con))
            for statement in statements:
                _check(statement)
                con.execute(statement)
            if own:
                con.execute(LOCK)
        except duckdb.Error as error:
            raise _refused("Cannot create the tables of the DDL", error) from error
        columns = table_columns(con)
        facts = table_facts(con, columns)
        yield EmptyDatabase(con, columns, facts, _settings(con) if sets else ())


def whole_name(table: tuple[str, ...]) -> str:
    """Return the full name of a table as SQL."""
    return ".".join(map(quoted, table))


def table_columns(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, ...], list[tuple[str, str]]]:
    """Return the names and types of each table's columns, by the table's full name.

    ``duckdb_columns()`` is not used because it would bind all of DuckDB's own views, which would
    take longer than everything else.
    """
    tables = con.execute(TABLES).fetchall()
    if not tables:
        return {}
    names = [whole_name(table) for table in tables]
    query = " union all ".join([COLUMNS] * len(tables))
    numbered = (value for each in enumerate(names) for value in each)
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {table: [] for table in tables}
    for at, _, name, type_ in sorted(con.execute(query, [*numbered]).fetchall()):
        found[tables[at]].append((name, type_))
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
    """Return the settings that the DDL has changed; all others are DuckDB's defaults."""
    return tuple(sorted(set(_all_settings(con)) - _defaults()))


@cache
def _defaults() -> frozenset[tuple[str, str]]:
    with own_instance() as con:
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
    foreign: dict[tuple[str, ...], list[ForeignKey]] = {}
    not_null: dict[tuple[str, ...], set[str]] = {}
    for *path, kind, columns, table, referred in con.execute(CONSTRAINTS).fetchall():
        at = tuple(path)
        if kind == "FOREIGN KEY":
            key = ForeignKey(tuple(columns), (*at[:2], table), tuple(referred))
            foreign.setdefault(at, []).append(key)
        elif kind == "NOT NULL":
            not_null.setdefault(at, set()).update(columns)
        else:
            keys.setdefault(at, []).append(tuple(columns))
        if kind == "PRIMARY KEY":
            primary[at] = tuple(columns)
    return {
        path: TableFacts(
            frozenset(not_null.get(path, ())),
            primary.get(path, ()),
            tuple(keys.get(path, ())),
            tuple(foreign.get(path, ())),
        )
        for path in tables
    }


TABLES = """
    select database_name, schema_name, table_name from duckdb_tables() where not internal
    order by all"""
COLUMNS = "select ?, cid, name, type from pragma_table_info(?)"
CONSTRAINTS = """
    select database_name, schema_name, table_name, constraint_type, constraint_column_names,
        referenced_table, referenced_column_names
    from duckdb_constraints()
    where constraint_type in ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY', 'NOT NULL') order by all"""
