"""Adapters: functions that turn a query's text and the DDL of its tables into a plan."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from provhouse.equivalence.empty_database import empty_database
from provhouse.equivalence.plan_form import PlanForm
from provhouse.equivalence.plan_json import from_json
from provhouse.equivalence.verdict import Revision
from provhouse.model.errors import BadInput

Adapter = Callable[[str, str], PlanForm]
"""A function that turns a source text and a DDL into a plan, or raises BadInput."""
Source = Literal["sql", "spark", "dbt", "texera", "json"]
"""The sources of revisions.

These are DuckDB's SQL, Spark's SQL, a dbt project, a Texera workflow, or a stored plan.
"""


def duckdb_plan(text: str, ddl: str) -> PlanForm:
    """Return the plan of a query in DuckDB's SQL."""
    with empty_database(ddl) as database:
        return database.plan(text)


def spark_plan(text: str, ddl: str) -> PlanForm:
    """Return the plan of a query in Spark's SQL. Starts Spark; raises Unavailable without Java."""
    from provhouse.capturing.spark_texts import text_plans

    (found,) = text_plans([Revision(text, ddl)])
    return found


def stored_plan(text: str, ddl: str) -> PlanForm:
    """Return the plan in a JSON string. The plan describes its tables, so the DDL is ignored."""
    try:
        return from_json(text)
    except ValueError as error:
        raise BadInput(
            "The file has no plan",
            str(error),
            "Give the value of form in the JSON of `provhouse revisions log --format json`",
        ) from error


ADAPTERS: Final[Mapping[str, Adapter]] = {
    "sql": duckdb_plan,
    "spark": spark_plan,
    "json": stored_plan,
}
"""The adapter of each source."""
