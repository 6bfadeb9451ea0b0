"""Rewrite PIVOT as a GROUP BY with filtered aggregates, and UNPIVOT as unnested lists.

DuckDB returns the names of the resulting columns. If they differ from the names that the rewriting
expects, the query is refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import duckdb
from sqlglot import exp

from . import blocks, dialect, scoped
from .not_covered import refuse

UNNAMED = "__unnamed_pivot"
"""The name that DuckDB gives to an unnamed PIVOT in FROM."""


def without_pivots(con: duckdb.DuckDBPyConnection, tree: exp.Expr) -> exp.Expr:
    """Return a tree in which a query replaces each PIVOT and UNPIVOT, innermost first."""
    if isinstance(tree, exp.Pivot):
        with_ = tree.args.get("with_")
        tree.set("with_", None)
        tree = exp.select("*").from_(exp.Subquery(this=tree), copy=False)
        tree.set("with_", with_)
    for node in reversed(list(tree.find_all(exp.Pivot, exp.Table, exp.Subquery, exp.Join))):
        if isinstance(node, exp.Pivot) and node.this is not None:
            text = f"FROM ({dialect.text_with_pivots(node)})"
            node.replace(_query(_Shape(con, node, node.this, node), text))
        elif isinstance(node, exp.Join) and node.args.get("pivots"):
            refuse("PIVOT of a join without parentheses", node)
        while node.args.get("pivots"):
            node = _derived(con, node)
    return tree


def _derived(con: duckdb.DuckDBPyConnection, source: exp.Expr) -> exp.Subquery:
    """Replace a source with PIVOTs by a derived table that keeps all PIVOTs except the first."""
    first, *others = source.args["pivots"]
    derived = exp.Subquery(pivots=others or None, joins=source.args.get("joins"))
    alias = first.args.get("alias") or exp.TableAlias(this=exp.to_identifier(UNNAMED, quoted=True))
    if alias.columns and first.args.get("unpivot") and not first.args.get("include_nulls"):
        refuse("UNPIVOT with other names for its columns", source)  # DuckDB 2.0 keeps NULLs then
    derived.set("alias", alias)
    source.replace(derived)
    first.set("alias", None)
    source.set("joins", None)
    source.set("pivots", [first])
    text = f"FROM {dialect.text_with_pivots(source)}"
    source.set("pivots", None)
    derived.set("this", _query(_Shape(con, derived, source, first), text))
    return derived


@dataclass
class _Shape:
    """One PIVOT: its position in the tree, its source, and its clauses."""

    con: duckdb.DuckDBPyConnection
    place: exp.Expr
    source: exp.Expr
    pivot: exp.Pivot

    @property
    def what(self) -> str:
        """The name of the operator."""
        return "UNPIVOT" if self.pivot.args.get("unpivot") else "PIVOT"

    def ask(self, listed: str, rest: str = "") -> duckdb.DuckDBPyRelation:
        """Return a query over the source of the PIVOT."""
        text = f"SELECT {listed} FROM {dialect.text_with_pivots(self.source)} {rest}"
        return scoped.ask(self.con, self.place, text, self.what)

    def columns(self, expressions: list[exp.Expr]) -> list[str]:
        """Return the names that DuckDB gives to expressions over the source of the PIVOT."""
        return self.ask(", ".join(each.sql("duckdb") for each in expressions)).columns

    def unexpected(self) -> None:
        """Refuse a PIVOT whose columns differ from the expected ones."""
        refuse(f"{self.what} with such columns", self.place)


def _query(shape: _Shape, text: str) -> exp.Select:
    names = scoped.columns(shape.con, shape.place, text, shape.what)
    if len({name.lower() for name in names}) < len(names):
        shape.unexpected()
    write = _unpivot if shape.pivot.args.get("unpivot") else _pivot
    return write(shape, names)


def _named(expression: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(expression, name, quoted=True)


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _pivot(shape: _Shape, names: list[str]) -> exp.Select:
    """Return a PIVOT as a GROUP BY; ``names`` are DuckDB's names of the PIVOT's columns."""
    pivot = shape.pivot
    statement = pivot.this is not None
    keys = pivot.expressions if statement else pivot.args["fields"]
    aggregates = (pivot.args.get("using") or []) if statement else pivot.expressions
    aggregates = aggregates or [exp.Count(this=exp.Star())]
    plain = [each.unalias() for each in aggregates]
    endings = shape.columns(plain) if len(plain) > 1 else [""]
    endings = [each.alias or end for each, end in zip(aggregates, endings, strict=True)]
    cells: dict[str, exp.Expr] = {}
    number = 0
    for values in product(*(list(_values(shape, key)) for key in keys)):
        condition = exp.and_(*(test for _, test in values))
        for aggregate, end in zip(plain, endings, strict=True):
            name = "_".join([*(label for label, _ in values), *([end] if end else [])])
            cells[name] = _filtered(aggregate, condition)
            number += 1
    groups, listed = names[: len(names) - number], names[len(names) - number :]
    if len(cells) < number or set(listed) != cells.keys():
        shape.unexpected()
    query = exp.Select(expressions=[_named(_column(name), name) for name in groups])
    query = query.select(*(_named(cells[name], name) for name in listed), copy=False)
    query = query.from_(shape.source, copy=False)
    return query.group_by(*map(_column, groups), copy=False) if groups else query


def _values(shape: _Shape, key: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """Yield, for each value of a key, its part of a column name, and a condition for the value."""
    assert isinstance(key, exp.In)  # ``pivot_values`` has listed the values in the data
    if not key.expressions:
        refuse("PIVOT by an IN that is not a list of values", key)
    for each in key.expressions:
        parts = _parts(each.this if isinstance(each, exp.PivotAlias) else each.unalias())
        texts = [_text(shape, part) for part in parts]
        label = each.alias or "_".join("NULL" if text is None else text for text in texts)
        keys = _parts(key.this)
        if len(keys) != len(texts):
            shape.unexpected()
        yield label, exp.and_(*map(_same, keys, texts))


def _parts(value: exp.Expr) -> list[exp.Expr]:
    return value.expressions if isinstance(value, exp.Tuple) else [value]


def _text(shape: _Shape, value: exp.Expr) -> str | None:
    """Return a value as a string. A name is a string too, as in ``IN (jan, feb)``."""
    if isinstance(value, exp.Column) and not value.table:
        return value.name
    ((text,),) = shape.con.sql(f"SELECT CAST({value.sql('duckdb')} AS VARCHAR)").fetchall()
    return text  # type: ignore[no-any-return]


def _same(key: exp.Expr, text: str | None) -> exp.Expr:
    value = exp.null() if text is None else exp.Literal.string(text)
    return exp.NullSafeEQ(this=exp.cast(key.copy(), "VARCHAR"), expression=value)


def _filtered(aggregate: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """Return an expression whose aggregates read only the rows for which a condition is true."""
    found = exp.Paren(this=aggregate.copy())
    for node in list(blocks.own(found, exp.Func)):
        if not blocks.is_aggregate(node):
            continue
        whole: exp.Expr = node
        while isinstance(whole.parent, (exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
            whole = whole.parent
        if isinstance(whole.parent, exp.Filter):  # DuckDB 2.0 would drop the filter
            refuse("FILTER in PIVOT", whole.parent)
        where = exp.Where(this=condition.copy())
        whole.replace(exp.Filter(this=whole.copy(), expression=where))
    return found.this  # type: ignore[no-any-return]


def _unpivot(shape: _Shape, names: list[str]) -> exp.Select:
    """Return the query of an UNPIVOT. ``names`` are DuckDB's names of the UNPIVOT's columns."""
    pivot = shape.pivot
    if pivot.this is not None:
        into = pivot.args.get("into")
        width, listed = len(into.expressions) if into else 1, pivot.expressions
    else:
        width, listed = len(_parts(pivot.expressions[0])), pivot.args["fields"][0].expressions
    entries = [entry for each in listed for entry in _entries(shape, each)]
    if not width or any(len(parts) != width for _, parts in entries):
        shape.unexpected()
    others, values = names[: -1 - width], names[-width:]
    labels = exp.array(*(exp.Literal.string(label) for label, _ in entries))
    cells = [_named(_column(name), name) for name in others]
    cells.append(_named(_unnested(labels), names[-1 - width]))
    for at, name in enumerate(values):
        column = exp.Anonymous(this="unpivot_list", expressions=[parts[at] for _, parts in entries])
        cells.append(_named(_unnested(column), name))
    query = exp.Select(expressions=cells).from_(shape.source, copy=False)
    if pivot.args.get("include_nulls"):
        return query
    some = exp.and_(*(_column(name).is_(exp.Not(this=exp.null())) for name in values))
    alias = exp.TableAlias(this=exp.to_identifier(UNNAMED, quoted=True))
    outer = exp.Select(expressions=[_named(_column(name), name) for name in names])
    return outer.from_(exp.Subquery(this=query, alias=alias), copy=False).where(some, copy=False)


def _unnested(values: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="unnest", expressions=[values])


def _entries(shape: _Shape, listed: exp.Expr) -> Iterator[tuple[str, list[exp.Expr]]]:
    """Yield one name for each column, or for each group of columns, and their expressions."""
    value = listed.this if isinstance(listed, exp.PivotAlias) else listed.unalias()
    if (star := _star(value)) is not None:
        for name in shape.columns([star]):
            holder = exp.Paren(this=value.copy())
            found = _star(holder)
            assert found is not None
            found.replace(_column(name))
            yield name, [holder.this]
        return
    parts = _parts(value)
    found_names = [column.name for part in parts for column in part.find_all(exp.Column)]
    yield listed.alias or "_".join(found_names), parts


def _star(value: exp.Expr) -> exp.Expr | None:
    """Return the part of an expression that represents several columns."""
    for node in value.find_all(exp.Anonymous, exp.Columns, exp.Star):  # outer ones first
        if not isinstance(node, exp.Anonymous) or node.name.lower() == "columns":
            return node
    return None
