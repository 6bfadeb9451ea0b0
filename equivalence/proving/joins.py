"""Translate joins to products; rows without a partner become terms of their own."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..plan_form import Column, Join
from .atoms import SqlValue, Term
from .expressions import Expressions
from .formula import FALSE, Formula, and_, not_, or_
from .operator_rows import RowTerms, copies
from .sql_values import boolean, conjunction, null_of, sort_of, truth
from .terms import ONLY, aggregate, exists


class Joins:
    """The translation of joins of two inputs."""

    def __init__(self, made: Expressions, join: Join, left: RowTerms, right: RowTerms) -> None:
        self._made, self._join = made, join
        self._left, self._right = left.unordered().terms, right.unordered().terms
        self._columns: list[Column] = [c for each in join.inputs for c in each.columns]

    def rows(self) -> RowTerms:
        """Return the rows of the join."""
        kind = self._join.kind
        if kind in ("SEMI", "ANTI"):
            return RowTerms(
                tuple(each.where(self._met(each, kind == "SEMI")) for each in self._left)
            )
        if kind == "MARK":
            return RowTerms(tuple(map(self._marked, self._left)))
        if kind == "SINGLE" and not self._join.conditions:
            return RowTerms(tuple(map(self._with_only_row, self._left)))
        found = [self._pair(one, other) for one in self._left for other in copies(self._right)]
        if kind in ("LEFT", "FULL", "SINGLE"):
            found += [self._alone(each, 0) for each in copies(self._left)]
        if kind in ("RIGHT", "FULL"):
            found += [self._alone(each, 1) for each in copies(self._right)]
        return RowTerms(tuple(found))

    def _pair(self, one: Term, other: Term) -> Term:
        """Return the pairs of rows for which all conditions are true."""
        row = (*one.outputs, *other.outputs)
        conditions = self._made.truth(self._join.conditions, row, self._columns)
        return Term(
            (*one.atoms, *other.atoms), and_(one.condition, other.condition, *conditions), row
        )

    def _partners(self, term: Term, side: int) -> Formula:
        """Return the formula that a row of one side has a partner."""
        if side == 0:
            found = [self._partner(each, (*term.outputs, *each.outputs)) for each in self._right]
        else:
            found = [self._partner(each, (*each.outputs, *term.outputs)) for each in self._left]
        return exists(found)

    def _partner(self, other: Term, row: Sequence[SqlValue]) -> Term:
        return other.where(*self._made.truth(self._join.conditions, row, self._columns))

    def _met(self, term: Term, wanted: bool) -> Formula:
        found = self._partners(term, 0)
        return found if wanted else not_(found)

    def _alone(self, term: Term, side: int) -> Term:
        """Return the rows of one side that have no partner, with NULLs for the other side."""
        width = len(self._join.inputs[0].columns)
        columns = self._columns[width:] if side == 0 else self._columns[:width]
        nulls = tuple(null_of(each.type) for each in columns)
        outputs = (*term.outputs, *nulls) if side == 0 else (*nulls, *term.outputs)
        return replace(term.where(not_(self._partners(term, side))), outputs=outputs)

    def _with_only_row(self, term: Term) -> Term:
        """Return a left row with the values of the only right row, or with NULLs if there is none.

        These values are functions of the right rows.
        """
        found = []
        width = len(self._join.inputs[0].columns)
        for at, column in enumerate(self._columns[width:]):
            given = [_without_null(each, at) for each in copies(self._right)]
            value = aggregate(ONLY, sort_of(column.type), given)
            found.append(SqlValue(not_(exists(given)), value))
        return replace(term, outputs=(*term.outputs, *found))

    def _marked(self, term: Term) -> Term:
        """Return the left rows with a mark: whether any right row meets the conditions.

        The first conditions determine the right rows that a correlated subquery returns. The mark
        is NULL if the other conditions are true for none of these rows, and NULL for at least one.
        """
        known = len(self._join.correlated)

        def some(holds: Callable[[SqlValue], Formula]) -> Formula:
            found = []
            for each in self._right:
                row = (*term.outputs, *each.outputs)
                values = [self._made.value(c, row, self._columns) for c in self._join.conditions]
                compared = holds(conjunction(values[known:]))
                found.append(each.where(*map(truth, values[:known]), compared))
            return exists(found)

        true = some(truth)
        mark = SqlValue(FALSE, true)
        if len(self._join.conditions) > known:
            not_false = some(lambda value: or_(value.null, value.value))
            mark = boolean(true, not_(not_false))
        return replace(term, outputs=(*term.outputs, mark))


def _without_null(term: Term, at: int) -> Term:
    """Return the rows whose column at a position is not NULL, with this column as the output."""
    null, value = term.outputs[at]
    return replace(term.where(not_(null)), outputs=(SqlValue(FALSE, value),))
