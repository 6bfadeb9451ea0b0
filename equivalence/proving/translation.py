"""Translate plans to sums of terms: each operator by its definition over bags."""

from dataclasses import replace
from functools import singledispatchmethod

from ..plan_form import (
    AggregatedRows,
    Constant,
    Except,
    Filter,
    Intersect,
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
from .aggregates import Aggregates
from .atoms import SqlValue, TableAtom, Term, all_same, fresh_value
from .expressions import Expressions
from .formula import FALSE, TRUE, not_
from .joins import Joins
from .operator_rows import ROW_ID, RowTerms, copies, distinct_row, opaque_row
from .schema import Schema
from .sql_values import NotModelled, sort_of
from .terms import exists


class Translation:
    """The translation of the operators of plans over the same tables."""

    def __init__(self, schema: Schema, made: Expressions) -> None:
        self._schema, self._made = schema, made

    def rows(self, operator: Operator) -> RowTerms:
        """Return the rows of an operator. Raises NotModelled if a part is not known."""
        return self._rows(operator)

    @singledispatchmethod
    def _rows(self, operator: Operator) -> RowTerms:
        raise NotModelled(type(operator).__name__.lower())

    @_rows.register
    def _(self, operator: Scan) -> RowTerms:
        known = self._schema.tables[operator.table]
        columns = tuple(
            fresh_value(sort_of(type_), name not in known.not_null) for name, type_ in known.columns
        )
        at = dict(zip((name for name, _ in known.columns), columns, strict=True))
        read = tuple(at[name] if name else ROW_ID for name in operator.names)
        return RowTerms((Term((TableAtom(operator.table, columns),), TRUE, read),))

    @_rows.register
    def _(self, operator: Values) -> RowTerms:
        rows = [tuple(self._made.value(e, (), ()) for e in row) for row in operator.rows]
        return RowTerms(tuple(Term((), TRUE, row) for row in rows))

    @_rows.register
    def _(self, operator: Filter) -> RowTerms:
        below, columns = self.rows(operator.inputs[0]), operator.inputs[0].columns
        kept = [
            each.where(*self._made.truth(operator.conditions, each.outputs, columns))
            for each in below.terms
        ]
        return replace(below, terms=tuple(each for each in kept if each.condition is not FALSE))

    @_rows.register
    def _(self, operator: Project) -> RowTerms:
        below, columns = self.rows(operator.inputs[0]), operator.inputs[0].columns

        def projected(term: Term) -> tuple[SqlValue, ...]:
            own = (self._made.value(e, term.outputs, columns) for e in operator.expressions)
            return (*own, *below.keys_of(term))

        return replace(
            below, terms=tuple(replace(each, outputs=projected(each)) for each in below.terms)
        )

    @_rows.register
    def _(self, operator: Join) -> RowTerms:
        left, right = map(self.rows, operator.inputs)
        return Joins(self._made, operator, left, right).rows()

    @_rows.register
    def _(self, operator: AggregatedRows) -> RowTerms:
        (below,) = operator.inputs
        return Aggregates(self._made, below.columns).groups(operator, self.rows(below).unordered())

    @_rows.register
    def _(self, operator: Window) -> RowTerms:
        (below,) = operator.inputs
        return Aggregates(self._made, below.columns).windows(operator, self.rows(below))

    @_rows.register
    def _(self, operator: Sort) -> RowTerms:
        below, columns = self.rows(operator.inputs[0]).unordered(), operator.inputs[0].columns

        def keyed(term: Term) -> Term:
            keys = (self._made.value(k.expression, term.outputs, columns) for k in operator.order)
            return replace(term, outputs=(*term.outputs, *keys))

        order = tuple((key.descending, key.nulls_first) for key in operator.order)
        return RowTerms(tuple(map(keyed, below.terms)), order)

    @_rows.register
    def _(self, operator: Limit) -> RowTerms:
        below, (source,) = self.rows(operator.inputs[0]), operator.inputs
        if operator.count is None and not operator.offset:
            return below
        if operator.count == 0 or not below.terms:
            return replace(below, terms=())
        constant = isinstance(source, Project) and all(
            isinstance(each, Constant) for each in source.expressions
        )
        if constant and operator.count == 1 and not operator.offset:
            found = exists(replace(each, outputs=()) for each in below.terms)
            return RowTerms((Term((), found, below.columns_of(below.terms[0])),))
        return self._limited(operator, below)

    def _limited(self, operator: Limit, below: RowTerms) -> RowTerms:
        """Return the first rows as rows of an operation on the bag of rows and their order."""
        name = f"limit {operator.count} {operator.offset} {below.order}"
        sorts = [value.value.sort for value in below.terms[0].outputs]
        atom = replace(opaque_row(name, [below.terms], sorts), keys=len(below.order))
        return RowTerms((Term((atom,), TRUE, atom.columns),), below.order)

    @_rows.register
    def _(self, operator: Union) -> RowTerms:
        found = [self.rows(each).unordered().terms for each in operator.inputs]
        return RowTerms(tuple(term for terms in found for term in terms))

    @_rows.register(Except)
    @_rows.register(Intersect)
    def _(self, operator: Except | Intersect) -> RowTerms:
        left, right = (self.rows(each).unordered().terms for each in operator.inputs)
        types = [column.type for column in operator.columns]
        if operator.all:
            name = f"{type(operator).__name__.lower()} all"
            row = opaque_row(name, [left, right], list(map(sort_of, types)))
            return RowTerms((Term((row,), TRUE, row.columns),))
        if not left:
            return RowTerms(())
        atom = distinct_row(left, types)
        alike = [each.where(all_same(each.outputs, atom.columns)) for each in copies(right)]
        found = exists(replace(each, outputs=()) for each in alike)
        wanted = not_(found) if isinstance(operator, Except) else found
        return RowTerms((Term((atom,), wanted, atom.columns),))
