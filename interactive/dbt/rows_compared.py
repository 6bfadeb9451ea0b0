"""Compare the rows of a built table with the rows that its model's SQL returns when run again.

DuckDB makes the comparison. Two tables are equal if each row occurs equally often in both.
Floating-point numbers are compared to 12 digits, since DuckDB sums them in an arbitrary order.
"""

from collections.abc import Mapping, Sequence

import duckdb
import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

from .opened_database import OpenedDatabase

FLOATS = ("FLOAT", "DOUBLE")


def same_rows(opened: OpenedDatabase, built: TablePlace, expected: Sequence[str]) -> I64 | None:
    """Return, for each row of a built table, the position of the equal expected row.

    The result is in the order of row ids. ``expected`` names tables, whose rows are numbered
    consecutively from table to table, by row id. If several rows are equal, the first built row is
    matched with the first expected row, and so on. Returns None if the rows differ.
    """
    columns = opened.columns(built)
    if {*map(str.lower, columns)} != {*_names(opened, expected[-1])}:
        return None
    number = opened.con.extent(built)[0]
    parts = " union all ".join(
        f"select {at} as part, rowid as rid, {values(columns)} as row from {table}"
        for at, table in enumerate(expected)
    )
    text = f"""
        with listed as (
            select row_number() over (order by part, rid) - 1 as nth, row from ({parts})),
        counted as (
            select nth, row, row_number() over (partition by row order by nth) as n from listed),
        own as (
            select rid, row, row_number() over (partition by row order by rid) as n
            from (select rowid as rid, {values(columns)} as row from {built.sql()}))
        select nth from own full join counted
            on own.n = counted.n and own.row is not distinct from counted.row
        order by own.rid"""
    try:
        found = opened.arrow(text)["nth"]
    except duckdb.Error:
        return None
    if found.null_count or len(found) != number:
        return None
    return np.asarray(found.to_numpy(), np.int64)


def in_order(opened: OpenedDatabase, built: TablePlace, expected: pa.Table) -> bool:
    """Return whether a built table has the expected rows in the same order, as it usually has."""
    columns = opened.columns(built)
    number = opened.con.extent(built)[0]
    names = sorted(map(str.lower, expected.column_names))
    if len(expected) != number or names != sorted(map(str.lower, columns)):
        return False
    other = " or ".join(
        f"{_value(name, kind, 'a')} is distinct from {_value(name, kind, 'b')}"
        for name, kind in columns.items()
    )
    try:
        with opened.given(expected) as rows:
            text = f"""
                select count(*), count(a.rowid), count(*) filter (where {other})
                from {built.sql()} a positional join {rows} b"""
            (found,) = opened.duckdb.execute(text).fetchall()
    except duckdb.Error:
        return False
    return bool(found == (number, number, 0))


def values(columns: Mapping[str, str], alias: str = "") -> str:
    """Return SQL for all values of a row, converted for comparison."""
    return f"row({', '.join(_value(name, kind, alias) for name, kind in columns.items())})"


def _value(name: str, kind: str, alias: str) -> str:
    column = f"{alias}.{quoted(name)}" if alias else quoted(name)
    if kind in FLOATS:
        return f"printf('%.11e', {column}::double)"
    return f"{column}::{kind}"


def _names(opened: OpenedDatabase, table: str) -> list[str]:
    return [name.lower() for name in opened.duckdb.sql(f"from {table} limit 0").columns]
