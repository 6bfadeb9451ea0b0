"""Operators that are rewritten as plain SQL before the names in a query are resolved."""

from collections.abc import Iterable

import duckdb
from sqlglot import exp

from .by_name import by_position
from .pivot import without_pivots


def rewritten(nodes: Iterable[exp.Expr]) -> bool:
    """Return whether a query contains PIVOT, UNPIVOT or BY NAME."""
    return any(
        isinstance(node, exp.Pivot) or bool(node.args.get("by_name"))
        for node in nodes
        if isinstance(node, (exp.Pivot, exp.SetOperation))
    )


def plain(tree: exp.Expr, con: duckdb.DuckDBPyConnection) -> exp.Expr:
    """Return a query with plain queries instead of PIVOT, UNPIVOT and UNION BY NAME."""
    tree = without_pivots(con, tree)
    by_position(con, tree)
    return tree
