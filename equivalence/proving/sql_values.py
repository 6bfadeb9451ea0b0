"""SQL values as formulas: the sorts of types, constants, comparisons and three-valued logic."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

from ..known_functions import INTEGERS, is_decimal, is_exact
from ..plan_form import Call, Constant
from .atoms import SqlValue
from .formula import (
    FALSE,
    TRUE,
    Formula,
    Sort,
    and_,
    call,
    eq,
    ite,
    le,
    lt,
    not_,
    number,
    or_,
    zero,
)

COUNTED = frozenset({"DATE", "TIMESTAMP", "TIME"})
"""Types whose values are numbers in DuckDB's plans, with the same order as the values."""
DAY = 86_400_000_000
"""The number of microseconds in a day, which a TIMESTAMP counts."""
LAST_DAY, LAST_MICROSECOND = (1 << 31) - 1, (1 << 63) - 1
"""The numbers of the DATE and the TIMESTAMP ``infinity``; their negations are ``-infinity``."""


class NotModelled(Exception):
    """The error for a part of a plan that has no formula; the verdict is then *unknown*."""


def sort_of(type_: str) -> Sort:
    """Return the sort of the values of a type."""
    if type_ == "BOOLEAN":
        return "bool"
    return "int" if type_ in INTEGERS or type_ in COUNTED or type_ == "NULL" else "real"


def null_of(type_: str) -> SqlValue:
    """Return NULL."""
    return SqlValue(TRUE, zero(sort_of(type_)))


def truth(one: SqlValue) -> Formula:
    """Return the formula that a condition is true, that is, neither false nor NULL."""
    return and_(not_(one.null), one.value)


def boolean(true: Formula, false: Formula) -> SqlValue:
    """Return a three-valued truth value from the formulas for true and for false."""
    return SqlValue(and_(not_(true), not_(false)), true)


def _falsity(one: SqlValue) -> Formula:
    return and_(not_(one.null), not_(one.value))


def conjunction(ones: Sequence[SqlValue]) -> SqlValue:
    """Return AND in three-valued logic."""
    return boolean(and_(*map(truth, ones)), or_(*map(_falsity, ones)))


def disjunction(ones: Sequence[SqlValue]) -> SqlValue:
    """Return OR in three-valued logic."""
    return boolean(or_(*map(truth, ones)), and_(*map(_falsity, ones)))


def negation(one: SqlValue) -> SqlValue:
    """Return NOT in three-valued logic."""
    return SqlValue(one.null, not_(one.value))


def chosen(condition: Formula, then: SqlValue, otherwise: SqlValue) -> SqlValue:
    """Return ``then`` if the condition is true, and ``otherwise`` if not."""
    return SqlValue(
        ite(condition, then.null, otherwise.null), ite(condition, then.value, otherwise.value)
    )


def function_of(name: str, sort: Sort, arguments: Sequence[SqlValue], strict: bool) -> SqlValue:
    """Return the value of a function that is known only by name.

    A strict function is NULL exactly if an argument is NULL.
    """
    given: list[Formula] = []
    for null, value in arguments:
        if not strict:
            given.append(null)
        given.append(ite(null, zero(value.sort), value))
    value = call(name, sort, given)
    if strict:
        return SqlValue(or_(*(null for null, _ in arguments)), value)
    return SqlValue(call(f"{name} is null", "bool", given), value)


def same_order(value: Formula, type_: str) -> Formula:
    """Return a number with the order of the SQL values, which is equal for equal values.

    Equal values of most types are identical, but 0.0 and -0.0 are equal without being identical.
    """
    if is_exact(type_) or type_ == "NULL":
        return value
    constant = value.operator == "call" and len(value.arguments) == 1
    known = _double(value.arguments[0]) if constant else None
    if known is not None:
        return number(known, "real")
    return call(f"order of {type_}", "real", (value,))


def _double(name: str) -> Fraction | None:
    kind, _, text = name.partition(" constant ")
    if kind not in ("DOUBLE", "FLOAT"):
        return None
    try:
        return Fraction(float(text))
    except (ValueError, OverflowError):
        return None


