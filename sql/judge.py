"""Refuse queries that provhouse and DuckDB read differently; DuckDB's reading decides."""

from collections import Counter
from collections.abc import Iterable, Sequence

import duckdb
from sqlglot import ErrorLevel, exp
from sqlglot.errors import UnsupportedError

from . import dialect
from .bound import Bound, NotBound, bound
from .catalog import Catalog, TablePlace
from .functions import Functions
from .not_covered import REWRITE, NotCovered, refuse


def check(con: duckdb.DuckDBPyConnection, sql: str, tree: exp.Expr, catalog: Catalog) -> Bound:
    """Return DuckDB's plan of ``sql``, if DuckDB binds the tree to the same plan.

    Raises NotCovered if the plans differ, or if the query calls a function that returns a different
    value at each call.
    """
    try:
        text = dialect.text_with_pivots(tree, ErrorLevel.RAISE)
    except UnsupportedError as error:
        refuse(f"this query ({error})", tree)
    try:
        theirs, ours = bound(con, sql, text)
    except NotBound:
        theirs = _bound(con, sql, tree, "DuckDB does not show how it reads this query")
        refuse_unstable(theirs, tree, catalog.functions)
        _bound(con, text, tree, "it is written in a form that provhouse does not read")
        raise
    refuse_unstable(theirs, tree, catalog.functions)
    if not theirs.same(ours, catalog.functions.names):
        differing = sorted(theirs.called ^ ours.called)
        what = f"{differing[0]}()" if differing else "this query"
        node = _call(tree, differing) or tree
        refuse(f"{what}, which DuckDB and provhouse read differently", node)
    return theirs


def _bound(con: duckdb.DuckDBPyConnection, sql: str, tree: exp.Expr, why: str) -> Bound:
    try:
        (found,) = bound(con, sql)
    except NotBound as error:
        raise NotCovered(
            "Lineage of this query is not supported", f"{why}: {error}", REWRITE
        ) from None
    return found


def refuse_unstable(found: Bound, tree: exp.Expr, functions: Functions) -> None:
    """Refuse functions whose value changes at each call: a witness query cannot repeat them."""
    if unstable := sorted(found.called & functions.unstable):
        node = _call(tree, unstable)
        refuse(node.sql("duckdb").lower() if node else f"{unstable[0]}()", node or tree)


def _call(tree: exp.Expr, names: Sequence[str]) -> exp.Expr | None:
    """Return the first call of any function in ``names`` in a tree, or None."""
    for node in tree.find_all(exp.Func):
        name = node.name if isinstance(node, (exp.Anonymous, exp.AggFunc)) else node.sql_name()
        if name.lower() in names or node.sql_name().lower() in names:
            return node
    return None


def check_scans(scans: Counter[TablePlace], tables: Iterable[TablePlace]) -> None:
    """Raise NotCovered unless the references found in a query equal the scans in DuckDB's plan."""
    found = Counter(tables)
    for table in (scans - found) + (found - scans):
        raise NotCovered(
            f"Lineage of this use of {table.name} is not supported",
            f"DuckDB reads {table.sql()} {scans[table]} times, and provhouse found "
            f"{found[table]} of them",
            REWRITE,
        )
