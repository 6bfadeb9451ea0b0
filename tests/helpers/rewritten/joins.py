"""Rules for joins: order, notation, and outer joins that a filter turns into inner joins."""

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
    move_joins_to_where,
    selects,
    set_conjuncts,
    set_sources,
    sources,
    tables_of,
)


def order_of_joins(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """Inner joins may be made in any order."""
    for select in selects(tree, source):
        if len(sources(select)) > 1:
            move_joins_to_where(select)
            found = list(sources(select).values())
            set_sources(select, [*found[1:], found[0]])
            return True
    return False


def where_as_on(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A condition of an inner join may be written in WHERE or in ON."""
    for select in selects(tree, source):
        if len(sources(select)) < 2:
            continue
        move_joins_to_where(select)
        left, names, joins = conjuncts(select), set[str](), list[exp.Join]()
        for at, (name, node) in enumerate(sources(select).items()):
            names.add(name)
            ready = [each for each in left if _joins(each, name, names)]
            left = [each for each in left if all(each is not one for one in ready)]
            if at:
                on = exp.and_(*(each.copy() for each in ready), copy=False) if ready else None
                kind = "INNER" if ready else "CROSS"
                joins.append(exp.Join(this=node.copy(), kind=kind, on=on))
            else:
                left = [*ready, *left]
        if any(join.args.get("on") for join in joins):
            set_conjuncts(select, left)
            select.set("joins", joins)
            return True
    return False


def _joins(condition: exp.Expr, name: str, names: set[str]) -> bool:
    read = tables_of(condition)
    return name in read and read <= names and condition.find(exp.Query) is None


def on_as_using(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """An equality of two columns may be written as USING, if both columns have the same name."""
    for select in selects(tree, source):
        found = sources(select)
        for each in conjuncts(select):
            sides = _equal_columns(each, found)
            if sides is None or not isinstance(table := found[sides[1].table], exp.Table):
                continue
            one, other = sides
            known = schema.columns.get(table.name, {})
            if other.name not in known or one.name in known or _is_unclear(select, one):
                continue
            move_joins_to_where(select)
            _use(tree, select, one, other, known)
            return True
    return False


def _is_unclear(select: exp.Select, one: exp.Column) -> bool:
    """Return whether a column's name may have another meaning in a correlated query."""
    return isinstance(sources(select)[one.table], exp.Subquery) and is_correlated(select)


def _equal_columns(
    condition: exp.Expr, found: dict[str, exp.Expr]
) -> tuple[exp.Column, exp.Column] | None:
    """Return the two columns of an equality between two inputs of a SELECT."""
    if not isinstance(condition, exp.EQ):
        return None
    one, other = condition.this, condition.expression
    if not (isinstance(one, exp.Column) and isinstance(other, exp.Column)):
        return None
    return (
        (one, other)
        if {one.table, other.table} <= found.keys() and (one.table != other.table)
        else None
    )


def _use(
    tree: exp.Query, select: exp.Select, one: exp.Column, other: exp.Column, known: dict[str, str]
) -> None:
    """Rename a column of a table, and join the table by USING."""
    condition = exp.EQ(this=one.copy(), expression=other.copy())
    set_conjuncts(select, [each for each in conjuncts(select) if each != condition])
    found = sources(select)
    name, old, new = other.table, other.name, one.name
    inside = fresh(tree, "t")
    columns = [exp.alias_(column(inside, each), new if each == old else each) for each in known]
    table = exp.alias_(exp.to_table(found[name].name), inside, table=True)
    renamed = derived(exp.select(*columns).from_(table), name)
    others = [node for each, node in found.items() if each not in (one.table, name)]
    set_sources(select, [*others, found[one.table]])
    select.append("joins", exp.Join(this=renamed, kind="INNER", using=[exp.to_identifier(new)]))
    for each in list(tree.find_all(exp.Column)):
        if each.table == name and each.name == old:
            each.set("this", exp.to_identifier(new))


def inner_as_left(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A left join is an inner join if a filter removes its rows without a match."""
    for select in selects(tree, source):
        found = sources(select)
        names = list(found)
        source.shuffle(names)
        for name in names if len(found) > 1 else ():
            move_joins_to_where(select)
            found = sources(select)
            parts = conjuncts(select)
            on = [each for each in parts if _links(each, name, found)]
            left = [each for each in parts if all(each is not one for one in on)]
            if not any(_rejects_null(each, name) for each in left):
                left += _is_there(found[name], schema)
                if not any(_rejects_null(each, name) for each in left):
                    continue
            if on:
                set_conjuncts(select, left)
                _left_join(select, found, name, on)
                return True
    return False


def _links(condition: exp.Expr, name: str, found: dict[str, exp.Expr]) -> bool:
    sides = _equal_columns(condition, found)
    return sides is not None and name in (sides[0].table, sides[1].table)


def _rejects_null(condition: exp.Expr, name: str) -> bool:
    """Return whether a condition is not true where all columns of an input are NULL."""
    if isinstance(condition, exp.Not):
        inner = condition.this
        return isinstance(inner, exp.Is) and _of(inner.this, name)
    if not isinstance(condition, COMPARISONS):
        return False
    return _of(condition.this, name) or _of(condition.expression, name)


def _of(part: exp.Expr, name: str) -> bool:
    return isinstance(part, exp.Column) and part.table == name


def _is_there(node: exp.Expr, schema: Schema) -> list[exp.Expr]:
    """Return a condition that is true for each row of a table."""
    keys = schema.keys.get(node.name, ()) if isinstance(node, exp.Table) else ()
    return (
        [exp.Not(this=exp.Is(this=column(node.alias, keys[0]), expression=exp.null()))]
        if (keys)
        else []
    )


def _left_join(
    select: exp.Select, found: dict[str, exp.Expr], name: str, on: list[exp.Expr]
) -> None:
    first, *others = [node.copy() for each, node in found.items() if each != name]
    condition = exp.and_(*(each.copy() for each in on), copy=False)
    joins = [exp.Join(this=each, kind="CROSS") for each in others]
    joins.append(exp.Join(this=found[name].copy(), side="LEFT", on=condition))
    select.set("from_", exp.From(this=first))
    select.set("joins", joins)


def left_as_inner(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A left join is an inner join if WHERE rejects NULL in a column of its right side."""
    for select in selects(tree, source):
        joins = select.args.get("joins") or []
        if any(join.side not in ("", "LEFT") for join in joins):
            continue
        for join in joins:
            name = join.this.alias
            if join.side == "LEFT" and any(_rejects_null(e, name) for e in conjuncts(select)):
                join.set("side", None)
                join.set("kind", "INNER")
                return True
    return False
