"""Move ORDER BY and LIMIT after parentheses, as in ``(select ...) limit 2``, into the query."""

from sqlglot import exp

CLAUSES = ("order", "limit", "offset")


def clauses_inside(tree: exp.Expr) -> None:
    """Move clauses after parentheses into the query within the parentheses, innermost first.

    A query that already has such clauses becomes a derived table, because its own clauses apply
    first.
    """
    for outer in reversed(list(tree.find_all(exp.Subquery))):
        given = {each: outer.args[each] for each in CLAUSES if outer.args.get(each)}
        query = _inside(outer)
        if not given or not isinstance(query, exp.Query):
            continue
        if any(query.args.get(each) for each in (*given, "limit", "offset")):
            query = _derived(query)
        for clause, node in given.items():
            outer.set(clause, None)
            query.set(clause, node)


def _inside(outer: exp.Subquery) -> exp.Expr:
    """Return the query in parentheses, or the innermost parentheses that have a WITH clause."""
    query: exp.Expr = outer.this
    while isinstance(query, exp.Subquery) and not query.args.get("with_"):
        query = query.this
    return query


def _derived(query: exp.Query) -> exp.Select:
    """Replace a query by another query that reads it, and return the new query."""
    select = exp.select("*")
    query.replace(select)
    alias = exp.TableAlias(this=exp.to_identifier("__in", quoted=True))
    select.set("from_", exp.From(this=exp.Subquery(this=query, alias=alias)))
    return select
