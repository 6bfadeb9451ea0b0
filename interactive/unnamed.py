"""Files and data frames that a query reads without registering them.

``from 'x.parquet'``, ``from read_csv('x.csv', ...)`` and ``from frame``, where ``frame`` is a
variable of the caller, are copied into tables, so that their rows have lasting row numbers: the
position in the file or data frame. These tables are in a separate database, where unqualified names
are not looked up. A changed file or data frame is copied to a new table, so that earlier results
keep the old one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from provhouse.sql.catalog import Catalog, TablePlace
from provhouse.sql.ctes import cte_of
from provhouse.sql.dialect import Verbatim, read
from provhouse.sql.quoting import quoted, text_of

from .table_sources import ReadSource, ending, reader, to_arrow

DATABASE = "provhouse_sources"
GIVEN = "__provhouse_data"
READERS = {
    "read_parquet", "parquet_scan", "read_csv", "read_csv_auto", "read_json", "read_json_auto",
    "read_ndjson", "read_ndjson_auto", "read_text", "read_blob",
}  # fmt: skip


@dataclass
class _Copy:
    place: TablePlace
    source: ReadSource | None
    data: pa.Table | None


class Unnamed:
    """The copies of files and data frames that the queries of one connection have read."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._copies: dict[str, _Copy] = {}
        self._reading: set[str] = set()
        self.number = 0
        """The number of copies made so far."""

    def reads(self, sql: str) -> bool:
        """Return whether a query is known to read files or data frames."""
        return sql in self._reading

    def source(self, place: TablePlace) -> ReadSource | None:
        """Return the file that was copied to a table, and its state at that time."""
        return next((each.source for each in self._copies.values() if each.place == place), None)

    def named(self, sql: str, catalog: Catalog, variables: Mapping[str, Any]) -> str:
        """Rewrite a query to read copies of files and data frames; return other queries unchanged.

        ``variables`` are the variables to which a name in the query may refer. Raises NotFound for
        a missing file, UsageError for data that is not a table, and DuckDB's own errors for a
        broken file.
        """
        try:
            trees = read(sql)
        except SqlglotError:
            return sql
        tokens = Verbatim().tokenize(sql)
        pieces: list[tuple[int, int, str]] = []
        for table in [each for tree in trees for each in tree.find_all(exp.Table)]:
            span = _span(table, tokens)
            if span is None:
                continue
            place = self._copy(sql[span[0] : span[1]], table, catalog, variables)
            if place is not None:
                alias = "" if table.alias else f" AS {quoted(_alias(table))}"
                pieces.append((*span, place.sql() + alias))
        if pieces:
            self._reading.add(sql)
        for start, end, text in sorted(pieces, reverse=True):
            sql = sql[:start] + text + sql[end:]
        return sql

    def _copy(
        self, text: str, table: exp.Table, catalog: Catalog, variables: Mapping[str, Any]
    ) -> TablePlace | None:
        """Return the copy of the file or data frame to which a FROM item refers, or None."""
        if isinstance(table.this, exp.Func):
            if table.this.name.lower() not in READERS:
                return None
            first = table.this.expressions[0] if table.this.expressions else None
            path = first.name if isinstance(first, exp.Literal) else None
            alone = len(table.this.expressions) == 1
            function = table.this.name.lower().removesuffix("_auto") if alone else ""
            return self._file(text, path or text, f"from {text}", path, function)
        if table.db or cte_of(table) is not None or catalog.find(table) is not None:
            return None
        if ending(table.name) is not None:
            function = reader(table.name)
            query = f"from {function}({text_of(table.name)})"
            return self._file(table.name, table.name, query, table.name, function)
        if table.name in variables:
            return self._frame(table.name, to_arrow(variables[table.name]))
        return None

    def _file(self, key: str, name: str, query: str, path: str | None, function: str) -> TablePlace:
        source = ReadSource.of(path, function) if path is not None else None
        known = self._copies.get(key)
        if known is None or known.source != source:
            known = self._copies[key] = _Copy(self._make(name, query), source, None)
        return known.place

    def _frame(self, name: str, data: pa.Table) -> TablePlace:
        known = self._copies.get(name)
        if known is None or known.data is None or not known.data.equals(data):
            self._con.register(GIVEN, data)
            try:
                place = self._make(name, f"from {GIVEN}")
            finally:
                self._con.unregister(GIVEN)
            known = self._copies[name] = _Copy(place, None, data)
        return known.place

    def _make(self, name: str, query: str) -> TablePlace:
        if not self.number:
            self._con.execute(f"attach ':memory:' as {DATABASE}")
        place = TablePlace(DATABASE, f"s{self.number}", name)
        self.number += 1
        self._con.execute(f"create schema {DATABASE}.{place.schema}")
        self._con.execute(f"create table {place.sql()} as {query}")
        return place


def _span(table: exp.Table, tokens: list[Token]) -> tuple[int, int] | None:
    """Return the start and end of a table in the SQL text, including a function's arguments."""
    meta = next((node.meta for node in table.this.walk() if "start" in node.meta), None)
    at = next((at for at, token in enumerate(tokens) if meta and token.start == meta["start"]), -1)
    if at < 0:
        return None
    if not isinstance(table.this, exp.Func):
        return tokens[at].start, tokens[at].end + 1
    depth = 0
    for token in tokens[at:]:
        depth += token.token_type is TokenType.L_PAREN
        if token.token_type is TokenType.R_PAREN:
            depth -= 1
            if not depth:
                return tokens[at].start, token.end + 1
    return None


def _alias(table: exp.Table) -> str:
    """Return the alias that DuckDB gives a file or data frame by default."""
    if isinstance(table.this, exp.Func):
        return table.this.name
    return Path(table.name).name.split(".")[0] if ending(table.name) else table.name
