"""Translate GROUP BY and window functions to distinct rows with correlated aggregates."""

from collections.abc import Sequence
from dataclasses import replace

from ..known_functions import COUNTS, INTEGERS, RANKS, is_decimal, is_exact
from ..plan_form import AggregatedRows, Aggregation, Column, Expression, Window, WindowCall
from ..variation import type_of
from .atoms import Atom, SqlValue, Term, all_same, flat
from .expressions import Expressions
from .formula import FALSE, TRUE, not_, number
from .operator_rows import RowTerms, copies, distinct_row
from .sql_values import NotModelled, null_of, same_order, sort_of, truth
from .terms import aggregate, exists, window

WHOLE_PARTITION = {
    "start": '"UNBOUNDED_PRECEDING"',
    "end": '"CURRENT_ROW_RANGE"',
    "exclude_clause": '"NO_OTHER"',
    "ignore_nulls": "false",
}
"""The frame of a window function without ORDER BY, which is the entire partition."""


class Aggregates:
    """The translation of aggregates over rows with the given columns."""

    def __init__(self, made: Expressions, columns: Sequence[Column]) -> None:
        self._made, self._columns = made, columns

    def groups(self, operator: AggregatedRows, below: RowTerms) -> RowTerms:
        """Return one term for each grouping set."""
        found = [self._group(operator, below.terms, set_) for set_ in operator.sets]
        return RowTerms(tuple(each for each in found if each))

    def _group(
        self, operator: AggregatedRows, terms: Sequence[Term], set_: Sequence[int]
    ) -> Term | None:
        groups = [operator.groups[at] for at in set_]
        outputs = [null_of(self._type(each)) for each in operator.groups]
        if groups and not terms:
            return None
        atoms: tuple[Atom, ...] = ()
        row: tuple[SqlValue, ...] = ()
        if groups:
            body = [replace(each, outputs=self._values(groups, each)) for each in terms]
            atom = distinct_row(body, list(map(self._type, groups)))
            atoms, row = (atom,), atom.columns
        for at, value in zip(set_, row, strict=True):
            outputs[at] = value
        for each in operator.functions:
            outputs.append(self._aggregate(each, self._partition(terms, groups, row)))
        outputs += [_grouping(listed, set_) for listed in operator.grouping]
        return Term(atoms, TRUE, tuple(outputs))

    def windows(self, operator: Window, below: RowTerms) -> RowTerms:
        """Return the rows with a column for each window function."""
        terms = below.unordered().terms
        made = []
        for term in terms:
            own = tuple(self._window(each, term, terms) for each in operator.functions)
            made.append(replace(term, outputs=(*term.outputs, *own)))
        return RowTerms(tuple(made))

    def _window(self, one: WindowCall, term: Term, terms: Sequence[Term]) -> SqlValue:
        row = self._values(one.partitions, term)
        partition = self._partition(terms, one.partitions, row)
        whole = not one.order and not any(one.bounds) and dict(one.frame) == WHOLE_PARTITION
        if whole and one.call.function not in RANKS:
            return self._aggregate(
                Aggregation(one.call, one.distinct, one.condition, ()), partition
            )
        read = [*(key.expression for key in one.order), *one.call.arguments]
        read += [each for each in (*one.bounds, one.condition) if each is not None]
        places = [each is not None for each in (*one.bounds, one.condition)]
        directions = [(key.descending, key.nulls_first) for key in one.order]
        call, sort = one.call, sort_of(one.call.type)
        name = repr(
            (call.function, call.type, call.options, one.frame, places, directions, one.distinct)
        )
        body = [replace(each, outputs=self._values(read, each)) for each in partition]
        current = flat(self._values(read, term))
        null = FALSE
        if call.function not in RANKS | COUNTS | {"WINDOW_ROW_NUMBER", "WINDOW_NTILE"}:
            null = window(f"{name} is null", "bool", current, body)
        return SqlValue(null, window(name, sort, current, body))

    def _partition(
        self, terms: Sequence[Term], groups: Sequence[Expression], row: Sequence[SqlValue]
    ) -> list[Term]:
        """Return copies of the terms, for the rows whose groups have the values in ``row``."""
        return [each.where(all_same(self._values(groups, each), row)) for each in copies(terms)]

    def _aggregate(self, one: Aggregation, terms: Sequence[Term]) -> SqlValue:
        """Return an aggregate of terms.

        The order of the rows does not matter: otherwise, the plan would have a doubt (``doubts``).
        """
        name = one.call.function
        if one.condition is not None:
            terms = [each.where(truth(self._value(one.condition, each))) for each in terms]
        if name == "count_star":
            return SqlValue(FALSE, aggregate("count", "int", terms))
        (argument,) = one.call.arguments
        type_ = self._type(argument)
        name = _name(name, type_)
        given = [self._given(argument, type_, each) for each in terms]
        if one.distinct and given:
            atom = distinct_row(given, [type_])
            given = [Term((atom,), TRUE, atom.columns)]
        sort = sort_of(one.call.type)
        null = FALSE if one.call.function in COUNTS else not_(exists(given))
        return SqlValue(null, aggregate(name, sort, given))

    def _given(self, argument: Expression, type_: str, term: Term) -> Term:
        """Return the term for rows whose argument is not NULL, with the argument as its output."""
        null, value = self._value(argument, term)
        kept = term.where(not_(null))
        return replace(kept, outputs=(SqlValue(FALSE, same_order(value, type_)),))

    def _values(self, listed: Sequence[Expression], term: Term) -> tuple[SqlValue, ...]:
        return tuple(self._value(each, term) for each in listed)

    def _value(self, one: Expression, term: Term) -> SqlValue:
        return self._made.value(one, term.outputs, self._columns)

    def _type(self, one: Expression) -> str:
        return type_of(one, self._columns)


def _name(function: str, type_: str) -> str:
    """Return the name of an aggregate; raise NotModelled for aggregates of inexact values."""
    if function == "count":
        return function
    if not is_exact(type_):
        raise NotModelled(f"{function} of {type_}")
    if function in ("sum", "avg") and not (type_ in INTEGERS or is_decimal(type_)):
        raise NotModelled(f"{function} of {type_}")
    if function not in ("sum", "avg", "min", "max", "bool_and", "bool_or"):
        raise NotModelled(f"the aggregate {function}")
    return f"avg of {type_}" if function == "avg" else function


def _grouping(listed: Sequence[int], set_: Sequence[int]) -> SqlValue:
    """Return GROUPING: one bit per argument, 1 if the argument is not in the grouping set."""
    bits = sum((at not in set_) << place for place, at in enumerate(reversed(listed)))
    return SqlValue(FALSE, number(bits, "int"))
