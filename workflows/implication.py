"""Decide from constants alone whether conditions of a query imply another condition.

A comparison of an expression with a constant, or an IN, may imply another comparison of the same
expression. DuckDB compares the constants. An implication that is not recognized here may still be
proved.
"""

from collections.abc import Iterable, Sequence

import duckdb

from provhouse.equivalence.empty_database import empty_database
from provhouse.equivalence.plan_form import Call, Constant, Expression

from .expression_sql import sql_of
from .parts import NotContained

LOWER = ("COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO")
UPPER = ("COMPARE_LESSTHAN", "COMPARE_LESSTHANOREQUALTO")
VALUES = ("COMPARE_EQUAL", "COMPARE_IN")


def implied(conditions: Sequence[Expression], old: Expression) -> bool:
    """Return whether one of ``conditions`` certainly implies the condition ``old``."""
    if isinstance(old, Call) and old.function == "CONJUNCTION_OR":
        return any(implied(conditions, each) for each in old.arguments)
    return any(new == old or _implies(new, old) for new in conditions)


def _implies(new: Expression, old: Expression) -> bool:
    if not isinstance(new, Call) or not isinstance(old, Call):
        return False
    if new.function not in (*LOWER, *UPPER, *VALUES) or not all(map(_fixed, new.arguments[1:])):
        return False
    compared, *values = new.arguments
    if old.function == "OPERATOR_IS_NOT_NULL":
        return old.arguments == (compared,)
    try:
        if new.function in VALUES:
            return _true(_with(old, compared, value) for value in values)
        return _same_side(new, old, compared) and _true([_wider(new, old)])
    except (NotContained, duckdb.Error):
        return False


def _with(old: Call, compared: Expression, value: Expression) -> str:
    """Return SQL for a condition in which ``value`` replaces the compared expression."""
    if old.arguments[0] != compared or not all(map(_fixed, old.arguments[1:])):
        raise NotContained
    return sql_of(Call(old.function, old.type, (value, *old.arguments[1:]), old.options), ())


def _same_side(new: Call, old: Call, compared: Expression) -> bool:
    sides = [side for side in (LOWER, UPPER) if new.function in side and old.function in side]
    return bool(sides) and old.arguments[0] == compared and _fixed(old.arguments[1])


def _wider(new: Call, old: Call) -> str:
    """Return SQL for whether the bound of ``new`` is at least as strict as that of ``old``."""
    one, other = (sql_of(each.arguments[1], ()) for each in (new, old))
    sign = ">" if new.function in LOWER else "<"
    strict = old.function in (LOWER[0], UPPER[0]) and new.function not in (LOWER[0], UPPER[0])
    return f"{one} {sign}{'' if strict else '='} {other}"


def _fixed(made: Expression) -> bool:
    """Return whether an expression is a constant that does not depend on the time zone."""
    if not isinstance(made, Call | Constant) or "ZONE" in made.type:
        return False
    return isinstance(made, Constant) or (made.function == "CAST" and _fixed(made.arguments[0]))


def _true(conditions: Iterable[str]) -> bool:
    """Return whether all the given conditions, which contain no columns, are true."""
    with empty_database("") as database:
        found = database.con.execute(f"select {' and '.join(conditions)}").fetchone()
    return found == (True,)
