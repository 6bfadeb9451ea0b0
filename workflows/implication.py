"""Whether conditions of a query imply a condition, decided by its constants alone.

A comparison with a constant implies another one of the same expression; so does an IN. DuckDB
compares the constants. What is not decided here may still be proved.
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
    """Return whether one of some conditions certainly implies another condition."""
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
    """Return SQL for a condition with a value in the place of what is compared."""
    if old.arguments[0] != compared or not all(map(_fixed, old.arguments[1:])):
        raise NotContained
    return sql_of(Call(old.function, old.type, (value, *old.arguments[1:]), old.options), ())


def _same_side(new: Call, old: Call, compared: Expression) -> bool:
    sides = [side for side in (LOWER, UPPER) if new.function in side and old.function in side]
    return bool(sides) and old.arguments[0] == compared and _fixed(old.arguments[1])


def _wider(new: Call, old: Call) -> str:
    """Return SQL for whether a bound is inside another one of the same side."""
    one, other = (sql_of(each.arguments[1], ()) for each in (new, old))
    sign = ">" if new.function in LOWER else "<"
    strict = old.function in (LOWER[0], UPPER[0]) and new.function not in (LOWER[0], UPPER[0])
    return f"{one} {sign}{'' if strict else '='} {other}"


def _fixed(made: Expression) -> bool:
    """Return whether an expression has one value, in each time zone, and is not NULL."""
    if not isinstance(made, Call | Constant) or "ZONE" in made.type:
        return False
    return isinstance(made, Constant) or (made.function == "CAST" and _fixed(made.arguments[0]))


def _true(conditions: Iterable[str]) -> bool:
    """Return whether all conditions without columns are true."""
    with empty_database("") as database:
        found = database.con.execute(f"select {' and '.join(conditions)}").fetchone()
    return found == (True,)