def compared(function: str, one: SqlValue, other: SqlValue, type_: str) -> SqlValue:
    """Return the comparison of two values of one type."""
    left, right = same_order(one.value, type_), same_order(other.value, type_)
    if function in ("COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"):
        alike = or_(
            and_(one.null, other.null), and_(not_(one.null), not_(other.null), eq(left, right))
        )
        return SqlValue(FALSE, alike if function.endswith("NOT_DISTINCT_FROM") else not_(alike))
    null = or_(one.null, other.null)
    if function in ("COMPARE_EQUAL", "COMPARE_NOTEQUAL"):
        alike = eq(left, right)
        return SqlValue(null, alike if function == "COMPARE_EQUAL" else not_(alike))
    if left.sort == "bool":
        left, right = (ite(each, number(1, "int"), number(0, "int")) for each in (left, right))
    made = {
        "COMPARE_LESSTHAN": lambda: lt(left, right),
        "COMPARE_GREATERTHAN": lambda: lt(right, left),
        "COMPARE_LESSTHANOREQUALTO": lambda: le(left, right),
        "COMPARE_GREATERTHANOREQUALTO": lambda: le(right, left),
    }
    return SqlValue(null, made[function]())


@dataclass(frozen=True)
class Constants:
    """The values of constants; strings become numbers in the order of all strings of both plans.

    The order of strings is countable, so any choice of strings corresponds to numbers in the same
    order.
    """

    places: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Iterable[Any]) -> "Constants":
        """Return the values of the constants of plans."""
        found = {
            json.loads(each.value)["value"]
            for each in parts
            if isinstance(each, Constant) and each.type == "VARCHAR" and '"value"' in each.value
        }
        ordered = sorted(found, key=lambda text: text.encode())
        return cls({text: at for at, text in enumerate(ordered)})

    def value(self, one: Constant) -> SqlValue:
        """Return the value of a constant."""
        known = json.loads(one.value)
        if known["is_null"]:
            return null_of(one.type)
        value = known.get("value")
        if one.type == "BOOLEAN" and isinstance(value, bool):
            return SqlValue(FALSE, TRUE if value else FALSE)
        if one.type == "VARCHAR" and isinstance(value, str):
            return SqlValue(FALSE, number(self.places[value], "real"))
        if one.type == "TIMESTAMP" and value in (LAST_MICROSECOND, -LAST_MICROSECOND):
            return SqlValue(FALSE, number(LAST_DAY * DAY * (1 if value > 0 else -1), "int"))
        if (one.type in INTEGERS or one.type in COUNTED) and type(value) is int:
            return SqlValue(FALSE, number(value, "int"))
        if is_decimal(one.type) and type(value) is int:
            return SqlValue(FALSE, number(Fraction(value, 10 ** scale(one.type)), "real"))
        name = f"{one.type} constant {json.dumps(value, sort_keys=True)}"
        return SqlValue(FALSE, call(name, sort_of(one.type), ()))


def midnight(one: Call) -> SqlValue | None:
    """Return the value of a cast of a constant ``YYYY-MM-DD`` to DATE or TIMESTAMP, or None."""
    (given,) = one.arguments
    if not isinstance(given, Constant) or given.type != "VARCHAR":
        return None
    text = json.loads(given.value).get("value")
    if one.type not in ("DATE", "TIMESTAMP") or not re.fullmatch(r"\d{4}-\d\d-\d\d", str(text)):
        return None
    try:
        days = (date.fromisoformat(text) - date(1970, 1, 1)).days
    except ValueError:
        return None
    return SqlValue(FALSE, number(days * (DAY if one.type == "TIMESTAMP" else 1), "int"))


def scale(type_: str) -> int:
    """Return the number of digits after the decimal point of a DECIMAL."""
    return int(json.loads(type_)["type_info"].get("scale", 0))


def width(type_: str) -> int:
    """Return the total number of digits of a DECIMAL."""
    return int(json.loads(type_)["type_info"]["width"])
