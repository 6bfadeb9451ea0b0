"""Ask a child process for a proof that two plans give the same rows.

z3 is large, and may crash or need much memory, so it runs in its own process. The budget counts
z3's steps instead of seconds, so that a verdict does not depend on the machine or its load.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from provhouse.sql.time_limit import seconds_left

from ..empty_database import EmptyDatabase
from ..plan_form import (
    Call,
    Column,
    ColumnReference,
    Expression,
    Join,
    Operator,
    PlanForm,
    expressions,
)
from ..plan_form import operators as all_operators
from ..plan_json import to_json
from ..variation import type_of
from .process import PROCESS
from .schema import Schema, TableSchema, schema_json

MISSING = "a proof needs z3, which `pip install 'provhouse[prove]'` installs"
STOPPED = "the process of the prover stopped"
FAILING = frozenset(
    [
        "+",
        "-",
        "*",
        "abs",
        "sum",
        "exp",
        "pow",
        "power",
        "ln",
        "log2",
        "log10",
        "sqrt",
        "strptime",
        "make_date",
        "repeat",
        "lpad",
        "rpad",
    ]
)
"""Functions that raise an error for some arguments, which ends the query."""


@dataclass(frozen=True)
class Proof:
    """A proof: its assumptions, and its length in steps of the solver."""

    assumptions: tuple[str, ...]
    steps: int


def prove(plans: tuple[PlanForm, PlanForm], database: EmptyDatabase) -> Proof | str:
    """Return a proof that two plans over a database's tables are equal, or why there is none.

    Raises TooSlow when the time of the question is up.
    """
    if find_spec("z3") is None:
        return MISSING
    given = json.dumps([[to_json(plan) for plan in plans], schema_json(schema_of(database))])
    answer = PROCESS.answer(given.encode())
    if not answer:
        seconds_left()  # raises TooSlow
        return STOPPED
    found = json.loads(answer)
    if not found["proved"]:
        return str(found["reason"])
    return Proof((*found["constraints"], *failures(plans)), int(found["steps"]))


def schema_of(database: EmptyDatabase) -> Schema:
    """Return the tables of a database with the constraints of its DDL."""
    return Schema(
        {
            table: TableSchema(
                tuple(columns),
                database.facts[table].not_null,
                database.facts[table].keys,
                database.facts[table].foreign,
            )
            for table, columns in database.columns.items()
        }
    )


def failures(plans: Iterable[PlanForm]) -> list[str]:
    """Return the errors that a proof assumes not to occur."""
    found = {
        each
        for plan in plans
        for operator in all_operators(plan.root)
        for each in _failures(operator)
    }
    return [f"no error in {each}" for each in sorted(found)]


def _failures(operator: Operator) -> Iterable[str]:
    if isinstance(operator, Join) and operator.kind == "SINGLE":
        yield "a scalar subquery with several rows"
    columns = [column for each in operator.inputs for column in each.columns]
    for one in expressions(operator):
        yield from _of_expression(one, columns)


def _of_expression(one: Expression, columns: Sequence[Column]) -> Iterable[str]:
    if not isinstance(one, Call):
        return
    for each in one.arguments:
        yield from _of_expression(each, columns)
    if one.function in FAILING:
        yield one.function
    if one.function == "CAST" and isinstance(one.arguments[0], Call | ColumnReference):
        given = type_of(one.arguments[0], columns)
        if given != one.type:
            yield f"CAST of {given} as {one.type}"
