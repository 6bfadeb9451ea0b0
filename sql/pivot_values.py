"""Write the values of PIVOT into the SQL text, where DuckDB would read them from the data."""

import duckdb
from sqlglot import exp

from . import dialect, scoped
from .not_covered import refuse


def list_values(con: duckdb.DuckDBPyConnection, tree: exp.Expr, sql: str) -> tuple[exp.Expr, str]:
    """Write into a tree the values that each PIVOT finds in the data; return the tree and its text.

    DuckDB does not plan statements that depend on data. Raises NotCovered if the text with the
    values returns other columns. If no PIVOT reads data, the text is returned unchanged.
    """
    if "pivot" not in sql.lower():
        return tree, sql
    found = [each for each in tree.find_all(exp.Pivot) if each.this is not None]
    found = [each for each in reversed(found) if not each.args.get("unpivot")]
    reads = [key for pivot in found for key in pivot.expressions if not isinstance(key, exp.In)]
    if any(not pivot.expressions for pivot in found):
        refuse("PIVOT without ON", next(each for each in found if not each.expressions))
    if not reads:
        return tree, sql
    for pivot in found:
        whole = f"FROM ({dialect.text_with_pivots(pivot)})"
        for key in pivot.expressions:
            if not isinstance(key, exp.In):
                key.replace(_with_values(con, pivot, key.copy()))
        if any(key.args.get("expressions") == [] for key in pivot.expressions):
            groups = _without_values(pivot, scoped.columns(con, pivot, whole, "PIVOT"))
            tree = groups if pivot is tree else tree
    text = dialect.text_with_pivots(tree)
    try:
        same = con.sql(text).columns == con.sql(sql).columns
    except duckdb.Error:
        same = False
    if not same:
        refuse("PIVOT with such values", found[0])
    return tree, text


def _without_values(pivot: exp.Pivot, groups: list[str]) -> exp.Select:
    """Replace a PIVOT for which the data has no values by a query of its group columns."""
    columns = [exp.column(name, quoted=True) for name in groups]
    query = exp.select(*columns).group_by(*columns)
    query.set("with_", pivot.args.get("with_"))
    pivot.replace(query)
    query.set("from_", exp.From(this=pivot.this))
    return query


def _with_values(con: duckdb.DuckDBPyConnection, pivot: exp.Pivot, key: exp.Expr) -> exp.In:
    cast = exp.cast(key, "VARCHAR")
    text = f"""
        SELECT DISTINCT {cast.sql("duckdb")} FROM {dialect.text_with_pivots(pivot.this)}
        WHERE {key.sql("duckdb")} IS NOT NULL ORDER BY 1"""
    values = scoped.ask(con, pivot, text, "PIVOT").fetchall()
    return exp.In(this=cast, expressions=[exp.Literal.string(value) for (value,) in values])
