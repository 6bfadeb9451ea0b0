"""Queries in the form that the rules require: columns with table names, unique table names."""

from collections import Counter

from sqlglot import exp, parse_one
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from .schema import Schema


def completed(text: str, schema: Schema) -> str:
    """Return a query with lower-case column names and, with a LIMIT, a deterministic result.

    An ORDER BY before a LIMIT then contains all columns of the result, also those of ``*``.
    """
    tree = normalize_identifiers(parse_one(text, read="duckdb"), dialect="duckdb")
    assert isinstance(tree, exp.Query)
    for at, each in enumerate(tree.selects):
        if not each.output_name:
            each.replace(exp.alias_(each.copy(), f"column_{at}"))
    if tree.args.get("limit") is None:
        return tree.sql("duckdb")
    listed = prepared(text, schema).selects if tree.is_star else tree.selects
    places = range(1, len(listed) + 1)
    ordered = [exp.Ordered(this=exp.Literal.number(at), nulls_first=False) for at in places]
    order = tree.args.get("order") or exp.Order(expressions=[])
    order.set("expressions", [*order.expressions, *ordered])
    tree.set("order", order)
    return tree.sql("duckdb")


def prepared(text: str, schema: Schema) -> exp.Query:
    """Return the tree of a query in which columns name their tables, and table names are unique."""
    tree = parse_one(text, read="duckdb")
    found = qualify(
        tree, schema=dict(schema.columns), dialect="duckdb", quote_identifiers=False, identify=False
    )
    assert isinstance(found, exp.Query)
    make_names_unique(found)
    return found


def make_names_unique(tree: exp.Query) -> None:
    """Give each use of a table a unique name."""
    scopes = traverse_scope(tree)
    uses = Counter(name for scope in scopes for name in scope.selected_sources)
    taken = {*uses, *(cte.alias for cte in tree.find_all(exp.CTE))}
    seen: set[str] = set()
    for scope in scopes:
        for name, (node, _) in list(scope.selected_sources.items()):
            if name in seen:
                number = next(n for n in range(2, 999) if f"{name}_{n}" not in taken)
                taken.add(f"{name}_{number}")
                _rename(scope, node, name, f"{name}_{number}")
            seen.add(name)


def _rename(scope: Scope, node: exp.Expr, old: str, new: str) -> None:
    columns = [each for each in scope.columns if each.table == old]
    named = node if isinstance(node, exp.Table) else node.find_ancestor(exp.Subquery)
    assert named is not None
    named.args["alias"].set("this", exp.to_identifier(new))
    for column in columns:
        column.set("table", exp.to_identifier(new))
