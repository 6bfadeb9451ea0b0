"""Rules for inputs: WITH, derived tables, and the branches of UNION ALL."""

from random import Random

from sqlglot import exp

from .schema import Schema
from .select_parts import (
    column,
    conjuncts,
    derived,
    fresh,
    is_correlated,
    own,
    selects,
    set_conjuncts,
    sources,
    tables_of,
)


def with_unfolded(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A WITH query may be written in each place where it is read."""
    clause = tree.args.get("with_")
    if clause is None or clause.args.get("recursive"):
        return False
    for cte in reversed(clause.expressions):
        uses = [each for each in tree.find_all(exp.Table) if each.name == cte.alias]
        if cte.args["alias"].columns or any(use.args.get("db") for use in uses):
            continue
        for use in uses:
            use.replace(derived(cte.this, use.alias))
        rest = [each for each in clause.expressions if each is not cte]
        clause.set("expressions", rest)
        if not rest:
            tree.set("with_", None)
        return bool(uses)
    return False


def derived_as_with(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A derived table that depends on no outer query may be a WITH query."""
    found = [each for each in tree.find_all(exp.Subquery) if _is_input(each)]
    source.shuffle(found)
    for each in found:
        if isinstance(each.this, exp.Select) and not is_correlated(each.this):
            _move_to_with(tree, each)
            return True
    return False


def _is_input(each: exp.Subquery) -> bool:
    names = each.args.get("alias")
    inside = each.find_ancestor(exp.CTE) is not None
    there = isinstance(each.parent, exp.From | exp.Join)
    return there and not inside and names is not None and not names.columns


def _move_to_with(tree: exp.Query, each: exp.Subquery) -> None:
    name = fresh(tree, "moved")
    cte = exp.CTE(this=each.this.copy(), alias=exp.TableAlias(this=exp.to_identifier(name)))
    clause = tree.args.get("with_")
    listed = [*(clause.expressions if clause else []), cte]
    each.replace(exp.alias_(exp.to_table(name), each.alias, table=True))
    tree.set("with_", exp.With(expressions=listed))


def filter_below_join(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """Columns and rows of an inner join's table may be selected before the join."""
    for select in selects(tree, source):
        found = sources(select)
        names = [name for name, node in found.items() if _is_base(node, schema)]
        source.shuffle(names)
        for name in names if len(found) > 1 else ():
            parts = conjuncts(select)
            moved = [each for each in parts if tables_of(each) == {name} and not _nested(each)]
            if moved:
                set_conjuncts(select, [e for e in parts if all(e is not m for m in moved)])
                _choose(tree, found[name], name, moved)
                return True
    return False


def columns_below_join(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A table may be replaced by a query of only the columns that are read."""
    for select in selects(tree, source):
        found = sources(select)
        names = [name for name, node in found.items() if _is_base(node, schema)]
        if names:
            name = source.choice(names)
            _choose(tree, found[name], name, [])
            return True
    return False


def _is_base(node: exp.Expr, schema: Schema) -> bool:
    return isinstance(node, exp.Table) and node.name in schema.columns


def _nested(part: exp.Expr) -> bool:
    return part.find(exp.Query) is not None


def _choose(tree: exp.Query, node: exp.Expr, name: str, moved: list[exp.Expr]) -> None:
    """Replace a table by a query for the columns that are read and the rows that are kept."""
    conditions = [each.copy() for each in moved]
    used = {each.name: None for each in tree.find_all(exp.Column) if each.table == name}
    listed = sorted({*used, *(c.name for e in conditions for c in e.find_all(exp.Column))})
    inside = fresh(tree, "t")
    shown: list[exp.Expr] = [exp.alias_(column(inside, each), each) for each in listed]
    shown = shown or [exp.alias_(exp.Literal.number(1), "one")]
    made = exp.select(*shown).from_(exp.alias_(exp.to_table(node.name), inside, table=True))
    for condition in conditions:
        for each in list(condition.find_all(exp.Column)):
            each.set("table", exp.to_identifier(inside))
    set_conjuncts(made, conditions)
    node.replace(derived(made, name))


def rows_before_groups(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """The rows that are grouped may come from a derived table."""
    for select in selects(tree, source):
        if not sources(select) or not own(select, exp.AggFunc) or is_correlated(select):
            continue
        name, names = fresh(tree, "rows"), sources(select).keys()
        others = filter(None, map(select.args.get, ("group", "having", "order")))
        parts = [*select.expressions, *others]
        used = [c for part in parts for c in part.find_all(exp.Column) if c.table in names]
        places = {each: f"c{at}" for at, each in enumerate(dict.fromkeys(used))}
        inner = exp.Select(
            expressions=[exp.alias_(each.copy(), place) for each, place in places.items()]
            or [exp.alias_(exp.Literal.number(1), "one")]
        )
        for part in ("from_", "joins", "where"):
            value = select.args.get(part)
            if value is not None:
                inner.set(part, [e.copy() for e in value] if isinstance(value, list) else value)
                select.set(part, None)
        for each in used:
            each.replace(column(name, places[each]))
        select.set("from_", exp.From(this=derived(inner, name)))
        return True
    return False


def union_swapped(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """The branches of UNION ALL may be reordered, if the column names stay."""
    for each in tree.find_all(exp.Union):
        one, other = each.this, each.expression
        plain = isinstance(one, exp.Select) and isinstance(other, exp.Select)
        options = (each.args.get("distinct"), each.args.get("by_name"), each.args.get("limit"))
        if not plain or any(options) or one.args.get("with_") or one.args.get("limit"):
            continue
        names = [part.alias_or_name for part in one.expressions]
        parts = [part.unalias() for part in other.expressions]
        named = zip(parts, names, strict=True)
        moved = other.copy()
        moved.set("expressions", [exp.alias_(part.copy(), name) for part, name in named])
        each.set("this", moved)
        each.set("expression", one.copy())
        return True
    return False
