"""The columns of joins by USING, with the side that DuckDB takes their values from."""

from sqlglot import exp


def columns_of_using(tree: exp.Expr) -> None:
    """Replace the COALESCE of all sides, which sqlglot writes for such a column.

    Other calls of ``coalesce`` are anonymous, because ``dialect`` reads them so.
    """
    for both in list(tree.find_all(exp.Coalesce)):
        select = both.find_ancestor(exp.Select)
        if select is not None:
            both.replace(_value(both, _joins(select)))


def _joins(select: exp.Select) -> dict[str, exp.Join]:
    return {join.this.alias_or_name: join for join in select.find_all(exp.Join)}


def _value(both: exp.Coalesce, joins: dict[str, exp.Join]) -> exp.Expr:
    """Return what DuckDB takes: left, the right side of a RIGHT JOIN, or the first that is set."""
    found: exp.Expr = both.this
    for column in both.expressions:
        join = joins.get(column.table)
        side = join.side if join is not None else ""
        if side == "RIGHT":
            found = column
        elif side == "FULL":
            found = exp.Coalesce(this=found.copy(), expressions=[column.copy()])
    return found.copy()
