"""Check lineage: plain DuckDB runs the user's own query on tables cut to the records."""

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from provhouse.interactive import Connection, connect
from provhouse.interactive.result import Result


class CutTables:
    """Equal tables in two databases: one answers lineage questions, the other has cut tables."""

    def __init__(self, statements: Sequence[str], tables: Sequence[str]) -> None:
        self.con: Connection = connect(_made(statements))
        self._plain, self._tables = _made(statements), tables
        self._plain.execute("create schema cut")

    def checked(self, sql: str, most: int = 3) -> Result:
        """Return a result; fail unless DuckDB gives the same rows, also from only their records.

        For about ``most`` rows, the query runs again on only the records of the row. A table that
        is read several times is cut to the records of all its references. A table with a negative
        reference stays whole.
        """
        plain = self._plain
        result = self.con.sql(sql, lineage=True)
        plain.execute("set search_path = 'main'")
        expected = plain.sql(sql).to_arrow_table()
        assert result.to_arrow().schema == expected.schema
        rows = _rows(result.to_arrow())
        assert sorted(rows) == sorted(_rows(expected))
        plain.execute("set search_path = 'cut'")
        for at in range(0, len(rows), max(1, len(rows) // most)):
            row = rows[at]
            for table in self._tables:
                self._cut(table, result, at)
            assert row in _rows(plain.sql(sql).to_arrow_table()), (row, _records(result, at))
        return result

    def _cut(self, table: str, result: Result, row: int) -> None:
        rids: set[int] = set()
        for name in result.references:
            if name.split("#")[0] == table:
                rids |= set(result.backward(name, [row]).rids.tolist())
        whole = any(name.split("#")[0] == table for name in result.negative)
        kept = "true" if whole else f"rowid in (select unnest({sorted(rids)}::bigint[]))"
        self._plain.execute(
            f"create or replace table {table} as select * from main.{table} where {kept}"
        )


def _made(statements: Sequence[str]) -> duckdb.DuckDBPyConnection:
    made = duckdb.connect(config={"threads": 1})
    for statement in statements:
        made.execute(statement)
    return made


def _rows(table: pa.Table) -> list[str]:
    columns = [column.to_pylist() for column in table.columns]
    return [str(row) for row in zip(*columns, strict=True)]


def _records(result: Result, row: int) -> dict[str, list[int]]:
    return {name: result.backward(name, [row]).rids.tolist() for name in result.references}
