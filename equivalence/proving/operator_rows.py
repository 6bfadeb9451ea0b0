"""The rows of an operator: a sum of terms, and the rows' order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .atoms import DistinctAtom, OpaqueAtom, SqlValue, Term, Terms, fresh_value
from .formula import FALSE, Sort, number
from .sql_values import sort_of
from .terms import closed_all, opened

Direction = tuple[bool, bool]
"""Whether a key of an ORDER BY is descending, and whether its NULLs come first."""
ROW_ID = SqlValue(FALSE, number(0, "int"))
"""The value of a column that no expression can read."""


@dataclass(frozen=True)
class RowTerms:
    """A sum whose outputs are the columns, followed by the keys of the order."""

    terms: Terms
    order: tuple[Direction, ...] = ()

    def keys_of(self, term: Term) -> tuple[SqlValue, ...]:
        """Return the values of the keys of the order."""
        return term.outputs[self.width(term) :]

    def columns_of(self, term: Term) -> tuple[SqlValue, ...]:
        """Return the values of the columns."""
        return term.outputs[: self.width(term)]

    def width(self, term: Term) -> int:
        """Return the number of columns."""
        return len(term.outputs) - len(self.order)

    def unordered(self) -> "RowTerms":
        """Return the rows without an order."""
        if not self.order:
            return self
        return RowTerms(tuple(replace(each, outputs=self.columns_of(each)) for each in self.terms))


def copies(terms: Iterable[Term]) -> list[Term]:
    """Return terms with unused symbols."""
    return [opened(each) for each in terms]


def distinct_row(body: Iterable[Term], types: Sequence[str]) -> DistinctAtom:
    """Return a row of the distinct outputs of a sum."""
    terms = closed_all(body)
    given = zip(*(each.outputs for each in terms), strict=True)
    nullable = [any(value.null is not FALSE for value in values) for values in given]
    pairs = zip(types, nullable, strict=True)
    return DistinctAtom(terms, tuple(fresh_value(sort_of(type_), also) for type_, also in pairs))


def opaque_row(name: str, bodies: Iterable[Iterable[Term]], sorts: Sequence[Sort]) -> OpaqueAtom:
    """Return a row of an operation on sums that is known only by its name."""
    columns = tuple(fresh_value(each) for each in sorts)
    return OpaqueAtom(name, tuple(map(closed_all, bodies)), columns)
