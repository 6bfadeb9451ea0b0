"""GROUP BY queries that a compiled kernel can run: on one table, with one column per key or filter.

The kernel aggregates and captures in one pass (Smoke, section 3.2). Its groups become a small
table, and DuckDB computes the rest of the query from this table: expressions of aggregates, HAVING,
ORDER BY and LIMIT. All other queries, and queries with inexact aggregates, run entirely in DuckDB.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import duckdb
from sqlglot import exp

from provhouse.sql import blocks
from provhouse.sql.catalog import Catalog, TablePlace
from provhouse.sql.node_marks import REF, VISIBLE
from provhouse.sql.parse import Parsed

from ..index.decoded import is_codable
from . import arithmetic
from .arithmetic import ArithmeticTerm

GROUPS, CELL = "__provhouse_groups", "__provhouse_cell"
Function = Literal["rows", "count", "sum", "avg", "min", "max"]
FUNCTIONS: dict[type[exp.Expr], Function] = {
    exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max",
}  # fmt: skip


@dataclass(frozen=True)
class OfColumn:
    """An expression that reads one column, evaluated once per distinct value of the column."""

    column: str
    sql: str
    """The SQL of the expression. It refers to the table as ``alias``."""
    alias: str
    plain: bool
    """Whether the expression is the column itself."""


@dataclass(frozen=True)
class Aggregate:
    """One aggregate.

    ``kind`` is its type in DuckDB. ``term`` is its argument, or None for count(*).
    """

    function: Function
    kind: str
    term: ArithmeticTerm | None


@dataclass(frozen=True)
class Grouping:
    """The parts of a GROUP BY that compiled loops need to find the rows of each group."""

    table: TablePlace
    keys: list[OfColumn]
    filters: list[OfColumn]

    @property
    def coded(self) -> set[str]:
        """The columns that the loops need as codes."""
        return {each.column for each in (*self.keys, *self.filters)}

    @property
    def numbers(self) -> set[str]:
        """The columns that the loops need as numbers."""
        return set()


@dataclass(frozen=True)
class Fused(Grouping):
    """A query that the kernel can run: its grouping, its aggregates, and the rest, for DuckDB."""

    aggregates: list[Aggregate]
    sql: str
    """The rest of the query. It reads ``GROUPS``, and its last column is the group's cell."""
    kinds: list[str]
    """The types of the query's columns."""

    @property
    def numbers(self) -> set[str]:
        """The columns that the kernel needs as numbers."""
        terms = [each.term for each in self.aggregates if each.term is not None]
        return {column for term in terms for column in term.columns}


def group(con: duckdb.DuckDBPyConnection, parsed: Parsed, catalog: Catalog) -> Grouping | None:
    """Return a query's grouping for compiled loops, or None if they cannot find its groups."""
    if len(parsed.references) != 1 or parsed.ctes or parsed.kept:
        return None
    query = parsed.query
    if not isinstance(query, exp.Select) or not _is_plain(query):
        return None
    source = query.args["from_"].this
    relation = catalog.find(source)
    assert relation is not None
    if catalog.has_collations(con, relation.place):
        return None
    columns = {name.lower(): (name, kind) for name, kind in relation.columns.items()}
    keys = [_of_column(key, columns) for key in blocks.group_keys(query).expressions]
    where = query.args.get("where")
    filters = [_of_column(each, columns) for each in (_conjuncts(where.this) if where else ())]
    known = [each for each in (*keys, *filters) if each is not None]
    if len(known) < len(keys) + len(filters) or not _are_exact(con, source, keys, filters):
        return None
    return Grouping(relation.place, known[: len(keys)], known[len(keys) :])


def fuse(
    con: duckdb.DuckDBPyConnection, parsed: Parsed, kinds: list[str], catalog: Catalog
) -> Fused | Grouping | None:
    """Return the query for the kernel; if that is impossible, only its grouping, or None.

    The result is a ``Grouping`` if the kernel can find the groups but not the aggregates.

    ``kinds`` are the types of the query's columns.
    """
    groups = group(con, parsed, catalog)
    if groups is None:
        return None
    query = parsed.query.copy()
    assert isinstance(query, exp.Select)
    query.set("expressions", query.expressions[: VISIBLE.of(query)])
    aggregates = _aggregates(con, query, query.args["from_"].this)
    text = None if aggregates is None else _rest(query, aggregates)
    if aggregates is None or text is None:
        return groups
    return Fused(groups.table, groups.keys, groups.filters, list(aggregates.values()), text, kinds)


CLAUSES = {"expressions", "from_", "where", "group", "having", "order", "limit", "offset", "kind"}


def _is_plain(query: exp.Select) -> bool:
    """Return whether a query is a single GROUP BY of a table, without windows or subqueries."""
    if any(value for name, value in query.args.items() if name not in CLAUSES):
        return False
    start = query.args.get("from_")
    if start is None or not REF.on(start.this) or start.this.args.get("joins"):
        return False
    others = (exp.Query, exp.Window, exp.Collate)
    nested = [node for node in query.find_all(*others) if node is not query]
    return not nested and blocks.is_grouped(query) and not blocks.group_keys(query).sets


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.this)
        yield from _conjuncts(condition.expression)
    else:
        yield condition


