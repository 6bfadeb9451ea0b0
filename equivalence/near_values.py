"""Values for table columns, near the literals in their comparisons; compared columns share them.

A random row seldom meets a condition unless its values are taken from the condition. Therefore each
column gets values that meet its comparisons one by one, and the neighbours of these values. Columns
that are compared with each other share their values, so that rows join.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from .plan_form import (
    AggregatedRows,
    ColumnReference,
    Constant,
    Except,
    Expression,
    Intersect,
    Join,
    Operator,
    PlanForm,
    Project,
    Scan,
    Union,
    Values,
    Window,
    expressions,
)

TableColumn = tuple[tuple[str, ...], str]
"""The full name of a table, and the name of a column."""
EPOCH = datetime(1970, 1, 1)
MONTH = 365.25 / 12
LOGICAL = frozenset({"CONJUNCTION_AND", "CONJUNCTION_OR", "OPERATOR_NOT", "CASE"})
STEPS = {
    "COMPARE_LESSTHAN": -1, "COMPARE_GREATERTHAN": 1, "COMPARE_NOTEQUAL": 1,
    "COMPARE_DISTINCT_FROM": 1, "COMPARE_NOT_IN": 1,
}  # fmt: skip
"""The side of a literal on which a column's value must be for a comparison to be true."""
ORDERED = frozenset(
    {"COMPARE_LESSTHAN", "COMPARE_GREATERTHAN", "COMPARE_LESSTHANOREQUALTO",
     "COMPARE_GREATERTHANOREQUALTO"}
)  # fmt: skip


@dataclass
class Near:
    """Values, as strings, for a column and for all columns that are compared with it."""

    met: dict[str, None] = field(default_factory=dict)
    """Values that make one of the comparisons true."""
    beside: dict[str, None] = field(default_factory=dict)
    """Literals and their neighbours."""


@dataclass(frozen=True)
class _Read:
    """The columns and constants from which a value is computed."""

    columns: frozenset[TableColumn] = frozenset()
    texts: tuple[str, ...] = ()

    def __or__(self, other: "_Read") -> "_Read":
        texts = dict.fromkeys((*self.texts, *other.texts))
        return _Read(self.columns | other.columns, tuple(texts))


class NearValues:
    """The values for the columns of the tables that the given plans read."""

    def __init__(self, plans: Iterable[PlanForm]) -> None:
        self._near: dict[TableColumn, Near] = {}
        self._leaders: dict[TableColumn, TableColumn] = {}
        self._known: dict[int, list[_Read]] = {}
        self._ordered: list[TableColumn] = []
        for plan in plans:
            self._operator(plan.root)
        for near in map(self.of, self._ordered):
            near.met.update(dict.fromkeys(_stepped(t, by) for t in [*near.met] for by in (-1, 1)))

    def of(self, column: TableColumn) -> Near:
        """Return the values for a column; columns that are compared share one object."""
        return self._near.setdefault(self.leader(column), Near())

    def leader(self, column: TableColumn) -> TableColumn:
        """Return the column that represents all columns compared with this one."""
        while column in self._leaders:
            column = self._leaders[column]
        return column

    def texts(self) -> set[str]:
        """Return all values of all columns."""
        return {text for each in self._near.values() for text in (*each.met, *each.beside)}

    def link(self, one: TableColumn, other: TableColumn) -> None:
        """Make two columns share their values."""
        one, other = self.leader(one), self.leader(other)
        if one != other:
            kept, gone = self.of(other), self._near.pop(one, Near())
            kept.met.update(gone.met)
            kept.beside.update(gone.beside)
            self._leaders[one] = other

    def _operator(self, operator: Operator) -> list[_Read]:
        """Return the inputs of each column of an operator.

        An operator that several others read is examined only once.
        """
        if id(operator) not in self._known:
            below = [read for each in operator.inputs for read in self._operator(each)]
            for each in expressions(operator):
                self._expression(each, below)
            self._known[id(operator)] = self._columns(operator, below)
        return self._known[id(operator)]

    def _columns(self, operator: Operator, below: list[_Read]) -> list[_Read]:
        if isinstance(operator, Scan):
            return [_Read(frozenset({(operator.table, n)} if n else ())) for n in operator.names]
        if isinstance(operator, Values):
            rows = [[self._expression(each, below) for each in row] for row in operator.rows]
            return [_all(column) for column in zip(*rows, strict=True)]
        if isinstance(operator, Project):
            return [self._expression(each, below) for each in operator.expressions]
        if isinstance(operator, AggregatedRows):
            made = [*operator.groups, *(each.call for each in operator.functions)]
            own = [self._expression(each, below) for each in made]
            return [*own, *(_Read() for _ in operator.grouping)]
        if isinstance(operator, Window):
            return [*below, *(self._expression(each.call, below) for each in operator.functions)]
        if isinstance(operator, Join):
            mark = operator.kind == "MARK"
            return [*below[: len(operator.columns) - mark], *([_Read()] if mark else ())]
        if isinstance(operator, Union | Except | Intersect):
            return self._sides(operator, below)
        return [*below, *(_Read() for _ in range(len(operator.columns) - len(below)))]

    def _sides(self, operator: Operator, below: list[_Read]) -> list[_Read]:
        width = len(operator.columns)
        pairs = [below[at::width] for at in range(width)]
        if not isinstance(operator, Union):
            for each in pairs:
                self._compared("COMPARE_EQUAL", each)
        return list(map(_all, pairs))

    def _expression(self, one: Expression, below: Sequence[_Read]) -> _Read:
        if isinstance(one, ColumnReference):
            return below[one.position]
        if isinstance(one, Constant):
            return _Read(texts=_shown(one))
        given = [self._expression(each, below) for each in one.arguments]
        if one.function in ("+", "-") and (span := _span(one.arguments[-1])):
            sign = 1 if one.function == "+" else -1
            return _Read(given[0].columns, tuple(_moved(t, sign * span) for t in given[0].texts))
        if one.function not in LOGICAL:
            self._compared(one.function, given)
        return _all(given)

    def _compared(self, function: str, given: Sequence[_Read]) -> None:
        """Record the literals that a call combines with columns, and the columns it compares."""
        whole = _all(given)
        for column in whole.columns:
            near = self.of(column)
            for text in whole.texts:
                near.beside.update(dict.fromkeys(_beside(text)))
        step = STEPS.get(function, 0)
        for at, side in enumerate(given):
            for text in side.texts if function.startswith(("COMPARE", "~~")) else ():
                met = _stepped(text, step if at else -step)
                for column in _all([*given[:at], *given[at + 1 :]]).columns:
                    self.of(column).met[met] = None
        single = [next(iter(each.columns)) for each in given if len(each.columns) == 1]
        if function.startswith("COMPARE") and len(single) > 1:
            for other in single[1:]:
                self.link(single[0], other)
            if function in ORDERED:
                self._ordered.append(single[0])


