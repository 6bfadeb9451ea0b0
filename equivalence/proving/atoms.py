"""Sums of select-project-join terms over bags, as in U-expressions and SPES.

A query's rows are the sum of its terms. A term is a product of atoms (rows of tables or of other
relations), a condition and outputs: Chu et al., "Axiomatic Foundations and Algorithms for Deciding
Semantic Equivalences of SQL Queries" (VLDB 2018), section 3. ``exists`` is the squash of a sum. An
aggregate is a value: the aggregate of a sum that may contain symbols from outside. A row of GROUP
BY is therefore a distinct row with correlated aggregates.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from . import formula
from .formula import FALSE, Formula, Sort, and_, eq, or_, symbol


class SqlValue(NamedTuple):
    """An SQL value: whether it is NULL, and its value otherwise."""

    null: Formula
    value: Formula


class Atom:
    """The base of all atoms: a row, with symbols for its columns."""

    columns: tuple[SqlValue, ...]
    bodies: tuple["Terms", ...] = ()

    @cached_property
    def bound(self) -> frozenset[Formula]:
        """The symbols of the columns."""
        return frozenset(
            each for pair in self.columns for each in pair if each.operator == "symbol"
        )

    @cached_property
    def free(self) -> frozenset[Formula]:
        """The symbols on which the row depends."""
        return frozenset().union(*(t.symbols for body in self.bodies for t in body))

    @cached_property
    def depth(self) -> int:
        """The depth of nested terms."""
        return 1 + max((t.depth for body in self.bodies for t in body), default=-1)


@dataclass(frozen=True)
class TableAtom(Atom):
    """A row of a table."""

    table: tuple[str, ...]
    columns: tuple[SqlValue, ...]


@dataclass(frozen=True)
class DistinctAtom(Atom):
    """A row of the distinct outputs of a sum."""

    body: "Terms"
    columns: tuple[SqlValue, ...]

    @property
    def bodies(self) -> tuple["Terms", ...]:  # type: ignore[override]
        """The sum from which the row comes, in a tuple."""
        return (self.body,)


@dataclass(frozen=True)
class OpaqueAtom(Atom):
    """A row of an operation on bags, such as LIMIT, that is known only by its name."""

    name: str
    inputs: tuple["Terms", ...]
    columns: tuple[SqlValue, ...]
    keys: int = 0
    """The number of trailing columns that form an order without ties; 0 without such an order."""

    @property
    def bodies(self) -> tuple["Terms", ...]:  # type: ignore[override]
        """The sums that the operation reads."""
        return self.inputs


@dataclass(frozen=True)
class Term:
    """A product: rows of the atoms for which the condition is true, and the outputs."""

    atoms: tuple[Atom, ...]
    condition: Formula
    outputs: tuple[SqlValue, ...] = ()

    @cached_property
    def bound(self) -> frozenset[Formula]:
        """The symbols of the atoms."""
        return frozenset().union(*(each.bound for each in self.atoms))

    @cached_property
    def symbols(self) -> frozenset[Formula]:
        """The free symbols."""
        inside = [each.symbols for each in (self.condition, *flat(self.outputs))]
        return frozenset().union(*inside, *(atom.free for atom in self.atoms)) - self.bound

    @cached_property
    def depth(self) -> int:
        """The depth of nested terms."""
        inside = [each.depth for each in (self.condition, *flat(self.outputs))]
        return max([*inside, *(atom.depth for atom in self.atoms)])

    def where(self, *conditions: Formula) -> "Term":
        """Return the term with additional conditions."""
        return replace(self, condition=and_(self.condition, *conditions))


Terms = tuple[Term, ...]
Mapped = Mapping[Formula, Formula]


def flat(values: Iterable[SqlValue]) -> list[Formula]:
    """Return the formulas of values."""
    return [each for pair in values for each in pair]


def same(one: SqlValue, other: SqlValue) -> Formula:
    """Return the formula that two values are the same; NULL is the same as NULL."""
    if one.null is FALSE and other.null is FALSE:
        return eq(one.value, other.value)
    return and_(eq(one.null, other.null), or_(one.null, eq(one.value, other.value)))


def all_same(ones: Sequence[SqlValue], others: Sequence[SqlValue]) -> Formula:
    """Return the formula that values are pairwise the same."""
    return and_(*map(same, ones, others))


_fresh = itertools.count()


def forget(share: int = 1) -> None:
    """Delete all formulas, and restart the count of symbols from 0."""
    global _fresh
    _fresh = itertools.count()
    formula.forget(share)


def fresh(sort: Sort) -> Formula:
    """Return an unused symbol."""
    return symbol(f"s{next(_fresh)}", sort)


def fresh_value(sort: Sort, nullable: bool = True) -> SqlValue:
    """Return a value with unused symbols."""
    return SqlValue(fresh("bool") if nullable else FALSE, fresh(sort))


def with_bodies(atom: Atom, bodies: Sequence[Terms], columns: tuple[SqlValue, ...]) -> Atom:
    """Return a copy of an atom with other sums and columns."""
    if isinstance(atom, DistinctAtom):
        return DistinctAtom(bodies[0], columns)
    assert isinstance(atom, OpaqueAtom)
    return OpaqueAtom(atom.name, tuple(bodies), columns, atom.keys)
