"""Translate expressions of a plan to formulas over the values of a row."""

from collections.abc import Sequence

from ..known_functions import (
    COMMUTATIVE_ON_NUMBERS,
    COMPARISONS,
    INTEGERS,
    is_decimal,
    is_number,
)
from ..plan_form import Call, Column, ColumnReference, Constant, Expression
from ..variation import type_of
from .atoms import SqlValue
from .formula import COMMUTED, FALSE, TRUE, Formula, add, multiply, not_, number, or_, to_real
from .sql_values import (
    DAY,
    Constants,
    NotModelled,
    chosen,
    compared,
    conjunction,
    disjunction,
    function_of,
    midnight,
    negation,
    null_of,
    scale,
    sort_of,
    truth,
)

STRICT = frozenset(
    [
        "||",
        "abs",
        "ceil",
        "floor",
        "sign",
        "lower",
        "upper",
        "length",
        "strlen",
        "substring",
        "trim",
        "ltrim",
        "rtrim",
        "reverse",
        "~~",
        "!~~",
        "~~*",
        "!~~*",
        "contains",
        "prefix",
        "suffix",
        "starts_with",
        "round",
    ]
)
"""Functions that are NULL exactly if an argument is NULL."""


MOMENTS = frozenset({"DATE", "TIME", "TIMESTAMP", "INTERVAL"})
"""Non-numeric types whose sums and differences are NULL exactly if an argument is NULL."""


class Expressions:
    """A translation of expressions that contains the constants of both plans."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants

    def value(
        self, one: Expression, row: Sequence[SqlValue], columns: Sequence[Column]
    ) -> SqlValue:
        """Return the value of an expression. Raises NotModelled if a part is not known."""
        if isinstance(one, ColumnReference):
            return row[one.position]
        if isinstance(one, Constant):
            return self._constants.value(one)
        if one.function == "CAST" and (known := midnight(one)):
            return known
        arguments = [self.value(each, row, columns) for each in one.arguments]
        types = [type_of(each, columns) for each in one.arguments]
        return _called(one, arguments, types)

    def truth(
        self, conditions: Sequence[Expression], row: Sequence[SqlValue], columns: Sequence[Column]
    ) -> list[Formula]:
        """Return, for each condition, the formula that it is true."""
        return [truth(self.value(each, row, columns)) for each in conditions]


def _called(one: Call, arguments: Sequence[SqlValue], types: Sequence[str]) -> SqlValue:
    name = one.function
    if name in COMPARISONS:
        left, right = arguments
        return compared(name, left, right, _one_type(name, types))
    if name == "CONJUNCTION_AND":
        return conjunction(arguments)
    if name == "CONJUNCTION_OR":
        return disjunction(arguments)
    if name == "OPERATOR_NOT":
        return negation(arguments[0])
    if name in ("OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL"):
        null = arguments[0].null
        return SqlValue(FALSE, null if name == "OPERATOR_IS_NULL" else not_(null))
    if name in ("COMPARE_IN", "COMPARE_NOT_IN"):
        type_ = _one_type(name, types)
        first, *others = arguments
        found = disjunction([compared("COMPARE_EQUAL", first, e, type_) for e in others])
        return found if name == "COMPARE_IN" else negation(found)
    if name == "OPERATOR_COALESCE":
        return _coalesced(arguments, one.type)
    if name == "CASE":
        return _case(arguments)
    if name == "CAST":
        return _cast(one, arguments[0], types[0])
    return _arithmetic(one, arguments, types) or _unknown(one, arguments, types)


def _one_type(name: str, types: Sequence[str]) -> str:
    if len(set(types)) != 1:
        raise NotModelled(f"{name} of different types")
    return types[0]


def _coalesced(arguments: Sequence[SqlValue], type_: str) -> SqlValue:
    made = null_of(type_)
    for each in reversed(arguments):
        made = chosen(not_(each.null), each, made)
    return made


def _case(arguments: Sequence[SqlValue]) -> SqlValue:
    made = arguments[-1]
    for at in range(len(arguments) - 3, -1, -2):
        made = chosen(truth(arguments[at]), arguments[at + 1], made)
    return made


def _unknown(one: Call, arguments: Sequence[SqlValue], types: Sequence[str]) -> SqlValue:
    name = f"{one.function} {one.type} {one.options}"
    adds = one.function in "+-*" and (is_number(one.type) or one.type in MOMENTS)
    if one.function in COMMUTATIVE_ON_NUMBERS and len(types) == 2 and set(types) <= {one.type}:
        name = f"{COMMUTED}{name}" if is_number(one.type) else name
    return function_of(name, sort_of(one.type), arguments, adds or one.function in STRICT)


def _cast(one: Call, given: SqlValue, type_: str) -> SqlValue:
    """Return a cast. If a cast either keeps the value or fails, return the value itself."""
    if given.null is TRUE:
        return null_of(one.type)
    if one.type == type_:
        return given
    tries = '"try_cast":true' in dict(one.options)["data"]
    if not tries and type_ in INTEGERS and one.type in INTEGERS:
        return given
    if not tries and is_decimal(one.type):
        if type_ in INTEGERS:
            return SqlValue(given.null, to_real(given.value))
        if is_decimal(type_) and scale(type_) <= scale(one.type):
            return given
    if not tries and (type_, one.type) == ("DATE", "TIMESTAMP"):
        return SqlValue(given.null, multiply(given.value, number(DAY, "int")))
    return function_of(f"CAST {type_} {one.type} {tries}", sort_of(one.type), [given], not tries)


def _arithmetic(one: Call, arguments: Sequence[SqlValue], types: Sequence[str]) -> SqlValue | None:
    """Return +, - or * of exact numbers; a result that is too large is an error."""
    name, numbers = one.function, [t in INTEGERS or is_decimal(t) for t in (*types, one.type)]
    if name not in "+-*" or not all(numbers):
        return None
    values = [each.value for each in arguments]
    if sort_of(one.type) == "real":
        values = [to_real(each) for each in values]
    null = or_(*(each.null for each in arguments))
    if any(each.sort != sort_of(one.type) for each in values):
        return None
    if len(values) == 1:
        zero = number(0, values[0].sort)
        return SqlValue(null, add(zero, values[0], -1 if name == "-" else 1))
    left, right = values
    made = multiply(left, right) if name == "*" else add(left, right, -1 if name == "-" else 1)
    return SqlValue(null, made)
