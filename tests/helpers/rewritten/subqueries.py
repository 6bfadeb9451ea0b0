"""Rules for queries in conditions: EXISTS, IN, and the joins that replace them."""

from collections.abc import Iterator
from random import Random

from sqlglot import exp

from .schema import Schema
from .select_parts import (
    COMPARISONS,
    column,
    conjuncts,
    derived,
    fresh,
    is_correlated,
    is_filter,
    is_plain,
    own,
    selects,
    set_conjuncts,
    sources,
    tables_of,
)


def exists_as_in(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """EXISTS with an equality is IN; NOT EXISTS is NOT IN if no side has NULL."""
    for each in list(tree.find_all(exp.Exists)):
        inner, outer = each.this, each.find_ancestor(exp.Select)
        if not isinstance(inner, exp.Select) or not is_plain(inner) or outer is None:
            continue
        negated = isinstance(each.parent, exp.Not)
        if not is_filter(each.parent if negated and each.parent else each):
            continue
        for mine, theirs in _links(inner):
            certain = _not_null(mine, inner, schema) and _not_null(theirs, outer, schema)
            if negated and not certain:
                continue
            equal = [{mine, theirs} == _sides(part) for part in conjuncts(inner)]
            made = inner.copy()
            left = [p for p, is_link in zip(conjuncts(made), equal, strict=True) if not is_link]
            set_conjuncts(made, left)
            made.set("expressions", [mine.copy()])
            each.replace(exp.In(this=theirs.copy(), query=exp.Subquery(this=made)))
            return True
    return False


def _links(inner: exp.Select) -> Iterator[tuple[exp.Column, exp.Column]]:
    """Yield pairs of equal columns: one of the query, one of its outer query."""
    names = sources(inner).keys()
    for part in conjuncts(inner):
        if len(sides := _sides(part)) == 2:
            for one in sides:
                (other,) = sides - {one}
                if one.table in names and other.table not in names:
                    yield one, other


def _sides(part: exp.Expr) -> set[exp.Column]:
    if not isinstance(part, exp.EQ):
        return set()
    one, other = part.this, part.expression
    both = isinstance(one, exp.Column) and isinstance(other, exp.Column)
    return {one, other} if both else set()


def _not_null(part: exp.Column, select: exp.Select, schema: Schema) -> bool:
    node = sources(select).get(part.table)
    return isinstance(node, exp.Table) and part.name in schema.not_null.get(node.name, ())


def in_as_exists(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """IN with a query is EXISTS with a condition that a row's value is equal."""
    for each, inner in _memberships(tree, schema, negated=True):
        if is_plain(inner):
            made = inner.copy()
            value = made.expressions[0].unalias().copy()
            set_conjuncts(made, [*conjuncts(made), exp.EQ(this=value, expression=each.this)])
            made.set("expressions", [exp.Literal.number(1)])
        else:
            name = fresh(tree, "found")
            value = column(name, inner.expressions[0].alias_or_name)
            made = exp.select(exp.Literal.number(1)).from_(derived(inner, name))
            set_conjuncts(made, [exp.EQ(this=value, expression=each.this)])
        each.replace(exp.Exists(this=made))
        return True
    return False


def in_as_join(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """IN with a query is a join with its distinct values."""
    for each, inner in _memberships(tree, schema, negated=False):
        outer = each.find_ancestor(exp.Select)
        if outer is None or is_correlated(inner) or not sources(outer) or not _is_conjunct(each):
            continue
        name, made = fresh(tree, "member"), inner.copy()
        value = exp.alias_(made.expressions[0].unalias().copy(), "v")
        made.set("expressions", [value])
        made.set("distinct", exp.Distinct())
        each.replace(exp.EQ(this=column(name, "v"), expression=each.this.copy()))
        outer.append("joins", exp.Join(this=derived(made, name)))
        return True
    return False


def _is_conjunct(each: exp.Expr) -> bool:
    """Return whether an expression is a top-level condition of WHERE, not in parentheses."""
    above = each.parent
    while isinstance(above, exp.And):
        above = above.parent
    return isinstance(above, exp.Where)


def _memberships(
    tree: exp.Query, schema: Schema, negated: bool
) -> Iterator[tuple[exp.In, exp.Select]]:
    """Yield each IN with a query that filters rows, and each NOT IN if neither side has NULL."""
    for each in list(tree.find_all(exp.In)):
        query = each.args.get("query")
        inner = query.this if isinstance(query, exp.Subquery) else query
        if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
            continue
        if inner.args.get("limit") or own(inner, exp.Window, exp.Unnest):
            continue
        if not isinstance(each.parent, exp.Not):
            if is_filter(each):
                yield each, inner
        elif negated and is_filter(each.parent) and _has_no_null(each, inner, schema):
            yield each, inner


def _has_no_null(each: exp.In, inner: exp.Select, schema: Schema) -> bool:
    outer, value = each.find_ancestor(exp.Select), inner.expressions[0].unalias()
    if outer is None or not isinstance(each.this, exp.Column) or not isinstance(value, exp.Column):
        return False
    return _not_null(each.this, outer, schema) and _not_null(value, inner, schema)


def scalar_as_join(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A comparison with an aggregate of related rows is a join with the groups of these rows."""
    for select in selects(tree, source):
        for part in conjuncts(select):
            subquery = part.find(exp.Subquery)
            if not isinstance(part, COMPARISONS) or subquery is None or not sources(select):
                continue
            inner = subquery.this
            if not isinstance(inner, exp.Select) or not _is_one_aggregate(inner):
                continue
            links = list(_links(inner))
            if not links or not _is_only_linked(inner, links):
                continue
            _join_groups(tree, select, subquery, inner, links)
            return True
    return False


def _is_one_aggregate(inner: exp.Select) -> bool:
    """Return whether a query gives one row, which is NULL if nothing is found."""
    others = ("group", "having", "distinct", "limit", "order", "qualify", "with_")
    found = own(inner, exp.AggFunc)
    strict = all(isinstance(each, exp.Min | exp.Max | exp.Sum | exp.Avg) for each in found)
    known = (exp.Alias, exp.AggFunc, exp.Mul, exp.Literal, exp.Paren, exp.Column, exp.Identifier)
    shown = inner.expressions
    plain = len(shown) == 1 and all(isinstance(e, known) for e in shown[0].walk())
    return bool(found) and strict and plain and not any(map(inner.args.get, others))


def _is_only_linked(inner: exp.Select, links: list[tuple[exp.Column, exp.Column]]) -> bool:
    """Return whether equalities are the only link between a query and its outer query."""
    left = [p for p in conjuncts(inner) if all(_sides(p) != {*link} for link in links)]
    read = set[str]().union(*(tables_of(part) for part in left))
    return read <= sources(inner).keys() and all(not part.find(exp.Query) for part in left)


def _join_groups(
    tree: exp.Query,
    select: exp.Select,
    subquery: exp.Subquery,
    inner: exp.Select,
    links: list[tuple[exp.Column, exp.Column]],
) -> None:
    name, made = fresh(tree, "related"), inner.copy()
    set_conjuncts(made, [p for p in conjuncts(made) if all(_sides(p) != {*link} for link in links)])
    keys = [exp.alias_(mine.copy(), f"k{at}") for at, (mine, _) in enumerate(links)]
    value = exp.alias_(made.expressions[0].unalias().copy(), "v")
    made.set("expressions", [*keys, value])
    made.set("group", exp.Group(expressions=[mine.copy() for mine, _ in links]))
    subquery.replace(column(name, "v"))
    equal = [
        exp.EQ(this=column(name, f"k{at}"), expression=theirs.copy())
        for at, (_, theirs) in enumerate(links)
    ]
    set_conjuncts(select, [*conjuncts(select), *equal])
    select.append("joins", exp.Join(this=derived(made, name)))
