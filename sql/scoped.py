"""Ask DuckDB for the columns of a query's part, where the query's WITH clauses are in scope."""

from collections.abc import Iterator

import duckdb
from sqlglot import exp

from . import dialect
from .not_covered import refuse


def columns(con: duckdb.DuckDBPyConnection, part: exp.Expr, query: str, what: str) -> list[str]:
    """Return the column names of a query over a part of the tree, without running the query.

    Raises NotCovered if DuckDB cannot bind the query, for example because the part refers to an
    outer query. ``what`` names the construct.
    """
    return ask(con, part, query, what).columns


def ask(
    con: duckdb.DuckDBPyConnection, part: exp.Expr, query: str, what: str
) -> duckdb.DuckDBPyRelation:
    """Return a query over a part of the tree, bound by DuckDB; see ``columns``."""
    for with_, inside in _withs(part):
        before = with_.expressions
        if inside is not None:
            before = before[: [each is inside for each in before].index(True)]
        if before:
            listed = ", ".join(dialect.text_with_pivots(each) for each in before)
            recursive = "RECURSIVE " if with_.args.get("recursive") else ""
            query = f"WITH {recursive}{listed} SELECT * FROM ({query})"
    try:
        return con.sql(query)
    except duckdb.Error:
        refuse(f"{what} that refers to the outer query, or has another form", part)


def _withs(part: exp.Expr) -> Iterator[tuple[exp.With, exp.CTE | None]]:
    """Yield each WITH clause around a part, and its WITH query that contains the part, if any."""
    inside: exp.CTE | None = None
    node: exp.Expr | None = part
    while node is not None:
        if isinstance(node, exp.CTE):
            inside = node
        elif isinstance(with_ := node.args.get("with_"), exp.With) and (
            inside is None or inside.parent is with_
        ):
            yield with_, inside
            inside = None
        node = node.parent
