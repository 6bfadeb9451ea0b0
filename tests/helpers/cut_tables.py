"""Check lineage with the user's own text: plain DuckDB runs it on tables cut to the records."""

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from provhouse.interactive import connect
from provhouse.interactive.result import Result


def checked(statements: Sequence[str], tables: Sequence[str], sql: str) -> Result:
    """Return a result whose rows are those of DuckDB, and come back from their records alone.

    A table that is read several times is cut to all its records; a negative one stays whole.
    """
    plain = duckdb.connect(config={"threads": 1})
    result = connect(_made(statements)).sql(sql, lineage=True)
    _made(statements, plain)
    expected = plain.sql(sql).to_arrow_table()
    assert result.to_arrow().schema == expected.schema
    rows = _rows(result.to_arrow())
    assert sorted(rows) == sorted(_rows(expected))
    plain.execute("create schema cut; set search_path = 'cut'")
    for at, row in enumerate(rows):
        for table in tables:
            rids: set[int] = set()
            for name in result.references:
                if name.split("#")[0] == table:
                    rids |= set(result.backward(name, [at]).rids.tolist())
            whole = any(name.split("#")[0] == table for name in result.negative)
            kept = "true" if whole else f"rowid in (select unnest({sorted(rids)}::bigint[]))"
            plain.execute(
                f"create or replace table {table} as select * from main.{table} where {kept}"
            )
        assert row in _rows(plain.sql(sql).to_arrow_table()), (row, _records(result, at))
    return result


def _made(
    statements: Sequence[str], con: duckdb.DuckDBPyConnection | None = None
) -> duckdb.DuckDBPyConnection:
    made = con or duckdb.connect(config={"threads": 1})
    for statement in statements:
        made.execute(statement)
    return made


def _rows(table: pa.Table) -> list[str]:
    columns = [column.to_pylist() for column in table.columns]
    return [str(row) for row in zip(*columns, strict=True)]


def _records(result: Result, row: int) -> dict[str, list[int]]:
    return {name: result.backward(name, [row]).rids.tolist() for name in result.references}
