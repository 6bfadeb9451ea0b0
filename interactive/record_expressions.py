"""Check expressions that users write over the records of one table, by DuckDB's own plan.

A valid expression has one value for each record, and the same value at each call. So the plan that
DuckDB binds must read the table once, and may only compute, filter or aggregate its rows.
"""

import re
from typing import TYPE_CHECKING

from provhouse.model.errors import UsageError
from provhouse.sql.bound import Bound, NotBound, bound
from provhouse.sql.catalog import TablePlace

if TYPE_CHECKING:
    from .tables import Tables

PLAIN = {"LOGICAL_PROJECTION", "LOGICAL_GET", "LOGICAL_FILTER"}
OPERATOR = re.compile(r'"type":"(LOGICAL_\w+)"')
AGGREGATE = "LOGICAL_AGGREGATE_AND_GROUP_BY"
NAMES = {
    AGGREGATE: "an aggregate",
    "LOGICAL_WINDOW": "a window function",
    "LOGICAL_UNNEST": "unnest(), which makes several rows of a record",
}


def check_values(con: "Tables", place: TablePlace, text: str, what: str) -> None:
    """Raise UsageError unless an expression has one value for each record of a table.

    ``what`` names the expression in the message. Raises DuckDB's error if it cannot read or bind
    the text.
    """
    _check(con, place, f"select (\n{text}\n) from {place.sql()}", what, PLAIN)


def check_aggregate(con: "Tables", place: TablePlace, text: str, what: str) -> None:
    """Raise UsageError unless an expression is an aggregate over the records of a table."""
    _check(con, place, f"select {text}\nfrom {place.sql()}", what, {*PLAIN, AGGREGATE})


def _check(con: "Tables", place: TablePlace, query: str, what: str, allowed: set[str]) -> None:
    if len(con.duckdb.extract_statements(query)) != 1:
        raise UsageError(
            f"{what} is not an expression", "It has a semicolon", "Write one expression"
        )
    relation = con.duckdb.sql(query)  # raises DuckDB's error
    if len(relation.columns) != 1:
        raise UsageError(f"{what} is not an expression", "It has several columns", "Write one")
    try:
        (plan,) = bound(con.duckdb, query)
    except NotBound as error:
        raise UsageError(f"{what} cannot be checked", str(error), "Rewrite it") from None
    if unstable := sorted(plan.called & con.catalog().functions.unstable):
        _refuse(what, f"{unstable[0]}(), which returns a different value at each call")
    for operator in operators(plan):
        if operator not in allowed:
            _refuse(what, NAMES.get(operator, "a subquery"))
    if dict(plan.scans) != {place: 1}:
        _refuse(what, "a subquery")
    if AGGREGATE in allowed and AGGREGATE not in operators(plan):
        raise UsageError(f"{what} does not aggregate", "", "Write an aggregate, such as count(*)")


def _refuse(what: str, contained: str) -> None:
    raise UsageError(
        f"{what} cannot be used",
        f"It contains {contained}",
        "Compute it in a query, store the result as a table, and use that table",
    )


def operators(plan: Bound) -> list[str]:
    """Return the names of the operators in a plan, outer ones first."""
    return OPERATOR.findall(plan.text)
