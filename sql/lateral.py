"""Derived tables that refer to items before them in FROM, with the word LATERAL or without it."""

from sqlglot import exp


def mark(tree: exp.Expr) -> None:
    """Say LATERAL for all derived tables that may refer to items before them.

    sqlglot looks for names in those items only where the word stands. It does not know the word
    in a join without parentheses inside another, ``a JOIN (...) b JOIN c ON p ON q``.
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
    """Make plain items of all that say LATERAL: DuckDB needs no such word."""
    for lateral in nodes:
        if not isinstance(lateral, exp.Lateral):
            continue
        inner = lateral.this
        inner.set("alias", lateral.args.get("alias"))
        lateral.replace(inner)
