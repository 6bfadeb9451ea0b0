"""The parts of one block of a query: its sources, group keys and windows.

A block is one SELECT. All functions expect a query that ``parse`` has qualified.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from sqlglot import exp

from . import dialect
from .node_marks import GROUPED, OF_OUTER, REF, TIES
from .not_covered import refuse

Node = TypeVar("Node")


def unwrapped(query: exp.Expr) -> exp.Expr:
    """Return a query without parentheses around it."""
    while isinstance(query, exp.Subquery):
        if query.args.get("limit") or query.args.get("offset"):
            refuse("LIMIT after parentheses", query)
        query = query.this
    return query


def own(root: exp.Expr, *kinds: type[Node]) -> Iterator[Node]:
    """Yield a block's nodes of the given ``kinds``, except in nested queries, in text order."""
    todo: list[exp.Expr] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, kinds):
            yield node
        if not isinstance(node, ENDS):
            todo.extend(node.iter_expressions(reverse=True))


ENDS = (exp.Select, exp.SetOperation, exp.Column, exp.Identifier, exp.Literal)
"""Node types below which ``own`` does not search: nested queries, and irrelevant nodes."""


def sources(select: exp.Select) -> list[exp.Expr]:
    """Return the sources of a block: tables, derived tables, and functions that return rows."""
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


def is_plain(query: exp.Expr) -> bool:
    """Return whether a query only joins tables and, optionally, groups the rows."""
    if not isinstance(query, exp.Select) or any(map(query.args.get, CHOOSING)):
        return False
    return plain_blocks(query) > 0 and not windows(query) and is_resolved(query)


def is_resolved(select: exp.Select) -> bool:
    """Return whether all columns of a block, except in its ORDER BY, are qualified by a table."""
    parts = (part for part in select.iter_expressions() if not isinstance(part, exp.Order))
    return all(column.table for part in parts for column in part.find_all(exp.Column))


def plain_blocks(select: exp.Select) -> int:
    """Return the number of blocks in a block of joins: the block itself and its derived tables.

    Blocks in expressions are not counted. Returns 0 if the block reads anything except tables and
    derived tables that only join tables.
    """
    found = 1
    for source in sources(select):
        if isinstance(source, exp.Subquery):
            inner = unwrapped(source)
            if not isinstance(inner, exp.Select) or any(map(inner.args.get, CHOOSING)):
                return 0
            below = 0 if is_grouped(inner) or windows(inner) else plain_blocks(inner)
            if not below:
                return 0
            found += below
        elif not REF.on(source):
            return 0
    return found


CHOOSING = ("distinct", "limit", "offset", "qualify", "sample")


def is_grouped(select: exp.Select) -> bool:
    """Return whether a block has GROUP BY, HAVING or an aggregate, including one in a subquery."""
    if select.args.get("group") or select.args.get("having") or GROUPED.on(select):
        return True
    roots = [*select.expressions, select.args.get("qualify"), select.args.get("order")]
    return any(is_aggregate(node) for root in roots if root for node in own(root, exp.Func))


def is_aggregate(node: exp.Func) -> bool:
    """Return whether a function is an aggregate of its block and not a window function."""
    if not isinstance(node, exp.AggFunc) or OF_OUTER.on(node):
        return False
    above = node.parent
    while isinstance(above, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
        above = above.parent
    return not (isinstance(above, exp.Window) and above.this is not None)


@dataclass(frozen=True)
class Keys:
    """The keys of GROUP BY; ``sets`` is true if the clause has several sets of keys."""

    expressions: list[exp.Expr]
    sets: bool


def group_keys(select: exp.Select) -> Keys:
    """Return all distinct group keys of a block."""
    group = select.args.get("group")
    if group is None:
        return Keys([], False)
    sets = [each for each in group.expressions if isinstance(each, SETS)]
    found: dict[str, exp.Expr] = {}
    for key in (leaf for each in group.expressions for leaf in key_leaves(each)):
        found.setdefault(dialect.key(key), key)
    return Keys(list(found.values()), bool(sets))


SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def key_leaves(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the keys in an element of GROUP BY."""
    if isinstance(node, (*SETS, exp.Tuple, exp.Paren)):
        for child in node.iter_expressions():
            yield from key_leaves(child)
    else:
        yield node


def windows(select: exp.Select) -> list[exp.Window]:
    """Return the windows of a block, each with its definition in place of a name.

    Ranks that provhouse put in place of a LIMIT are left out.
    """
    named = {window.name: window for window in select.args.get("windows") or []}
    roots = [*select.expressions, select.args.get("qualify"), select.args.get("order")]
    found = [window for root in roots if root for window in own(root, exp.Window)]
    return [
        named.get(window.alias, window) if window.alias else window
        for window in found
        if not TIES.on(window)
    ]


def named(expression: exp.Expr, name: str) -> exp.Alias:
    """Return an expression as a column with a name."""
    return exp.Alias(this=expression, alias=exp.to_identifier(name, quoted=True))
