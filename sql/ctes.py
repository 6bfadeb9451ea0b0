"""The WITH query to which a name in FROM refers."""

from sqlglot import exp


def cte_of(table: exp.Table) -> exp.CTE | None:
    """Return the WITH query to which a table name refers, or None.

    Unless the clause is recursive, a WITH query sees only earlier WITH queries.
    """
    if table.db:
        return None
    node: exp.Expr | None = table
    inside: exp.Expr | None = None
    while node is not None:
        with_ = node.args.get("with_")
        for cte in with_.expressions if with_ else []:
            if with_ is not None and cte is inside and not with_.args.get("recursive"):
                break
            if cte.alias.lower() == table.name.lower():
                return cte  # type: ignore[no-any-return]
        inside = node if isinstance(node, exp.CTE) else inside
        node = node.parent
    return None
