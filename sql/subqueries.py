"""The subqueries in the expressions of a block, and the values that they use from outer blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from .blocks import is_aggregate, own, sources, unwrapped, windows
from .node_marks import AGGREGATED, GROUPED, OF_OUTER
from .not_covered import refuse

SubqueryKind = Literal["exists", "in", "any", "all", "scalar"]


@dataclass(frozen=True)
class Subquery:
    """A query within an expression.

    If ``negative``, it has no witnesses, as in NOT EXISTS. If ``valued``, a row may depend on the
    comparison being FALSE or NULL, and then all rows of the subquery contribute to the row.
    """

    node: exp.Expr
    query: exp.Expr
    kind: SubqueryKind
    left: tuple[exp.Expr, ...] = ()
    operator: type[exp.Expr] = exp.EQ
    negative: bool = False
    valued: bool = False

    @property
    def value(self) -> exp.Expr:
        """The expression whose value comes from the subquery; for ANY and ALL, the comparison."""
        above = self.node.parent
        return above if self.kind in ("any", "all") and above is not None else self.node


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
        return any(isinstance(child, exp.Query) for child in node.expressions)
    if isinstance(node, exp.Subquery):
        return not _covered(node) and isinstance(unwrapped(node), exp.Query)
    return isinstance(unwrapped(node.this), exp.Query)


def _covered(node: exp.Subquery) -> bool:
    """Return whether the parentheses around a query belong to the enclosing construct."""
    above = (exp.Exists, exp.Any, exp.All, exp.From, exp.Join, exp.Subquery)
    return isinstance(node.parent, above) or node.arg_key == "query"


def _subquery(node: exp.Expr, root: exp.Expr) -> Subquery:
    if isinstance(node, exp.Subquery):
        return Subquery(node, unwrapped(node), "scalar")
    if isinstance(node, exp.Array):
        return Subquery(node, unwrapped(node.expressions[0]), "scalar")
    use = _use(node, root)
    negative = use == "without"
    if isinstance(node, exp.Exists):
        return Subquery(node, unwrapped(node.this), "exists", negative=negative)
    if isinstance(node, exp.In):
        query, left = unwrapped(node.args["query"]), _parts(node.this)
        return Subquery(node, query, "in", left, exp.EQ, negative, use == "value")
    compared = node.parent
    if not isinstance(compared, exp.Binary) or compared.expression is not node:
        refuse("ANY or ALL without a comparison", node)
    query, left = unwrapped(node.this), _parts(compared.this)
    if isinstance(node, exp.Any):
        return Subquery(node, query, "any", left, type(compared), negative, use == "value")
    negative = use == "with"
    return Subquery(node, query, "all", left, type(compared), negative, use == "value")


def _parts(left: exp.Expr) -> tuple[exp.Expr, ...]:
    left = left.unnest()
    return tuple(left.expressions) if isinstance(left, exp.Tuple) else (left,)


Use = Literal["with", "without", "part", "value"]
FILTERS = (exp.Where, exp.Having, exp.Qualify)
COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def _use(node: exp.Expr, root: exp.Expr) -> Use:
    """Return how a row depends on a condition with a subquery.

    ``with``: the condition must be true for the row to appear; ``without``: the condition must be
    false; ``part``: the condition is a part of a larger condition with AND, OR and NOT, so NULL has
    the same effect as one of TRUE and FALSE, namely the one for which the part makes the larger
    condition false; ``value``: any other use, in which a row may depend on FALSE or NULL.
    """
    certain, positive = isinstance(root, FILTERS), True
    if not certain and not (isinstance(root.parent, exp.Join) and root.arg_key == "on"):
        return "value"
    for above, below in _path(node, root):
        if isinstance(above, exp.Not):
            positive = not positive
        elif isinstance(above, exp.And):  # below NOT, one side suffices
            certain = certain and positive
        elif isinstance(above, exp.Or):
            certain = certain and not positive
        elif isinstance(above, COMPARISONS) and isinstance(below, (exp.Any, exp.All)):
            continue
        elif not isinstance(above, exp.Paren):
            return "value"
    if not certain:
        return "part"
    return "with" if positive else "without"


def _path(node: exp.Expr, root: exp.Expr) -> list[tuple[exp.Expr, exp.Expr]]:
    """Return each node on the path from ``root`` down to ``node``, with its child on that path."""
    found: list[tuple[exp.Expr, exp.Expr]] = []
    while node is not root and node.parent is not None:
        if node.parent is root and isinstance(root, FILTERS):
            break
        found.append((node.parent, node))
        node = node.parent
    return found[::-1]


def row_roots(select: exp.Select) -> list[exp.Expr]:
    """Return the expressions that a block evaluates for rows before they are grouped.

    These are the conditions of WHERE and ON, and the arguments of table expressions in FROM.
    """
    where = select.args.get("where")
    ons = [join.args.get("on") for join in select.args.get("joins") or []]
    given = [_arguments(source) for source in sources(select)]
    return [each for each in (where, *ons, *given) if each is not None]


def _arguments(source: exp.Expr) -> exp.Expr | None:
    """Return a table expression whose arguments may contain subqueries; None for other sources."""
    if isinstance(source, exp.Subquery):
        source = unwrapped(source)
    if isinstance(source, exp.Table):
        return source.this if isinstance(source.this, exp.Func) else None
    return None if isinstance(source, exp.Query) else source


def output_roots(select: exp.Select, visible: int) -> list[exp.Expr]:
    """Return the expressions that a block evaluates for the rows or groups that it returns."""
    distinct = select.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    clauses = [select.args.get(name) for name in ("having", "qualify")]
    named = select.args.get("windows") or []
    found = [*select.expressions[:visible], *clauses, *named, on]
    return [each for each in found if each is not None] + ending_roots(select)


def ending_roots(query: exp.Expr) -> list[exp.Expr]:
    """Return ORDER BY, LIMIT and OFFSET of a query."""
    return [each for name in ("order", "limit", "offset") if (each := query.args.get(name))]


def window_values(select: exp.Select) -> list[exp.Expr]:
    """Return the expressions with subqueries in a block's windows."""
    roots = [*select.expressions, select.args.get("qualify"), select.args.get("order")]
    calls = [window for root in roots if root for window in own(root, exp.Window)]
    found = {each.value.sql(): each.value for each in subqueries([*calls, *windows(select)])}
    return list(found.values())


