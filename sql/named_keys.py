"""Keys of ORDER BY and GROUP BY: keys that the SELECT list defines, and keys that are refused."""

from collections.abc import Iterator

from sqlglot import exp

from .blocks import SETS, is_aggregate, key_leaves, own, sources
from .not_covered import refuse
from .subqueries import outer_columns


def name_all(tree: exp.Expr) -> None:
    """Replace ORDER BY ALL by the positions of all columns if these are known."""
    for order in list(tree.find_all(exp.Order)):
        query = order.parent
        if not isinstance(query, exp.Query) or len(order.expressions) != 1:
            continue
        (key,) = order.expressions
        if not isinstance(key.this, exp.Var) or any(each.is_star for each in query.selects):
            continue
        keys = [key.copy() for _ in query.selects]
        for at, each in enumerate(keys, start=1):
            each.set("this", exp.Literal.number(at))
        order.set("expressions", keys)


def expand_all(nodes: list[exp.Expr]) -> None:
    """Replace GROUP BY ALL by its keys, because ALL would include columns that are added later."""
    for group in nodes:
        select = group.parent if isinstance(group, exp.Group) else None
        if not isinstance(select, exp.Select) or not group.args.get("all"):
            continue
        keys = [each.unalias() for each in select.expressions if _is_key(each, select)]
        keys += _beside(select)
        group.set("all", None)
        group.set("expressions", [key.copy() for key in keys])
        if not keys:
            select.set("group", None)


def _beside(select: exp.Select) -> list[exp.Expr]:
    """Return the columns in HAVING outside of aggregates, which GROUP BY ALL also includes."""
    found: list[exp.Expr] = []
    todo: list[exp.Expr] = [having] if (having := select.args.get("having")) else []
    bound = {source.alias_or_name for source in sources(select)}
    while todo:
        node = todo.pop()
        if isinstance(node, exp.Query) or (isinstance(node, exp.Func) and is_aggregate(node)):
            continue
        if isinstance(node, exp.Column) and node.table in bound:
            found.append(node)
        todo.extend(node.iter_expressions())
    return found


def _is_key(projection: exp.Expr, select: exp.Select) -> bool:
    """Return whether an item of SELECT depends on the block's rows, as GROUP BY ALL requires."""
    if any(is_aggregate(node) for node in own(projection, exp.Func)):
        return False
    bound = {source.alias_or_name for source in sources(select)}
    nested = own(projection, exp.Select, exp.SetOperation)
    used = [column for query in nested for column in outer_columns(query)]
    return any(
        column.table in bound
        for each in (*own(projection, exp.Column), *used)
        for column in each.find_all(exp.Column)
    )


def expand_named(nodes: list[exp.Expr]) -> None:
    """Replace positions and names in grouping sets by the keys to which they refer."""
    for select, keys in _grouped_by_sets(nodes):
        listed = select.expressions
        by_name = {each.alias_or_name: each for each in listed}
        for key in keys:
            found = None
            if isinstance(key, exp.Literal) and key.is_int and int(key.this) <= len(listed):
                found = listed[int(key.this) - 1]
            elif isinstance(key, exp.Column) and not key.table:
                found = by_name.get(key.name)
            if found is not None:
                key.replace(found.unalias().copy())


def refuse_outer_keys(nodes: list[exp.Expr]) -> None:
    """Refuse grouping sets by a column of an outer query: DuckDB 2.0 may end with a fatal error."""
    for select, keys in _grouped_by_sets(nodes):
        bound = {source.alias_or_name for source in sources(select)}
        for column in (each for key in keys for each in own(key, exp.Column)):
            if column.table not in bound:
                refuse(f"grouping sets by {column.name}, a column of an outer query,", column)


def refuse_large(nodes: list[exp.Expr]) -> None:
    """Refuse a key that is an integer beyond 64 bits, which sqlglot would read as a position."""
    for node in nodes:
        is_key = isinstance(node.parent, (exp.Group, exp.Ordered))
        if is_key and isinstance(node, exp.Literal) and node.is_int and int(node.this) >= 2**63:
            refuse(f"the key {node.this}", node)


def _grouped_by_sets(nodes: list[exp.Expr]) -> Iterator[tuple[exp.Select, list[exp.Expr]]]:
    """Yield the blocks with grouping sets, each with its keys."""
    for group in nodes:
        if not isinstance(group, exp.Group):
            continue
        sets = any(isinstance(each, SETS) for each in group.expressions)
        if sets and isinstance(group.parent, exp.Select):
            yield group.parent, [leaf for each in group.expressions for leaf in key_leaves(each)]
