"""LIMIT, OFFSET and DISTINCT ON: the rows that they choose, and their rewriting in subqueries."""

from collections.abc import Iterable

from sqlglot import exp

from .node_marks import TIES
from .not_covered import place
from .subqueries import outer_columns


def choices(query: exp.Expr, nodes: Iterable[exp.Expr]) -> list[str]:
    """Return the clauses that choose rows by counting other rows, each with its position.

    The rows of such a query cannot always be computed again from their records, because the records
    do not include the rows that were skipped. A LIMIT of the entire query is not returned, unless
    it is a percentage. ``nodes`` are the nodes of the query.
    """
    found = []
    for node in nodes:
        if not isinstance(node, (exp.Limit, exp.Offset)):
            continue
        limit = isinstance(node, exp.Limit)
        share = node.args.get("limit_options") or isinstance(node.expression, exp.Var)
        if share or not limit or node.parent is not query:
            found.append(f"{'LIMIT' if limit else 'OFFSET'} {place(node)}".rstrip())
    return found


def take_ties(query: exp.Expr) -> None:
    """Make correlated LIMIT, OFFSET and DISTINCT ON keep all ties or, failing that, all input rows.

    After the query has run, it is unknown which of several tied rows LIMIT or DISTINCT ON returned.
    Rows before an OFFSET decide which rows follow, so they are kept too.
    """
    for block in [query, *query.find_all(exp.Select, exp.SetOperation)]:
        if not (block.args.get("limit") or block.args.get("offset") or distinct_on(block)):
            continue
        if isinstance(block, (exp.Select, exp.SetOperation)) and outer_columns(block):
            _take_ties(block)


def distinct_on(block: exp.Expr) -> exp.Expr | None:
    """Return the keys of DISTINCT ON, or None if the block has no such clause."""
    distinct = block.args.get("distinct") if isinstance(block, exp.Select) else None
    return distinct.args.get("on") if distinct is not None else None


def _take_ties(block: exp.Query) -> None:
    if (within := _among_first(block)) is not None:
        block.set("qualify", exp.Qualify(this=within))
    if distinct_on(block):
        block.set("distinct", None)
    for clause in ("limit", "offset", "order"):
        block.set(clause, None)


def _among_first(block: exp.Query) -> exp.Expr | None:
    """Return a condition for the rows that the block returns, with ties, if a window can test it.

    A window cannot test it in a block with QUALIFY, because the window would also count the rows
    that QUALIFY removes.
    """
    limit, order = block.args.get("limit"), block.args.get("order")
    on = distinct_on(block)
    if not order or not isinstance(block, exp.Select):
        return None
    if block.args.get("offset") or block.args.get("qualify"):
        return None
    if limit and (on or block.args.get("distinct") or not _is_number(limit)):
        return None
    rank = exp.Window(this=exp.Anonymous(this="rank"), order=_by_values(order, block))
    if on:
        rank.set("partition_by", [_value(key, block) for key in on.expressions])
    TIES.put(rank, True)  # its partition has no part in the lineage
    most = exp.Literal.number(1) if limit is None else limit.expression.copy()
    return exp.LTE(this=rank, expression=most)


def _by_values(order: exp.Expr, block: exp.Query) -> exp.Expr:
    """Return an ORDER BY in which names in SELECT, which a window cannot use, are resolved."""
    found = order.copy()
    for key in found.expressions:
        key.set("this", _value(key.this, block))
    return found


def _value(key: exp.Expr, block: exp.Query) -> exp.Expr:
    """Return the expression that a name in SELECT refers to; return any other key unchanged."""
    values = {each.alias: each.this for each in block.selects if isinstance(each, exp.Alias)}
    named = isinstance(key, exp.Column) and not key.table
    found: exp.Expr = values.get(key.name, key) if named else key
    return found.copy()


def _is_number(limit: exp.Expr) -> bool:
    return isinstance(limit.expression, exp.Literal) and not limit.args.get("limit_options")