def _all(given: Iterable[_Read]) -> _Read:
    found = _Read()
    for each in given:
        found |= each
    return found


def _shown(one: Constant) -> tuple[str, ...]:
    """Return a literal as a string. In plans, decimals, days and times are integers."""
    plain: dict[str, Any] = json.loads(one.value)
    value = plain.get("value")
    if isinstance(value, bool) or value is None:
        return ()
    if isinstance(value, int):
        scale = plain["type"].get("type_info", {}).get("scale", 0)
        return (_number(value, one.type, scale),)
    return (str(value),) if isinstance(value, str | float) else ()


def _number(value: int, type_: str, scale: int) -> str:
    try:
        if type_ == "DATE":
            return str((EPOCH + timedelta(days=value)).date())
        if type_ == "TIMESTAMP":
            return str(EPOCH + timedelta(microseconds=value))
    except OverflowError:  # infinity
        pass
    return str(Decimal(value).scaleb(-scale)) if scale else str(value)


def _span(one: Expression) -> timedelta | None:
    """Return the length of an interval constant, where a month has the mean length of months."""
    if not isinstance(one, Constant) or one.type != "INTERVAL":
        return None
    value = json.loads(one.value).get("value") or {}
    days = value.get("days", 0) + round(value.get("months", 0) * MONTH)
    return timedelta(days=days, microseconds=value.get("micros", 0))


def _moved(text: str, by: timedelta) -> str:
    """Return a time increased by ``by``; any other string is returned unchanged."""
    try:
        found = datetime.fromisoformat(text) + by
    except (ValueError, OverflowError):
        return text
    return str(found.date() if found.time() == time() else found)


def _stepped(text: str, by: int) -> str:
    """Return the next value on one side of a literal; for a pattern, a string that matches it."""
    try:
        number = Decimal(text)
        return str(number + by * _unit(number))
    except ArithmeticError:
        pass
    try:
        return str(date.fromisoformat(text[:10]) + timedelta(by)) + text[10:]
    except (ValueError, OverflowError):
        plain = text.replace("%", "").replace("_", "x")
        return f"{plain}a" if by > 0 else plain[:-1] if by < 0 else plain


def _unit(number: Decimal) -> Decimal:
    """Return the unit of a number's last digit, or 1 for a number without digits."""
    exponent = number.as_tuple().exponent
    return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(1)


def _beside(text: str) -> list[str]:
    near = [text, *(_stepped(text, by) for by in (-1, 0, 1))]
    try:
        day = date.fromisoformat(text[:10])
        near += [str(day + timedelta(by)) for by in (20, 400)]
    except (ValueError, OverflowError):
        pass
    if not _is_number(text):
        near += [text.replace("%", " "), text.swapcase(), text[::-1]]
    elif text.isdecimal() and 1000 <= int(text) <= 9999:
        near += [f"{text}-01-01", f"{text}-07-15"]  # the year of a date
    elif text.isdecimal() and 1 <= int(text) <= 12:
        near.append(f"2000-{int(text):02}-15")  # the month of a date
    return near


def _is_number(text: str) -> bool:
    try:
        Decimal(text)
    except ArithmeticError:
        return False
    return True
