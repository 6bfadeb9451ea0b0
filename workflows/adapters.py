"""Adapters: functions from the text of a query and the DDL of its tables to its plan."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from provhouse.equivalence.empty_database import empty_database
from provhouse.equivalence.plan_form import PlanForm
from provhouse.equivalence.plan_json import from_json
from provhouse.equivalence.verdict import Revision
from provhouse.model.errors import BadInput

Adapter = Callable[[str, str], PlanForm]
"""A function from a text and a DDL to a plan. Raises BadInput if the text has no plan."""
Source = Literal["sql", "spark", "dbt", "texera", "json"]
"""The forms of revisions: DuckDB's SQL, Spark's SQL, a project of dbt, a workflow of Texera, or a
stored plan."""


def duckdb_plan(text: str, ddl: str) -> PlanForm:
    """Return the plan of a query in DuckDB's SQL."""
    with empty_database(ddl) as database:
        return database.plan(text)


def spark_plan(text: str, ddl: str) -> PlanForm:
    """Return the plan of a query in Spark's SQL, which starts Spark; Unavailable without Java."""
    from provhouse.capturing.spark_texts import text_plans

    (found,) = text_plans([Revision(text, ddl)])
    return found


def stored_plan(text: str, ddl: str) -> PlanForm:
    """Return the plan that a JSON text has. The form has the tables, so the DDL is not read."""
    try:
        return from_json(text)
    except ValueError as error:
        raise BadInput(
            "The file has no plan",
            str(error),
            "Give the JSON that `provhouse revisions log --format json` shows as form",
        ) from error


ADAPTERS: Final[Mapping[str, Adapter]] = {
    "sql": duckdb_plan,
    "spark": spark_plan,
    "json": stored_plan,
}
"""The adapter of each source."""
