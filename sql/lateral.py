"""Derived tables that refer to earlier items in FROM, with or without the word LATERAL."""

from sqlglot import exp


def mark(tree: exp.Expr) -> None:
    """Add LATERAL to all derived tables that may refer to earlier items in FROM.

    sqlglot resolves names in earlier items only if the word LATERAL is present. It does not accept
    the word in a join without parentheses inside another join, ``a JOIN (...) b JOIN c ON p ON q``.
    """
    found = [join.this for join in tree.find_all(exp.Join) if isinstance(join.this, exp.Subquery)]
    found = [each for each in found if isinstance(each.this, exp.Query) and each.alias]
    for each in found:
        if each.args.get("joins"):
            continue
        place = exp.Lateral(alias=each.args.get("alias"))
        each.replace(place)
        each.set("alias", None)
        place.set("this", each)


def unmark(nodes: list[exp.Expr]) -> None:
    """Remove LATERAL from all items, because DuckDB does not need the word."""
    for lateral in nodes:
        if not isinstance(lateral, exp.Lateral):
            continue
        inner = lateral.this
        inner.set("alias", lateral.args.get("alias"))
        lateral.replace(inner)
