"""Store blocks that may return different rows when they run again: LIMIT, samples, ties.

A witness query runs blocks again. Therefore the rows of these blocks, with their hidden columns,
are first stored in a temporary table, which both the query and its witness queries read.
"""

from itertools import count

from sqlglot import exp

from . import blocks, from_clause
from .node_marks import CTE, KEPT_AT, RECURSION, TYPES
from .parse import Parsed
from .recursion import store
from .subqueries import ending_roots, outer_columns, output_roots, row_roots, subqueries

KEPT = "__provhouse_kept"
_numbers = count()


def settle(parsed: Parsed) -> None:
    """Move blocks that choose among rows into ``parsed.kept``, innermost first."""
    for at, cte in enumerate(parsed.ctes):
        if TYPES.on(cte):
            _store(parsed, at, cte)
        else:
            _settle(parsed, cte.this, False)
    _settle(parsed, parsed.query, True)
    if parsed.recursions and (with_ := parsed.query.args.get("with_")):
        with_.set("recursive", False)
        left = [cte for cte in parsed.ctes if not TYPES.on(cte)]
        with_.set("expressions", left) if left else parsed.query.set("with_", None)


def _store(parsed: Parsed, at: int, cte: exp.CTE) -> None:
    """Store the rows of a recursive WITH query, and make its readers read these rows."""
    name = f"{KEPT}{next(_numbers)}"
    recursion, stored = store(cte, name, -1 - len(parsed.recursions))
    if recursion.linear:
        _settle(parsed, recursion.union.left, False)
        _settle(parsed, recursion.union.right, False)
    for node in (parsed.query, *(each.this for each in parsed.ctes)):
        for table in node.find_all(exp.Table):
            if CTE.get(table) == at:
                CTE.drop(table)
                RECURSION.put(table, len(parsed.recursions))
                KEPT_AT.put(table, len(parsed.kept))
                table.set("this", exp.to_identifier(name, quoted=True))
    parsed.recursions.append(recursion)
    parsed.kept.append(stored)
    parsed.kept_names.append(name)


def _settle(parsed: Parsed, query: exp.Expr, riding: bool) -> None:
    """Settle a block. If ``riding``, do not store it: it runs only once, so its rows are fixed."""
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
        if not rides and from_clause.reads_choice(query):
            _keep(parsed, from_clause.apart(query))
    if not riding and from_clause.chooses(query) and not outer_columns(query):
        _keep(parsed, query)


def _settle_subqueries(parsed: Parsed, roots: list[exp.Expr]) -> None:
    for each in subqueries(roots):
        _settle(parsed, each.query, False)


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
    KEPT_AT.put(table, len(parsed.kept))
    query.replace(exp.Select(expressions=columns).from_(table, copy=False))
    parsed.kept.append(query)
    parsed.kept_names.append(name)
