"""Decide whether rows that agree in some columns are the same row.

The keys of tables and groups, and equalities in conditions, are followed through the operators.
"""

from collections.abc import Iterable, Iterator

from .known_functions import INTEGERS, is_decimal, is_exact
from .plan_form import (
    AggregatedRows,
    Call,
    Column,
    ColumnReference,
    Constant,
    Expression,
    Filter,
    Join,
    Limit,
    Operator,
    Project,
    Scan,
    Sort,
    Union,
    Values,
    Window,
)

Places = frozenset[int]
DOUBLES = frozenset({"DOUBLE", "FLOAT"})
EQUALITIES = frozenset({"COMPARE_EQUAL", "COMPARE_NOT_DISTINCT_FROM"})
LEFT_ONLY = frozenset({"SEMI", "ANTI", "MARK", "SINGLE"})
"""Types of joins that return each row of the left input at most once."""


def is_same_row(below: Operator, at: Places) -> bool:
    """Return whether two rows with identical values in the columns ``at`` are the same row."""
    if isinstance(below, Scan):
        return bool(below.unique) and set(below.unique) <= {below.names[each] for each in at}
    if isinstance(below, Values):
        return len(below.rows) < 2
    if isinstance(below, AggregatedRows):
        return len(below.sets) == 1 and at >= set(range(len(below.groups)))
    if isinstance(below, Join):
        return _is_same_pair(below, at)
    if isinstance(below, Filter):
        return is_same_row(below.inputs[0], _closed(at, below.conditions, below.columns))
    if isinstance(below, Sort | Limit | Window):
        return is_same_row(below.inputs[0], at & _places(below.inputs[0]))
    if isinstance(below, Project):
        read = (below.expressions[each] for each in at)
        places = frozenset(each.position for each in read if isinstance(each, ColumnReference))
        return is_same_row(below.inputs[0], places)
    return False


def has_identical_values(below: Operator, at: int) -> bool:
    """Return whether equal values of a column are always identical.

    This is so for exact types, and for inexact numbers that are finite and never -0.0.
    """
    return is_exact(below.columns[at].type) or _is_never_minus_zero(below, at)


def _is_never_minus_zero(below: Operator, at: int) -> bool:
    """Return whether all values of a column are finite numbers other than -0.0, or NULL."""
    if below.columns[at].type not in DOUBLES:
        return False
    if isinstance(below, Project):
        return _is_made_finite(below.expressions[at], below.inputs[0])
    if isinstance(below, Union):
        return all(_is_never_minus_zero(each, at) for each in below.inputs)
    if isinstance(below, AggregatedRows):
        calls = [each.call for each in below.functions]
        own = at - len(below.groups)
        return 0 <= own < len(calls) and _is_average(calls[own], below.inputs[0].columns)
    if isinstance(below, Filter | Sort | Limit | Window | Join):
        for each in below.inputs:
            if at < len(each.columns):
                return _is_never_minus_zero(each, at)
            at -= len(each.columns)
        if isinstance(below, Window):
            return _is_average(below.functions[at].call, below.inputs[0].columns)
    return False


def _is_made_finite(made: Expression, below: Operator) -> bool:
    if isinstance(made, ColumnReference):
        return _is_never_minus_zero(below, made.position)
    if isinstance(made, Constant):
        return '"is_null":true' in made.value
    if made.function == "CAST":
        return _is_exact_number(made.arguments[0], below.columns)
    parts: tuple[Expression, ...] = ()
    if made.function == "CASE":
        parts = (*made.arguments[1::2], made.arguments[-1])
    if made.function in ("OPERATOR_COALESCE", "+", "-"):
        parts = made.arguments if len(made.arguments) > 1 else ()
    return bool(parts) and all(_is_made_finite(each, below) for each in parts)


def _is_average(call: Call, columns: tuple[Column, ...]) -> bool:
    """Return whether a call is an average of exact numbers, whose sum is exact and not -0."""
    return call.function == "avg" and _is_exact_number(call.arguments[0], columns)


def _is_exact_number(made: Expression, columns: tuple[Column, ...]) -> bool:
    type_ = columns[made.position].type if isinstance(made, ColumnReference) else made.type
    return type_ in INTEGERS or is_decimal(type_)


def _is_same_pair(join: Join, at: Places) -> bool:
    """Return whether two pairs of rows with identical values in the columns ``at`` are one pair.

    If both have the same row of one side, the conditions make further columns identical. In an
    outer join, two pairs with the same outer row either both have a partner or both have none.
    """
    left, right = join.inputs
    width = len(left.columns)
    ours, theirs = _places(left), frozenset(range(width, width + len(right.columns)))

    def right_row(known: Places) -> bool:
        return is_same_row(right, frozenset(each - width for each in known & theirs))

    def closed(known: Places) -> Places:
        return _closed(known, join.conditions, (*left.columns, *right.columns))

    if join.kind in LEFT_ONLY:
        return is_same_row(left, at & ours)
    known = closed(at) if join.kind == "INNER" else at
    from_left = join.kind in ("INNER", "LEFT") and is_same_row(left, known & ours)
    if from_left and right_row(closed(known | ours)):
        return True
    from_right = join.kind in ("INNER", "RIGHT") and right_row(known)
    return from_right and is_same_row(left, closed(known | theirs) & ours)


def _closed(at: Places, conditions: Iterable[Expression], columns: tuple[Column, ...]) -> Places:
    """Return the columns that are identical in two rows if the columns ``at`` are identical."""
    equal = list(_equal(conditions, columns))
    known = set(at)
    for _ in equal:
        for one, other in equal:
            if known.issuperset(one) or known.issuperset(other):
                known.update(one + other)
    return frozenset(known)


def _equal(
    conditions: Iterable[Expression], columns: tuple[Column, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the columns of both sides of each equality: one column, or none for a constant."""
    for each in conditions:
        if not isinstance(each, Call):
            continue
        if each.function == "CONJUNCTION_AND":
            yield from _equal(each.arguments, columns)
        elif each.function in EQUALITIES:
            one, other = (_side(side, columns) for side in each.arguments)
            if one is not None and other is not None:
                yield one, other


def _side(made: Expression, columns: tuple[Column, ...]) -> tuple[int, ...] | None:
    if _is_constant(made):
        return ()
    if isinstance(made, ColumnReference) and is_exact(columns[made.position].type):
        return (made.position,)
    return None


def _is_constant(made: Expression) -> bool:
    if isinstance(made, Call):
        return made.function == "CAST" and _is_constant(made.arguments[0])
    return isinstance(made, Constant)


def _places(operator: Operator) -> Places:
    return frozenset(range(len(operator.columns)))
