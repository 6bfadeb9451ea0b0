"""Operators that are rewritten to plain SQL, before the names in a query are resolved."""

import duckdb
from sqlglot import exp

from .by_name import by_position
from .pivot import without_pivots


def plain(tree: exp.Expr, con: duckdb.DuckDBPyConnection) -> exp.Expr:
    """Return a query in which PIVOT, UNPIVOT and UNION BY NAME are other queries."""
    kinds = {type(node) for node in tree.walk()}
    if exp.Pivot in kinds:
        tree = without_pivots(con, tree)
    if exp.Union in kinds:
        by_position(con, tree)
    return tree
