"""Hidden columns of types that Arrow does not represent exactly: their values stay in DuckDB.

Arrow lacks bit strings, times with time zones and 128-bit integers, and cannot assign numbers to
distinct structs, lists, maps and unions. The distinct values of such a column, as DuckDB groups
them, are stored in a temporary table. In the column, each value is replaced by its rowid in this
table, and the metadata of the column's Arrow field names the table. NULL stays NULL.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count

import duckdb
import pyarrow as pa

from provhouse.sql.quoting import quoted

VALUES = b"provhouse.values"
"""A key in the metadata of a column's Arrow field.

Its value is the name of the table that contains the values for the numbers in this column.
"""
NUMBERED = "__provhouse_numbered"
_CARRIED = re.compile(
    r"BOOLEAN|U?(TINYINT|SMALLINT|INTEGER|BIGINT)|DECIMAL\(.*\)|FLOAT|DOUBLE|VARCHAR|BLOB|UUID|JSON"
    r"|ENUM\(.*\)|DATE|TIME|TIMESTAMP( WITH TIME ZONE)?|\"NULL\"",
    re.DOTALL,
)
_names = count()


def is_carried(kind: str) -> bool:
    """Return whether Arrow represents the values of a DuckDB type exactly."""
    return _CARRIED.fullmatch(kind) is not None


class Apart:
    """The temporary tables with values that Arrow cannot represent, for one result or question."""

    def __init__(self, con: duckdb.DuckDBPyConnection, discarded: list[str]) -> None:
        self._con = con
        self._tables: list[str] = []
        self._discarded = discarded

    def fetch(
        self, relation: duckdb.DuckDBPyRelation, text: str, hidden: Sequence[int]
    ) -> tuple[pa.Table, pa.Table]:
        """Return the rows of a query, and its hidden columns.

        In the hidden columns, numbers replace the values that Arrow cannot represent. ``relation``
        is the query ``text`` as DuckDB has bound it.
        """
        kinds = list(map(str, relation.types))
        apart = [at for at in dict.fromkeys(hidden) if not is_carried(kinds[at])]
        if not apart:
            found = relation.to_arrow_table()
            return found, found.select(hidden)
        with _stored(self._con, text, kinds) as rows:
            tables = {at: self._distinct(rows, at) for at in apart}
            found = self._con.sql(_numbered(rows, kinds, tables)).to_arrow_table()
        fields = [_field(found, len(kinds), at, apart, tables) for at in hidden]
        columns = [found.column(position) for position, _ in fields]
        visible = found.select(range(len(kinds))).rename_columns(relation.columns)
        return visible, pa.table(columns, schema=pa.schema([field for _, field in fields]))

    def _distinct(self, rows: str, at: int) -> str:
        """Store the distinct values of a column, and return the name of their table."""
        table = f"__provhouse_values{next(_names)}"
        self._con.execute(
            f"create temp table {table} as select c{at} as v from {rows} "
            f"where c{at} is not null group by c{at}"
        )
        self._tables.append(table)
        return table

    def discard(self) -> None:
        """Schedule the tables to be dropped when the connection is next used."""
        self._discarded += self._tables
        self._tables = []

    def __del__(self) -> None:
        self.discard()  # not dropped here: another thread may use DuckDB now


@contextmanager
def _stored(con: duckdb.DuckDBPyConnection, text: str, kinds: Sequence[str]) -> Iterator[str]:
    """Store the numbered rows of a query in a table, yield the table's name, and drop the table."""
    names = ", ".join(f"c{at}" for at in range(len(kinds)))
    con.execute(
        f"create temp table {NUMBERED} as select row_number() over () as at, * "
        f"from ({text}\n) as d({names})"
    )
    try:
        yield NUMBERED
    finally:
        con.execute(f"drop table {NUMBERED}")


def _numbered(rows: str, kinds: Sequence[str], tables: dict[int, str]) -> str:
    """Return a query for all rows, with further columns: the values' rowids in ``tables``."""
    columns = ["null" if kind == '"NULL"' else f"r.c{at}" for at, kind in enumerate(kinds)]
    columns += [f"v{at}.rowid::integer" for at in tables]
    joins = [
        f"left join {table} v{at} on r.c{at} is not distinct from v{at}.v"
        for at, table in tables.items()
    ]
    return f"select {', '.join(columns)} from {rows} r {' '.join(joins)} order by r.at"


def _field(
    found: pa.Table, width: int, at: int, apart: Sequence[int], tables: dict[int, str]
) -> tuple[int, pa.Field]:
    """Return a hidden column's position in ``found``, and its Arrow field."""
    if at not in tables:
        return at, found.schema.field(at)
    position = width + apart.index(at)
    metadata = {VALUES: tables[at].encode()}
    return position, pa.field(f"c{at}", found.column(position).type, metadata=metadata)


def readable(con: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    """Make ``table`` readable in queries as ``name``, with values in place of their numbers."""
    fields = list(table.schema)
    tables = {at: field.metadata[VALUES] for at, field in enumerate(fields) if _is_apart(field)}
    if not tables:
        con.register(name, table)
        return
    numbers = f"{name}_numbers"
    con.register(numbers, table)
    columns = [
        f"v{at}.v as {quoted(field.name)}" if at in tables else f"r.{quoted(field.name)}"
        for at, field in enumerate(fields)
    ]
    joins = [
        f"left join {found.decode()} v{at} on r.{quoted(fields[at].name)} = v{at}.rowid"
        for at, found in tables.items()
    ]
    con.execute(
        f"create or replace temp view {quoted(name)} as "
        f"select {', '.join(columns)} from {quoted(numbers)} r {' '.join(joins)}"
    )


def unreadable(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Remove the views and tables that ``readable`` made for a name."""
    con.execute(f"drop view if exists temp.{quoted(name)}")
    for each in (name, f"{name}_numbers"):
        con.unregister(each)


def _is_apart(field: pa.Field) -> bool:
    return bool(field.metadata) and VALUES in field.metadata


def with_eids(table: pa.Table, names: Sequence[str], eids: pa.Array) -> pa.Table:
    """Return a table with the columns renamed and a column ``eid`` added.

    Fields keep their metadata.
    """
    fields = [field.with_name(name) for field, name in zip(table.schema, names, strict=True)]
    schema = pa.schema([*fields, pa.field("eid", eids.type)])
    return pa.Table.from_arrays([*table.columns, eids], schema=schema)
