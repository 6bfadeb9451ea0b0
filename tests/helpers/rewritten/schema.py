"""The tables of a DDL, as DuckDB's catalogue describes them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Foreign:
    """Columns that refer to the key of a table."""

    columns: tuple[str, ...]
    table: str
    key: tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """The tables of a DDL, in the order in which they are declared."""

    ddl: str
    columns: dict[str, dict[str, str]]
    """The type of each column of each table."""
    not_null: dict[str, frozenset[str]]
    keys: dict[str, tuple[str, ...]]
    foreign: dict[str, tuple[Foreign, ...]]


@cache
def schema_of(ddl: str) -> Schema:
    """Return the schema of a DDL."""
    with duckdb.connect() as con:
        con.execute(ddl)
        columns: dict[str, dict[str, str]] = {}
        not_null: dict[str, set[str]] = {}
        for table, column, type_, nullable in con.execute(COLUMNS).fetchall():
            columns.setdefault(table, {})[column] = type_
            not_null.setdefault(table, set()).update(() if nullable else {column})
        keys, foreign = {}, {table: list[Foreign]() for table in columns}
        for kind, table, names, other, others in con.execute(CONSTRAINTS).fetchall():
            if kind == "PRIMARY KEY":
                keys[table] = tuple(names)
            else:
                foreign[table].append(Foreign(tuple(names), other, tuple(others)))
    frozen = {table: frozenset(names) for table, names in not_null.items()}
    return Schema(ddl, columns, frozen, keys, {t: tuple(f) for t, f in foreign.items()})


@cache
def stored(name: str) -> Schema:
    """Return one of the schemas in this folder: ``tpch`` or ``tpcds``."""
    return schema_of((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))


COLUMNS = """
    select table_name, column_name, data_type, is_nullable from duckdb_columns()
    where not internal order by table_oid, column_index"""
CONSTRAINTS = """
    select constraint_type, table_name, constraint_column_names, referenced_table,
      referenced_column_names
    from duckdb_constraints() where constraint_type in ('PRIMARY KEY', 'FOREIGN KEY')
    order by table_oid, constraint_index"""
