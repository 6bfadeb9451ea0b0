"""UNION BY NAME as a plain UNION whose branches have the same columns in the same order."""

import duckdb
from sqlglot import exp

from . import dialect, scoped

WHAT = "UNION BY NAME"


def by_position(con: duckdb.DuckDBPyConnection, tree: exp.Expr) -> None:
    """Rewrite each UNION BY NAME in a tree, innermost first, with NULL for missing columns."""
    for union in reversed(list(tree.find_all(exp.Union))):
        if not union.args.get("by_name"):
            continue
        sides = (union.this, union.expression)
        found = [_names(con, side) for side in sides]
        names = {name.lower(): name for side in reversed(found) for name in side}
        order = list(dict.fromkeys(name.lower() for side in found for name in side))
        for side, has in zip(sides, found, strict=True):
            present = {name.lower() for name in has}
            cells = [
                exp.alias_(
                    exp.column(names[name], "__n", quoted=True) if name in present else exp.null(),
                    names[name],
                    quoted=True,
                )
                for name in order
            ]
            select = exp.Select(expressions=cells)
            side.replace(select)
            alias = exp.TableAlias(this=exp.to_identifier("__n", quoted=True))
            select.set("from_", exp.From(this=exp.Subquery(this=side, alias=alias)))
        union.set("by_name", None)


def _names(con: duckdb.DuckDBPyConnection, side: exp.Expr) -> list[str]:
    listed = side.expressions if isinstance(side, exp.Select) else []
    if listed and all(each.alias or isinstance(each, exp.Column) for each in listed):
        names = [each.alias_or_name for each in listed]
        if "*" not in names:
            return names
    return scoped.columns(con, side, f"FROM ({dialect.text_with_pivots(side)})", WHAT)
