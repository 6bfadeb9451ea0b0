"""Remove WITH queries that no query reads: DuckDB does not run them, so they affect no result."""

from sqlglot import exp

from .ctes import cte_of


def drop_unused(tree: exp.Expr) -> None:
    """Remove the WITH queries that no query reads; repeat until every remaining one is read."""
    while clauses := list(tree.find_all(exp.With)):
        named = (each for each in tree.find_all(exp.Table) if isinstance(each.this, exp.Identifier))
        read = {id(cte) for each in named if (cte := cte_of(each)) is not None}
        unused = [cte for each in clauses for cte in each.expressions if id(cte) not in read]
        if not unused:
            return
        for cte in unused:
            clause = cte.parent
            cte.pop()
            if clause is not None and not clause.expressions:
                clause.pop()
