"""Set operations whose sides differ in type: each side is cast as DuckDB does.

A row of UNION, INTERSECT or EXCEPT comes from the rows of a side that are equal to it. They are
compared in the type of the result, not in that of the side: 1 and 'a' are both texts.
"""

import duckdb
from sqlglot import exp

from . import blocks
from .names import RESERVED
from .parse import Parsed

SIDE = f"{RESERVED}_side"


def unify(con: duckdb.DuckDBPyConnection, parsed: Parsed) -> None:
    """Cast the sides of all set operations but UNION ALL, the innermost first."""
    found = [each for each in parsed.query.find_all(exp.SetOperation) if _compares(each)]
    if not found:
        return
    clause = parsed.query.args.get("with_")
    before = f"{clause.sql('duckdb')} " if clause is not None else ""
    for each in reversed(found):
        if each is parsed.query:
            before = ""
        types = _types(con, before, each)
        for side in (each.this, each.expression):
            if types and (own := _types(con, before, side)) and own != types:
                _cast(side, types)


def _compares(node: exp.SetOperation) -> bool:
    return not isinstance(node, exp.Union) or bool(node.args.get("distinct"))


def _types(con: duckdb.DuckDBPyConnection, before: str, query: exp.Expr) -> list[str]:
    """Return the types of a query's columns; none if it refers to a query around it."""
    try:
        return list(map(str, con.sql(before + query.sql("duckdb")).types))
    except duckdb.Error:
        return []


def _cast(side: exp.Expr, types: list[str]) -> None:
    """Replace a side by a query that casts its columns."""
    leaf = blocks.unwrapped(side)
    while isinstance(leaf, exp.SetOperation):
        leaf = blocks.unwrapped(leaf.this)
    listed = [exp.to_identifier(f"c{at}", quoted=True) for at in range(len(types))]
    columns = [
        exp.alias_(exp.cast(exp.column(name.copy(), SIDE, quoted=True), kind, dialect="duckdb"),
                   each.alias_or_name, quoted=True)
        for name, kind, each in zip(listed, types, leaf.expressions, strict=True)
    ]  # fmt: skip
    outer = exp.Select(expressions=columns)
    side.replace(outer)
    alias = exp.TableAlias(this=exp.to_identifier(SIDE, quoted=True), columns=listed)
    outer.set("from_", exp.From(this=exp.Subquery(this=blocks.unwrapped(side), alias=alias)))
