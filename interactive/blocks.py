"""The parts of one block of a query: its sources, group keys, windows and subqueries.

A block is one SELECT. All functions expect a query that ``parse`` has qualified.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeVar

from sqlglot import exp

from .refusal import refuse

Node = TypeVar("Node")
SubqueryKind = Literal["exists", "in", "any", "all", "scalar"]


def unwrapped(query: exp.Expr) -> exp.Expr:
    """Return a query without parentheses around it."""
    while isinstance(query, exp.Subquery):
        if query.args.get("limit") or query.args.get("offset"):
            refuse("LIMIT after parentheses", query)
        query = query.this
    return query


def own(root: exp.Expr, *kinds: type[Node]) -> Iterator[Node]:
    """Yield the nodes of some kinds in a block, not those inside nested queries; in text order."""
    todo: list[exp.Expr] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, kinds):
            yield node
        if not isinstance(node, (exp.Select, exp.SetOperation)):
            todo.extend(node.iter_expressions(reverse=True))


def sources(select: exp.Select) -> list[exp.Expr]:
    """Return what a block reads: tables, derived tables, and functions that make rows."""
    start = select.args.get("from_")
    found = list(_sources(start.this)) if start else []
    for join in select.args.get("joins") or []:
        if join.method == "NATURAL":
            refuse("NATURAL JOIN", join)
        found += _sources(join.this)
    if laterals := select.args.get("laterals"):
        refuse("LATERAL VIEW", laterals[0])
    return found


def _sources(item: exp.Expr) -> Iterator[exp.Expr]:
    if is_parenthesised_join(item):
        if item.alias:
            refuse("a parenthesised join with an alias", item)
        yield from _sources(item.this)
    else:
        yield item
    for join in item.args.get("joins") or []:
        yield from _sources(join.this)


def is_parenthesised_join(item: exp.Expr) -> bool:
    """Return whether an item of FROM is a join in parentheses, not a derived table."""
    if not isinstance(item, exp.Subquery):
        return False
    inner = item.this
    if isinstance(inner, exp.Subquery):
        return bool(inner.alias or inner.args.get("joins")) or is_parenthesised_join(inner)
    return not isinstance(inner, (exp.Query, exp.Pivot))


def is_grouped(select: exp.Select) -> bool:
    """Return whether a block has GROUP BY, HAVING or an aggregate."""
    if select.args.get("group") or select.args.get("having"):
        return True
    roots = [*select.expressions, select.args.get("qualify"), select.args.get("order")]
    return any(is_aggregate(node) for root in roots if root for node in own(root, exp.Func))


def is_aggregate(node: exp.Func) -> bool:
    """Return whether a function is an aggregate, not a window function."""
    if not isinstance(node, exp.AggFunc):
        return False
    above = node.parent
    while isinstance(above, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
        above = above.parent
    return not (isinstance(above, exp.Window) and above.this is not None)


@dataclass(frozen=True)
class Keys:
    """The keys of GROUP BY. ``sets`` says whether rows differ in the keys they are grouped by."""

    expressions: list[exp.Expr]
    sets: bool


def group_keys(select: exp.Select) -> Keys:
    """Return all keys of a block, each once."""
    group = select.args.get("group")
    if group is None:
        return Keys([], False)
    sets = [each for each in group.expressions if isinstance(each, SETS)]
    found: dict[str, exp.Expr] = {}
    for key in (leaf for each in group.expressions for leaf in _leaves(each)):
        found.setdefault(key.sql("duckdb"), key)
    return Keys(list(found.values()), bool(sets))


SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _leaves(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, (*SETS, exp.Tuple, exp.Paren)):
        for child in node.iter_expressions():
            yield from _leaves(child)
    else:
        yield node


def windows(select: exp.Select) -> list[exp.Window]:
    """Return the windows of a block, each with its definition in place of a name."""
    named = {window.name: window for window in select.args.get("windows") or []}
    roots = [*select.expressions, select.args.get("qualify"), select.args.get("order")]
    found = [window for root in roots if root for window in own(root, exp.Window)]
    return [named.get(window.alias, window) if window.alias else window for window in found]


@dataclass(frozen=True)
class Subquery:
    """A query within an expression. ``negative`` ones have no witnesses, as in NOT EXISTS."""

    node: exp.Expr
    query: exp.Expr
    kind: SubqueryKind
    left: tuple[exp.Expr, ...]
    operator: type[exp.Binary]
    negative: bool


def subqueries(roots: list[exp.Expr]) -> list[Subquery]:
    """Return the subqueries in expressions of a block."""
    return [
        _subquery(node, root)
        for root in roots
        for node in own(root, exp.Exists, exp.In, exp.Subquery, exp.Any, exp.All, exp.Array)
        if _is_subquery(node)
    ]


def _is_subquery(node: exp.Expr) -> bool:
    if isinstance(node, exp.In):
        return node.args.get("query") is not None
    if isinstance(node, exp.Array):
        if any(isinstance(child, exp.Select) for child in node.expressions):
            refuse("ARRAY of a subquery", node)
        return False
    if isinstance(node, exp.Subquery):
        covered = (exp.In, exp.Exists, exp.Any, exp.All, exp.From, exp.Join)
        return not isinstance(node.parent, covered) and isinstance(unwrapped(node), exp.Query)
    return isinstance(unwrapped(node.this), exp.Query)


def _subquery(node: exp.Expr, root: exp.Expr) -> Subquery:
    certain, positive = _position(node, root)
    if isinstance(node, exp.In):
        query, left = unwrapped(node.args["query"]), _parts(node.this)
        return Subquery(node, query, "in", left, exp.EQ, certain and not positive)
    if isinstance(node, exp.Exists):
        return Subquery(node, unwrapped(node.this), "exists", (), exp.EQ, certain and not positive)
    if isinstance(node, (exp.Any, exp.All)):
        compared = node.parent
        if not isinstance(compared, exp.Binary) or compared.expression is not node:
            refuse("ANY or ALL without a comparison", node)
        kind: SubqueryKind = "any" if isinstance(node, exp.Any) else "all"
        negative = certain and positive == (kind == "all")
        left = _parts(compared.this)
        return Subquery(node, unwrapped(node.this), kind, left, type(compared), negative)
    return Subquery(node, unwrapped(node), "scalar", (), exp.EQ, False)


def _parts(left: exp.Expr) -> tuple[exp.Expr, ...]:
    left = left.unnest()
    return tuple(left.expressions) if isinstance(left, exp.Tuple) else (left,)


def _position(node: exp.Expr, root: exp.Expr) -> tuple[bool, bool]:
    """Return whether a condition must hold for a row to appear, and whether it is positive."""
    filters = (exp.Where, exp.Having, exp.Qualify)
    certain, positive = isinstance(root, filters), True
    path = [node]
    while (above := path[-1].parent) is not None and above is not root:
        path.append(above)
    for above, below in pairwise(reversed(path)):
        if isinstance(above, exp.Not):
            positive = not positive
        elif isinstance(above, exp.And):  # below NOT, one side suffices
            certain = certain and positive
        elif isinstance(above, COMPARISONS) and isinstance(below, (exp.Any, exp.All)):
            continue
        elif not isinstance(above, exp.Paren):
            certain = False
    return certain, positive


COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def in_aggregate(node: exp.Expr) -> bool:
    """Return whether a node is inside an aggregate of its block."""
    above = node.parent
    while above is not None and not isinstance(above, exp.Select):
        if isinstance(above, exp.Func) and is_aggregate(above):
            return True
        above = above.parent
    return False


def outer_columns(query: exp.Expr) -> list[exp.Column]:
    """Return the columns in a query that belong to a block around it."""
    return list(_unbound(query, frozenset()))


def _unbound(node: exp.Expr, scope: frozenset[str]) -> Iterator[exp.Column]:
    if isinstance(node, exp.Select):
        scope = scope | {source.alias_or_name for source in sources(node)}
    if isinstance(node, exp.Column) and node.table and node.table not in scope:
        yield node
    for child in node.iter_expressions():
        yield from _unbound(child, scope)
