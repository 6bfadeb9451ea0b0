"""Keys of ROLLUP, CUBE and GROUPING SETS that are given by a position or a name in SELECT."""

from collections.abc import Iterator

from sqlglot import exp

from .blocks import SETS, key_leaves
from .refusal import refuse


def check_named_once(nodes: list[exp.Expr]) -> None:
    """Refuse keys that are given in two ways, which DuckDB takes for two keys.

    This needs the text as it was written, before names are resolved.
    """
    for select, keys in _grouped_by_sets(nodes):
        forms: dict[int, str] = {}
        for key in keys:
            text = key.sql("duckdb")
            for at, each in enumerate(select.expressions, 1):
                same = each.unalias().sql("duckdb") == text or each.alias == text
                if (same or text == str(at)) and forms.setdefault(at, text) != text:
                    refuse(f"a key of GROUPING SETS that is given as {forms[at]} and {text}", key)


def expand_named(nodes: list[exp.Expr]) -> None:
    """Replace positions and names by the keys they stand for."""
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


def _grouped_by_sets(nodes: list[exp.Expr]) -> Iterator[tuple[exp.Select, list[exp.Expr]]]:
    """Yield the blocks with grouping sets, and their keys."""
    for group in nodes:
        if not isinstance(group, exp.Group) or not isinstance(group.parent, exp.Select):
            continue
        if any(isinstance(each, SETS) for each in group.expressions):
            yield group.parent, [leaf for each in group.expressions for leaf in key_leaves(each)]
