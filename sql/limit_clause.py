"""LIMIT and OFFSET: their choices among rows, and their rows in correlated subqueries."""

from collections.abc import Iterable

from sqlglot import exp

from .not_covered import place
from .subqueries import outer_columns


def choices(query: exp.Expr, nodes: Iterable[exp.Expr]) -> list[str]:
    """Return the clauses that choose rows by counting other rows, each with its place.

    The rows of such a query cannot always be computed again from their records, which lack the rows
    that were passed over. A LIMIT of the whole query does not count, unless it is a share.
    ``nodes`` are the nodes of the query.
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
    """Make LIMITs that depend on asked values take all ties, or else all rows they choose from.

    After the query has run, it is unknown which ties it took. Rows before an OFFSET decide which
    rows follow, so they count too.
    """
    for block in [query, *query.find_all(exp.Select, exp.SetOperation)]:
        if not (block.args.get("limit") or block.args.get("offset")):
            continue
        if isinstance(block, (exp.Select, exp.SetOperation)) and outer_columns(block):
            _take_ties(block)


def _take_ties(block: exp.Query) -> None:
    limit, order = block.args.get("limit"), block.args.get("order")
    plain = isinstance(block, exp.Select) and not block.args.get("distinct")
    if order and plain and limit and _is_number(limit) and not block.args.get("offset"):
        rank = exp.Window(this=exp.Anonymous(this="rank"), order=_by_values(order, block))
        rank.meta["ties"] = True  # its partition has no part in the lineage
        within = exp.LTE(this=rank, expression=limit.expression.copy())
        before = block.args.get("qualify")
        condition = exp.and_(before.this, within) if before else within
        block.set("qualify", exp.Qualify(this=condition))
    for clause in ("limit", "offset", "order"):
        block.set(clause, None)


def _by_values(order: exp.Expr, block: exp.Query) -> exp.Expr:
    """Return an ORDER BY with values in place of names in SELECT, which a window cannot use."""
    values = {each.alias: each.this for each in block.selects if isinstance(each, exp.Alias)}
    found = order.copy()
    for key in found.expressions:
        if isinstance(key.this, exp.Column) and not key.this.table and key.this.name in values:
            key.set("this", values[key.this.name].copy())
    return found


def _is_number(limit: exp.Expr) -> bool:
    return isinstance(limit.expression, exp.Literal) and not limit.args.get("limit_options")
