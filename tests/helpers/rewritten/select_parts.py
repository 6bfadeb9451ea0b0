"""The parts of a SELECT that the rules read and write."""

from collections.abc import Iterable, Sequence
from itertools import count
from random import Random

from sqlglot import exp

COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def selects(tree: exp.Query, source: Random) -> list[exp.Select]:
    """Return all SELECTs of a query, in random order."""
    found = list(tree.find_all(exp.Select))
    source.shuffle(found)
    return found


def conjuncts(select: exp.Select, part: str = "where") -> list[exp.Expr]:
    """Return the conditions of WHERE or HAVING that must all be true."""
    clause = select.args.get(part)
    return (
        list(clause.this.flatten())
        if clause and isinstance(clause.this, exp.And)
        else ([clause.this] if clause else [])
    )


def set_conjuncts(select: exp.Select, parts: Sequence[exp.Expr], part: str = "where") -> None:
    """Replace the conditions of WHERE or HAVING."""
    made = exp.Having if part == "having" else exp.Where
    copies = [each.copy() for each in parts]
    select.set(part, made(this=exp.and_(*copies, copy=False)) if copies else None)


def tables_of(part: exp.Expr) -> set[str]:
    """Return the names of the tables whose columns an expression reads."""
    return {column.table for column in part.find_all(exp.Column)}


def sources(select: exp.Select) -> dict[str, exp.Expr]:
    """Return the inputs of a SELECT by name, if it joins them only by inner joins."""
    first = select.args.get("from_")
    joins = select.args.get("joins") or []
    if first is None or select.args.get("laterals") or not all(map(_is_inner, joins)):
        return {}
    found = [first.this, *(join.this for join in joins)]
    plain = all(isinstance(each, exp.Table | exp.Subquery) and each.alias for each in found)
    return {each.alias: each for each in found} if plain else {}


def _is_inner(join: exp.Join) -> bool:
    known = {"this", "kind", "on"}
    others = {name for name, value in join.args.items() if value} - known
    return not others and join.kind in ("", "INNER", "CROSS")


def move_joins_to_where(select: exp.Select) -> None:
    """Turn inner joins into a list of inputs with conditions in WHERE."""
    joins = select.args.get("joins") or []
    moved = [each for join in joins if (on := join.args.get("on")) for each in _flat(on)]
    found = list(sources(select).values())
    set_conjuncts(select, [*moved, *conjuncts(select)])
    set_sources(select, found)


def set_sources(select: exp.Select, found: Sequence[exp.Expr]) -> None:
    """Replace the inputs of a SELECT by a list without conditions."""
    first, *others = [each.copy() for each in found]
    select.set("from_", exp.From(this=first))
    select.set("joins", [exp.Join(this=each) for each in others])


def _flat(condition: exp.Expr) -> Iterable[exp.Expr]:
    return condition.flatten() if isinstance(condition, exp.And) else [condition]


def is_plain(select: exp.Select) -> bool:
    """Return whether a SELECT returns one row for each of its input rows that it keeps."""
    others = ("group", "having", "distinct", "limit", "offset", "qualify", "windows", "with_")
    return not any(map(select.args.get, others)) and not any(
        own(select, exp.AggFunc, exp.Window, exp.Unnest)
    )


def own(select: exp.Select, *kinds: type[exp.Expr]) -> list[exp.Expr]:
    """Return the parts of the given kinds in a SELECT's own expressions."""
    found = [*select.expressions, *filter(None, map(select.args.get, ("having", "order")))]
    return [each for part in found for each in part.find_all(*kinds) if _select_of(each) is select]


def _select_of(part: exp.Expr) -> exp.Select | None:
    return part.find_ancestor(exp.Select)


def group_columns(select: exp.Select) -> list[exp.Column]:
    """Return the columns of a plain GROUP BY; an empty list if it has another form."""
    group = select.args.get("group")
    if group is None or any(value for name, value in group.args.items() if name != "expressions"):
        return []
    found = group.expressions
    return list(found) if all(isinstance(each, exp.Column) for each in found) else []


def is_correlated(select: exp.Select) -> bool:
    """Return whether a SELECT reads columns of an outer query."""
    inside = {each.alias for each in select.find_all(exp.Table, exp.Subquery) if each.alias}
    return not tables_of(select) - {""} <= inside


def fresh(tree: exp.Query, prefix: str) -> str:
    """Return a name that the query does not contain."""
    taken = {each.name.lower() for each in tree.find_all(exp.Identifier)}
    return next(name for n in count(1) if (name := f"{prefix}{n}") not in taken)


def derived(select: exp.Query, name: str) -> exp.Subquery:
    """Return a query as a named input."""
    return exp.Subquery(this=select.copy(), alias=exp.TableAlias(this=exp.to_identifier(name)))


def column(table: str, name: str) -> exp.Column:
    """Return a column of a table."""
    return exp.column(name, table)


def is_filter(part: exp.Expr) -> bool:
    """Return whether only rows with a true expression are kept: WHERE, or AND below WHERE."""
    above = part.parent
    while isinstance(above, exp.And | exp.Paren):
        above = above.parent
    return isinstance(above, exp.Where)