def outer_columns(query: exp.Expr) -> list[exp.Expr]:
    """Return the columns and aggregates in a query that belong to an enclosing block."""
    found = []
    todo: list[tuple[exp.Expr, frozenset[str]]] = [(query, frozenset())]
    while todo:
        node, scope = todo.pop()
        if isinstance(node, exp.Column):
            owner: str | None = node.table
        elif isinstance(node, (exp.Identifier, exp.Literal)):
            continue
        else:
            owner = AGGREGATED.get(node)
        if owner and owner not in scope:
            found.append(node)
        elif not isinstance(node, exp.Column):
            if isinstance(node, exp.Select):
                scope = scope | {source.alias_or_name for source in sources(node)}
            todo += [(child, scope) for child in node.iter_expressions(reverse=True)]
    return found


def mark_outer_aggregates(query: exp.Expr) -> None:
    """Mark aggregates that belong to an outer block because all their columns do.

    The outer block is marked too, because such an aggregate groups it, with or without GROUP BY.
    """
    for select in query.find_all(exp.Select):
        if select.parent is None:
            continue
        for node in _aggregates(select):
            tables = {column.table for column in node.find_all(exp.Column)}
            bound = {source.alias_or_name for source in sources(select)}
            if tables and not tables & bound and node.find(exp.Query) is None:
                _mark(node, select, tables)


def _aggregates(select: exp.Select) -> list[exp.Expr]:
    """Return the aggregates of a block, each with its FILTER."""
    found = [node for node in own_of(select) if is_aggregate(node)]
    return [node.parent if isinstance(node.parent, exp.Filter) else node for node in found]


def own_of(select: exp.Select) -> Iterator[exp.Func]:
    """Yield the function calls in a block, except those in nested queries."""
    for child in select.iter_expressions():
        yield from own(child, exp.Func)


def _mark(node: exp.Expr, select: exp.Select, tables: set[str]) -> None:
    around = select.find_ancestor(exp.Select)
    while around is not None:
        bound = {source.alias_or_name for source in sources(around)}
        if tables & bound:
            if not tables <= bound:
                refuse("an aggregate over columns of several outer blocks", node)
            AGGREGATED.put(node, min(tables))
            for inner in node.find_all(exp.Func):
                OF_OUTER.put(inner, True)
            GROUPED.put(around, True)
            return
        around = around.find_ancestor(exp.Select)
