"""Queries over selected records of a table, answered from the table's decoded columns.

Rids are positions in a decoded column, so only the records' values are read. A GROUP BY of exact
values runs in compiled loops over these values; any other query runs in DuckDB over an Arrow table
of them. Columns are decoded when queries over records use them for the second time.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import sqlglot
from numpy.typing import NDArray
from sqlglot import exp
from sqlglot.errors import ParseError

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace

from .column_cache import ColumnCache, Key, needed
from .compiled import cells, group_by
from .compiled.fused import Fused
from .index import kernels
from .index.decoded import Coded, DecodedNumbers, Unfit
from .index.rid_indexes import Rows

if TYPE_CHECKING:
    from .session_state import Session

RECORDS, CHOSEN, ROW = "records", "__provhouse_records", "__provhouse_rid"
BATCH = 1 << 17
"""The number of rows in a batch for DuckDB, which distributes batches among its threads."""
_WITH = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*with\b(\s+recursive\b)?", re.I | re.S)


@dataclass
class RecordQuery:
    """A query over records of one table, and the columns that it needs."""

    names: list[str]
    """The columns of the result."""
    columns: list[str] | None
    """The record columns that the query reads, or None if it may read all columns."""
    fused: Fused | None
    """The query for compiled loops, on the whole table; None if they cannot run it."""


@dataclass(frozen=True)
class OfRecords:
    """The decoded columns of the given records, in the order of their rids."""

    columns: ColumnCache
    rids: Rows

    def rows(self, table: TablePlace) -> int:
        """Return the number of records."""
        self.columns.rows(table)
        return int(self.rids.size)

    def coded(self, table: TablePlace, column: str) -> Coded:
        """Return the records' values of a column as codes."""
        whole = self.columns.coded(table, column)
        return Coded(taken(whole.codes, self.rids), whole.values)

    def numbers(self, table: TablePlace, column: str) -> DecodedNumbers:
        """Return the records' values of a column as integers."""
        whole = self.columns.numbers(table, column)
        valid = None if whole.valid is None else taken(whole.valid, self.rids)
        return DecodedNumbers(taken(whole.numbers, self.rids), valid, whole.low, whole.high)


def taken(values: NDArray[Any], rids: Rows) -> NDArray[Any]:
    """Return the elements of ``values`` at the given rids."""
    out = np.empty(rids.size, values.dtype)
    kernels.take(values, rids, out)
    return out


def answered(con: "Session", table: TablePlace, rids: Rows, query: str) -> pa.Table | None:
    """Return the result of a query over the given records, from decoded columns.

    Returns None if DuckDB must read the table itself.
    """
    found = _planned(con, table, query)
    if found.fused is not None and _usable(con.columns, needed(found.fused)):
        try:
            return _in_loops(con, found.fused, rids).rename_columns(found.names)
        except Unfit:
            found.fused = None
    if found.fused is None and found.columns is not None:
        keys = [(table, name, "values") for name in found.columns]
        try:
            return _gathered(con, keys, rids, query) if _usable(con.columns, keys) else None
        except Unfit:
            found.columns = None
    return None


def _in_loops(con: "Session", fused: Fused, rids: Rows) -> pa.Table:
    """Run a query in compiled loops over the records that pass its filters."""
    con.columns.rows(fused.table)
    for each in fused.filters:
        coded = con.columns.coded(fused.table, each.column)
        out = np.empty_like(rids)
        size = kernels.pick(coded.codes, cells.passes(con.duckdb, each, coded), rids, out)
        rids = out[:size]
    unfiltered = replace(fused, filters=[])
    return group_by.run(con.duckdb, unfiltered, OfRecords(con.columns, rids)).rows


def _usable(columns: ColumnCache, keys: Sequence[Key]) -> bool:
    return columns.ready(keys) or columns.wanted(keys)


