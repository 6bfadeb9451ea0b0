"""Compare the rows of a built table with the rows that its model's SQL returns when run again.

Two tables are equal if each row occurs equally often in both. Floating-point numbers are compared
to 12 digits, since DuckDB sums them in an arbitrary order. Arrow compares them first, and DuckDB
what Arrow cannot decide.
"""

from collections.abc import Mapping, Sequence

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

from ..planning.apart import is_carried
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


def same_in_arrow(opened: OpenedDatabase, built: TablePlace, expected: pa.Table) -> I64 | None:
    """Return the same as ``same_rows`` in less time, but None also if it is not certain."""
    columns = opened.columns(built)
    names = [name.lower() for name in expected.column_names]
    if sorted(names) != sorted(map(str.lower, columns)):
        return None
    if not all(is_carried(kind) or kind == "HUGEINT" for kind in columns.values()):
        return None
    listed = ", ".join(map(quoted, columns))
    own = opened.arrow(f"select {listed} from {built.sql()} order by rowid")
    theirs = expected.select([names.index(name.lower()) for name in columns])
    theirs = theirs.rename_columns(own.column_names)
    if own.equals(theirs):
        return np.arange(len(own))
    if own.schema.types != theirs.schema.types or len(own) != len(theirs):
        return None
    if any(map(pa.types.is_dictionary, own.schema.types)):  # Arrow does not sort ENUMs
        return None
    keys = [(name, "ascending") for name in own.column_names]
    order, other = (pc.sort_indices(each, sort_keys=keys) for each in (own, theirs))
    if not own.take(order).equals(theirs.take(other)):
        return None
    at = np.empty(len(own), np.int64)
    at[order.to_numpy()] = other.to_numpy()
    return at


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