def _of_column(expression: exp.Expr, columns: Mapping[str, tuple[str, str]]) -> OfColumn | None:
    found = {column.name.lower(): column for column in expression.find_all(exp.Column)}
    if len(found) != 1:
        return None
    ((lower, column),) = found.items()
    name, kind = columns.get(lower, ("", ""))
    if not is_codable(kind):
        return None
    plain = isinstance(expression, exp.Column)
    return OfColumn(name, expression.sql("duckdb"), column.table, plain)


def _are_exact(
    con: duckdb.DuckDBPyConnection,
    source: exp.Expr,
    keys: list[OfColumn | None],
    filters: list[OfColumn | None],
) -> bool:
    """Return whether Arrow represents all key values exactly, and all filters are booleans."""
    texts = [each.sql for each in (*keys, *filters) if each is not None]
    if not texts:
        return True
    kinds = list(map(str, con.sql(f"select {', '.join(texts)} from {source.sql('duckdb')}").types))
    known = len([each for each in keys if each is not None])
    return all(map(is_codable, kinds[:known])) and set(kinds[known:]) <= {"BOOLEAN"}


def _aggregates(
    con: duckdb.DuckDBPyConnection, query: exp.Select, source: exp.Expr
) -> dict[str, Aggregate] | None:
    """Return a query's aggregates, keyed by their SQL, or None if one of them is not supported."""
    roots = [*query.expressions, query.args.get("having"), query.args.get("order")]
    found = {
        node.sql("duckdb"): node
        for root in roots
        if root is not None
        for node in blocks.own(root, exp.Func)
        if blocks.is_aggregate(node)
    }
    if any(not _is_covered(node) for node in found.values()):
        return None
    nodes = [arithmetic.nodes(each.this) for each in found.values() if not _counts_rows(each)]
    if None in nodes:
        return None
    texts = list({node.sql("duckdb") for each in nodes for node in each or []})
    listed = [*found, *(f"any_value({text})" for text in texts)]
    if not listed:
        return {}
    bound = con.sql(f"select {', '.join(listed)} from {source.sql('duckdb')}").types
    kinds = dict(zip([*found, *texts], map(str, bound), strict=True))
    aggregates = {sql: _aggregate(node, kinds[sql], kinds) for sql, node in found.items()}
    exact = {sql: each for sql, each in aggregates.items() if each is not None}
    return exact if len(exact) == len(found) else None


def _is_covered(node: exp.Func) -> bool:
    modifiers = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
    if type(node) not in FUNCTIONS or isinstance(node.parent, modifiers):
        return False
    return not node.expressions and not node.args.get("distinct")


def _counts_rows(node: exp.Func) -> bool:
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Star)


def _aggregate(node: exp.Func, kind: str, kinds: Mapping[str, str]) -> Aggregate | None:
    if _counts_rows(node):
        return Aggregate("rows", kind, None)
    term = arithmetic.term(node.this, kinds)
    function = FUNCTIONS[type(node)]
    if term is None or not term.columns or (term.kind == "DATE" and function in ("sum", "avg")):
        return None
    return Aggregate(function, kind, term)


def _rest(query: exp.Select, aggregates: Mapping[str, Aggregate]) -> str | None:
    """Return the rest of the query, on the table of groups, or None if it needs other columns."""
    keys = [key.sql("duckdb") for key in blocks.group_keys(query).expressions]
    for clause in ("where", "group", "from_"):
        query.set(clause, None)
    named: dict[str, exp.Expr] = {sql: _group(f"k{at}") for at, sql in enumerate(keys)}
    for at, (sql, each) in enumerate(aggregates.items()):
        column = _group(f"a{at}")
        named[sql] = exp.cast(column, "INT128") if each.kind == "HUGEINT" else column
    having = query.args.get("having")
    roots = [*query.expressions, *(each for each in (having, query.args.get("order")) if each)]
    for root in roots:
        _replace(root, named)
    if any(column.table != GROUPS for column in query.find_all(exp.Column) if column.table):
        return None
    if having is not None:
        query.set("having", None)
        query.set("where", exp.Where(this=having.this))
    query.append("expressions", _group(CELL))
    return query.from_(exp.to_table(GROUPS), copy=False).sql("duckdb")


def _group(name: str) -> exp.Column:
    return exp.column(name, GROUPS, quoted=True)


def _replace(node: exp.Expr, named: Mapping[str, exp.Expr]) -> None:
    replacement = named.get(node.sql("duckdb"))
    if replacement is not None and not isinstance(node, (exp.Alias, exp.Ordered)):
        node.replace(replacement.copy())
        return
    for child in list(node.iter_expressions()):
        _replace(child, named)
