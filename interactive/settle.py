"""Blocks that may choose other rows when they run again: LIMIT, DISTINCT ON, windows with ties.

A witness query runs blocks again. So these blocks are stored in a temporary table first, with their
hidden columns, and both the query and its witness queries read that table.
"""

from itertools import count

from sqlglot import exp

from . import blocks
from .parse import Parsed
from .subqueries import ending_roots, outer_columns, output_roots, row_roots, subqueries

KEPT = "__provhouse_kept"
_numbers = count()


def settle(parsed: Parsed) -> None:
    """Move blocks that choose among rows into ``parsed.kept``, inner ones first."""
    for cte in parsed.ctes:
        _settle(parsed, cte.this, False)
    _settle(parsed, parsed.query, True)


def _settle(parsed: Parsed, query: exp.Expr, riding: bool) -> None:
    """Settle a block. ``riding``: its rows reach the result with their identity, run once."""
    query = blocks.unwrapped(query)
    if isinstance(query, exp.SetOperation):
        same = isinstance(query, exp.Union) and not query.args.get("distinct")
        for branch in (query.left, query.right):
            _settle(parsed, branch, riding and same)
        _settle_subqueries(parsed, ending_roots(query))
    elif isinstance(query, exp.Select):
        rides = riding and not (
            blocks.is_grouped(query) or query.args.get("distinct") or blocks.windows(query)
        )
        for source in blocks.sources(query):
            if isinstance(source, exp.Subquery):
                _settle(parsed, source, rides)
        roots = row_roots(query) + output_roots(query, len(query.expressions))
        _settle_subqueries(parsed, roots)
    if not riding and _chooses(query) and not outer_columns(query):
        _keep(parsed, query)


def _settle_subqueries(parsed: Parsed, roots: list[exp.Expr]) -> None:
    for each in subqueries(roots):
        _settle(parsed, each.query, False)


def _chooses(query: exp.Expr) -> bool:
    if query.args.get("limit") or query.args.get("offset"):
        return True
    if not isinstance(query, exp.Select):
        return False
    distinct = query.args.get("distinct")
    asof = any(join.method == "ASOF" for join in query.args.get("joins") or [])
    on = distinct is not None and distinct.args.get("on") is not None
    return on or asof or any(map(_depends_on_order, blocks.windows(query)))


def _depends_on_order(window: exp.Window) -> bool:
    return window.args.get("order") is not None and not isinstance(window.this, exp.Rank)


def _keep(parsed: Parsed, query: exp.Expr) -> None:
    name = f"{KEPT}{next(_numbers)}"
    leaf = query
    while isinstance(leaf, exp.SetOperation):
        leaf = blocks.unwrapped(leaf.left)
    columns = [
        exp.alias_(
            exp.column(each.alias_or_name, KEPT, quoted=True), each.alias_or_name, quoted=True
        )
        for each in leaf.expressions
    ]
    table = exp.Table(this=exp.to_identifier(name, quoted=True))
    table.set("alias", exp.TableAlias(this=exp.to_identifier(KEPT, quoted=True)))
    table.meta["kept"] = len(parsed.kept)
    query.replace(exp.Select(expressions=columns).from_(table, copy=False))
    parsed.kept.append(query)
    parsed.kept_names.append(name)
