"""A condition on the records of one table: only the records that meet it have lineage.

The condition is pushed down into the capture (Smoke, section 4.2): the query filters its lists of
rids, and indexes are built without the other records.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlglot
from numpy.typing import NDArray
from sqlglot import exp
from sqlglot.errors import ParseError

from provhouse.model.errors import UsageError

from ..record_expressions import check_values

if TYPE_CHECKING:
    from provhouse.sql.catalog import TablePlace

    from ..tables import Tables
    from .plan import Plan
    from .want import Want

Mask = NDArray[np.bool_]
"""A mask of the rids whose records may have lineage."""


def parsed(where: str) -> exp.Expr:
    """Return a parsed condition. Raises UsageError if it is malformed."""
    try:
        query: Any = sqlglot.parse_one(f"select 1 where {where}", dialect="duckdb")
    except ParseError:
        query = None
    if not _has_only_condition(query):
        raise UsageError(
            "The condition of Want cannot be used",
            f"It is {where!r}",
            "Write a condition on the columns of one record, without subqueries and aggregates",
        )
    return query.args["where"].this  # type: ignore[no-any-return]


def _has_only_condition(query: Any) -> bool:
    if not isinstance(query, exp.Select):
        return False
    clauses = {name for name, value in query.args.items() if value}
    nested = query.args["where"].find(exp.Query, exp.AggFunc, exp.Window)
    return clauses == {"expressions", "where"} and nested is None


def of_table(where: str, alias: str) -> exp.Expr:
    """Return the parsed condition, with its columns qualified by ``alias``."""
    condition = parsed(where)
    for column in condition.find_all(exp.Column):
        column.set("table", exp.to_identifier(alias, quoted=True))
    return condition


def mask(con: "Tables", place: "TablePlace", where: str) -> Mask:
    """Return a mask of the records that meet a condition.

    Raises DuckDB's own error if the table lacks a column.
    """
    condition = parsed(where).sql("duckdb")
    check_values(con, place, condition, f"The condition {where!r} of Want")
    text = f"select rowid from {place.sql()} where {condition}"
    found = np.zeros(con.size(place), np.bool_)
    found[con.duckdb.sql(text).to_arrow_table().column(0).to_numpy()] = True
    return found


def masks(con: "Tables", plan: "Plan", want: "Want", refs: Collection[int]) -> dict[int, Mask]:
    """Return the mask for the condition of ``want``, if any, keyed by the reference's position.

    Raises UsageError if ``want`` declares a condition or attributes, but not exactly one reference.
    """
    if not want.pushed:
        return {}
    if not want.refs or len(refs) != 1:
        raise UsageError(
            "A condition or attributes of Want must be for one reference",
            f"It declares {', '.join(want.refs or ()) or 'none'}, and the query reads "
            f"{', '.join(each.name for each in plan.references) or 'none'}",
            "Name one: Want(refs=('lineitem#2',), ...)",
        )
    (ref,) = refs
    return {ref: mask(con, plan.references[ref].table, want.where)} if want.where else {}
