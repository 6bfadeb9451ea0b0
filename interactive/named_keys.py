"""Keys of ROLLUP, CUBE and GROUPING SETS that are given by a position or a name in SELECT."""

from collections.abc import Iterator

from sqlglot import exp

from .blocks import SETS, key_leaves


def expand_named(tree: exp.Expr) -> None:
    """Replace positions and names by the keys they stand for."""
    for select, keys in _grouped_by_sets(tree):
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


def _grouped_by_sets(tree: exp.Expr) -> Iterator[tuple[exp.Select, list[exp.Expr]]]:
    """Yield the blocks with grouping sets, and their keys."""
    for group in tree.find_all(exp.Group):
        sets = any(isinstance(each, SETS) for each in group.expressions)
        if sets and isinstance(group.parent, exp.Select):
            yield group.parent, [leaf for each in group.expressions for leaf in key_leaves(each)]