def _gathered(con: "Session", keys: Sequence[Key], rids: Rows, query: str) -> pa.Table:
    """Run a query in DuckDB over the decoded values of the given records."""
    table = pa.table({ROW: rids})  # keeps the number of rows if no column is needed
    for place, name, _ in keys:
        con.columns.rows(place)
        whole = con.columns.values(place, name).values
        plain = pa.types.is_integer(whole.type) or pa.types.is_floating(whole.type)
        if plain and not whole.null_count:  # takes a third of the time
            table = table.append_column(name, [pa.array(taken(whole.to_numpy(), rids))])
        else:
            table = table.append_column(name, whole.take(pa.array(rids)))
    con.duckdb.register(CHOSEN, pa.Table.from_batches(table.to_batches(BATCH), table.schema))
    try:
        return con.duckdb.sql(over(f"select * from {CHOSEN}", query)).to_arrow_table()
    finally:
        con.duckdb.unregister(CHOSEN)


def over(records: str, query: str) -> str:
    """Return ``query`` with a CTE named ``records``, which is the SQL query ``records``."""
    if start := _WITH.match(query):
        return f"with{start[1] or ''} {RECORDS} as ({records}), {query[start.end() :]}"
    return f"with {RECORDS} as ({records}) {query}"


def _planned(con: "Session", table: TablePlace, query: str) -> RecordQuery:
    """Return the plan of a query over records. Plans are cached by SQL text."""
    kept = con.record_queries
    if (table, query) not in kept:
        if len(kept) >= MOST:
            kept.pop(next(iter(kept)))
        kept[table, query] = _plan(con, table, query)
    return kept[table, query]


MOST = 500
"""The maximum number of queries whose plans are kept."""


def _plan(con: "Session", table: TablePlace, query: str) -> RecordQuery:
    """Determine the columns that a query needs. Raises DuckDB's own errors for an invalid query."""
    found = con.duckdb.sql(over(f"select * from {table.sql()}", query))
    plain = RecordQuery(found.columns, None, None)
    try:
        trees = sqlglot.parse(query, dialect="duckdb")
    except ParseError:
        return plain
    if len(trees) != 1 or not isinstance(trees[0], exp.Query) or "#" in query:
        return plain  # `#1` names a column by its position
    tree: Any = trees[0]
    columns = con.find(table.sql())[1]
    if not con.catalog().has_collations(con.duckdb, table) and not _reads_all(tree, columns):
        named = {each.name.lower() for each in tree.find_all(exp.Identifier)}
        plain.columns = [name for name in columns if name.lower() in named]
    if (text := _of_table(tree, table)) is not None:
        plain.fused = _fused(con, text, list(map(str, found.types)))
    return plain


def _reads_all(tree: exp.Expr, columns: dict[str, str]) -> bool:
    """Return whether a query may read columns of the records without naming these columns."""
    stars = [each for each in tree.find_all(exp.Star) if not isinstance(each.parent, exp.Count)]
    natural = any(join.args.get("method") for join in tree.find_all(exp.Join))
    lower = {name.lower() for name in columns}
    names = {each.name.lower() for each in tree.find_all(exp.Column)} - lower
    rows = names & {each.alias_or_name.lower() for each in _sources(tree)}  # rows used as values
    return bool(stars or natural or rows or any(tree.find_all(exp.Columns, exp.Pivot)))


def _sources(tree: exp.Expr) -> Iterator[Any]:
    yield from tree.find_all(exp.Table, exp.Subquery, exp.CTE)


def _of_table(tree: exp.Expr, table: TablePlace) -> str | None:
    """Return the query over the whole table; None unless it reads only the records, and once."""
    tables = list(tree.find_all(exp.Table))
    if len(tables) != 1 or tables[0].name.lower() != RECORDS or tables[0].db:
        return None
    (read,) = tables
    if not read.alias:
        read.set("alias", exp.TableAlias(this=exp.to_identifier(RECORDS)))
    for part, name in zip(("catalog", "db", "this"), table, strict=True):
        read.set(part, exp.to_identifier(name, quoted=True))
    return tree.sql("duckdb")


def _fused(con: "Session", text: str, kinds: list[str]) -> Fused | None:
    try:
        found = con.plan(text).fused(con.duckdb, con.catalog())
    except (UsageError, duckdb.Error):
        return None
    return found if found is not None and found.kinds == kinds else None
