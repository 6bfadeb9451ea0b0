"""Rules for groups: DISTINCT, filters on keys, and other spellings of aggregates."""

from random import Random

from sqlglot import exp

from .schema import Schema
from .select_parts import (
    column,
    conjuncts,
    derived,
    fresh,
    group_columns,
    is_correlated,
    own,
    selects,
    set_conjuncts,
    sources,
)


def distinct_as_group(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """DISTINCT may be written as GROUP BY of all columns."""
    for select in selects(tree, source):
        distinct = select.args.get("distinct")
        if distinct is None or distinct.args.get("on") or select.args.get("group"):
            continue
        if own(select, exp.AggFunc, exp.Window) or select.args.get("qualify"):
            continue
        select.set("distinct", None)
        keys = [each.unalias().copy() for each in select.expressions]
        if any(isinstance(key, exp.Literal) for key in keys):
            continue
        select.set("group", exp.Group(expressions=keys))
        return True
    return False


def group_as_distinct(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """GROUP BY of all columns without an aggregate is DISTINCT."""
    for select in selects(tree, source):
        keys = group_columns(select)
        shown = [each.unalias() for each in select.expressions]
        plain = not own(select, exp.AggFunc, exp.Window) and not select.args.get("having")
        if keys and plain and set(keys) == set(shown) and select.args.get("limit") is None:
            select.set("group", None)
            select.set("distinct", exp.Distinct())
            return True
    return False


def filter_above_group(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A filter on keys may be applied before or after grouping."""
    for select in selects(tree, source):
        keys = set(group_columns(select))
        parts = conjuncts(select)
        moved = [each for each in parts if keys and _reads(each) and _reads(each) <= keys]
        if moved:
            set_conjuncts(select, [each for each in parts if all(each is not m for m in moved)])
            set_conjuncts(select, [*conjuncts(select, "having"), *moved], "having")
            return True
    return False


def _reads(part: exp.Expr) -> set[exp.Column]:
    """Return the columns that a condition reads; an empty set if it contains a query."""
    return set() if part.find(exp.Query) else set(part.find_all(exp.Column))


def filter_below_group(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A filter on the keys of a derived table may be applied inside, before grouping."""
    for select in selects(tree, source):
        for name, node in sources(select).items():
            inner = node.this if isinstance(node, exp.Subquery) else None
            if not isinstance(inner, exp.Select) or inner.args.get("limit"):
                continue
            keys = set(group_columns(inner))
            inside = {
                column(name, each.alias_or_name): each.unalias() for each in inner.expressions
            }
            inside = {outer: each for outer, each in inside.items() if each in keys}
            parts = conjuncts(select)
            moved = [each for each in parts if _reads(each) and _reads(each) <= inside.keys()]
            if moved:
                set_conjuncts(select, [e for e in parts if all(e is not m for m in moved)])
                placed = [_replaced(each, inside) for each in moved]
                set_conjuncts(inner, [*conjuncts(inner), *placed])
                return True
    return False


def _replaced(part: exp.Expr, inside: dict[exp.Column, exp.Expr]) -> exp.Expr:
    return part.copy().transform(
        lambda node: inside[node].copy() if isinstance(node, exp.Column) else node
    )


def count_as_sum(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """In a group, which is never empty, count(*) is a sum of ones."""
    done = False
    for select in selects(tree, source):
        if not group_columns(select):
            continue
        for each in own(select, exp.Count):
            filtered = isinstance(each.parent, exp.Filter | exp.Window)
            if isinstance(each.this, exp.Star) and not filtered:
                ones = exp.Sum(this=exp.Literal.number(1))
                each.replace(exp.cast(ones, "bigint"))
                done = True
    return done


def count_of_column(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A count of a column without NULLs is count(*)."""
    done = False
    for select in selects(tree, source):
        for each in own(select, exp.Count):
            if _is_not_null(each.this, select, schema) and not each.expressions:
                each.set("this", exp.Star())
                done = True
    return done


def _is_not_null(part: exp.Expr, select: exp.Select, schema: Schema) -> bool:
    node = sources(select).get(part.table) if isinstance(part, exp.Column) else None
    return isinstance(node, exp.Table) and part.name in schema.not_null.get(node.name, ())


def case_as_filter(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A sum of a CASE is a sum with FILTER; if FILTER keeps no row of a group, the sum is 0."""
    done = False
    for select in selects(tree, source):
        for each in own(select, exp.Sum):
            case = each.this
            if not isinstance(case, exp.Case) or case.this or len(case.args["ifs"]) != 1:
                continue
            if isinstance(each.parent, exp.Window):
                continue
            (branch,), other = case.args["ifs"], case.args.get("default")
            value = branch.args["true"]
            summed = exp.Filter(
                this=exp.Sum(this=value.copy()), expression=exp.Where(this=branch.this.copy())
            )
            if other is None or isinstance(other, exp.Null):
                each.replace(summed)
                done = True
            elif _is_zero(other) and group_columns(select) and _is_number(value):
                each.replace(exp.Coalesce(this=summed, expressions=[exp.Literal.number(0)]))
                done = True
    return done


def _is_zero(part: exp.Expr) -> bool:
    return isinstance(part, exp.Literal) and part.name == "0"


def _is_number(part: exp.Expr) -> bool:
    return isinstance(part, exp.Literal) and not part.is_string


def sums_of_sums(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A sum is a sum of the sums of finer groups."""
    for select in selects(tree, source):
        keys = group_columns(select)
        found = own(select, exp.AggFunc)
        plain = all(_adds_up(each) for each in found) and not own(select, exp.Window)
        if not keys or not found or not plain or is_correlated(select):
            continue
        finer = _finer_column(select, schema)
        if finer is not None:
            _group_twice(tree, select, keys, finer)
            return True
    return False


ADDING = (exp.Mul, exp.Column, exp.Paren, exp.Sub, exp.Literal, exp.Identifier)


def _adds_up(each: exp.Expr) -> bool:
    """Return whether an aggregate of exact numbers can be combined from parts, in one type."""
    return (
        isinstance(each, exp.Sum | exp.Min | exp.Max)
        and not isinstance(each.this, exp.Distinct)
        and not isinstance(each.parent, exp.Filter)
        and all(isinstance(e, ADDING) for e in each.this.walk())
    )


def _finer_column(select: exp.Select, schema: Schema) -> exp.Column | None:
    for name, node in sources(select).items():
        if isinstance(node, exp.Table) and (keys := schema.keys.get(node.name)):
            found = column(name, keys[0])
            if found not in group_columns(select):
                return found
    return None


def _group_twice(
    tree: exp.Query, select: exp.Select, keys: list[exp.Column], finer: exp.Column
) -> None:
    """Group a SELECT by one more column, and group the result again."""
    name = fresh(tree, "finer")
    places: dict[exp.Expr, str] = {key: f"k{at}" for at, key in enumerate(keys)}
    found = own(select, exp.AggFunc)
    for each in found:
        places.setdefault(each, f"a{len(places)}")
    inner = exp.Select(
        expressions=[exp.alias_(each.copy(), alias) for each, alias in places.items()]
    )
    for part in ("from_", "joins", "where"):
        if (value := select.args.get(part)) is not None:
            inner.set(part, [e.copy() for e in value] if isinstance(value, list) else value.copy())
            select.set(part, None)
    inner.set("group", exp.Group(expressions=[*(key.copy() for key in keys), finer.copy()]))
    for each in found:
        moved = column(name, places[each])
        each.replace(type(each)(this=moved))
    others = filter(None, map(select.args.get, ("group", "having", "order")))
    for part in [*select.expressions, *others]:
        for each in list(part.find_all(exp.Column)):
            if each in places:
                each.replace(column(name, places[each]))
    select.set("from_", exp.From(this=derived(inner, name)))
