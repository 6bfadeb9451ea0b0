"""Sums of select-project-join terms over bags, as in U-expressions and SPES.

A query's rows are the sum of its terms. A term is a product of atoms (rows of tables or of other
relations), a condition and outputs: Chu et al., "Axiomatic Foundations and Algorithms for Deciding
Semantic Equivalences of SQL Queries" (VLDB 2018), section 3. ``exists`` is the squash of a sum.
An aggregate is a value: the aggregate of a sum that may depend on symbols outside, so that a row of
GROUP BY is a distinct row with correlated aggregates.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from . import formula
from .formula import (
    FALSE,
    TRUE,
    Formula,
    Sort,
    add,
    and_,
    conjuncts,
    eq,
    implied,
    ite,
    multiply,
    node,
    not_,
    number,
    or_,
    polynomial,
    rebuild,
    symbol,
    to_real,
    zero,
)



def is_set(name: str) -> bool:
    """Return whether an aggregate depends on the set of values only."""
    return name in ("min", "max", "bool_and", "bool_or") or name.endswith(" distinct")


class SqlValue(NamedTuple):
    """A value of SQL: whether it is NULL, and else what it is."""

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
        """The symbols that the row depends on."""
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
    """A row among the distinct outputs of a sum."""

    body: "Terms"
    columns: tuple[SqlValue, ...]

    @property
    def bodies(self) -> tuple["Terms", ...]:  # type: ignore[override]
        """The sums that the row is from."""
        return (self.body,)


@dataclass(frozen=True)
class OpaqueAtom(Atom):
    """A row of an operation on bags that is only known by its name, such as LIMIT."""

    name: str
    inputs: tuple["Terms", ...]
    columns: tuple[SqlValue, ...]
    keys: int = 0
    """The number of the last columns that are an order without ties; 0 if there is none."""

    @property
    def bodies(self) -> tuple["Terms", ...]:  # type: ignore[override]
        """The sums that the operation reads."""
        return self.inputs


@dataclass(frozen=True)
class Term:
    """A product: rows of the atoms for which the condition is true, with outputs."""

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
        """Return the term with further conditions."""
        return replace(self, condition=and_(self.condition, *conditions))


Terms = tuple[Term, ...]
Mapped = Mapping[Formula, Formula]


def flat(values: Iterable[SqlValue]) -> list[Formula]:
    """Return the formulas of values."""
    return [each for pair in values for each in pair]


def same(one: SqlValue, other: SqlValue) -> Formula:
    """Return whether two values are the same; NULL is the same as NULL."""
    if one.null is FALSE and other.null is FALSE:
        return eq(one.value, other.value)
    return and_(eq(one.null, other.null), or_(one.null, eq(one.value, other.value)))


def all_same(ones: Sequence[SqlValue], others: Sequence[SqlValue]) -> Formula:
    """Return whether values are pairwise the same."""
    return and_(*map(same, ones, others))


# -- symbols

_fresh = itertools.count()


def forget() -> None:
    """Forget all formulas, and start to count symbols from 0."""
    global _fresh
    _fresh = itertools.count()
    formula.forget()


def fresh(sort: Sort) -> Formula:
    """Return a symbol that is not used."""
    return symbol(f"s{next(_fresh)}", sort)


def fresh_value(sort: Sort, nullable: bool = True) -> SqlValue:
    """Return a value with symbols that are not used."""
    return SqlValue(fresh("bool") if nullable else FALSE, fresh(sort))


# -- substitution


def substitute(one: Formula, mapping: Mapped) -> Formula:
    """Return a formula in which symbols are replaced."""
    done: dict[Formula, Formula] = {}
    keys = mapping.keys()

    def changed(each: Formula) -> Formula:
        if keys.isdisjoint(each.symbols):
            return each
        found = done.get(each)
        if found is None:
            found = done[each] = _changed(each)
        return found

    def _changed(each: Formula) -> Formula:
        if each.operator == "symbol":
            return mapping[each]
        if each.operator in ("exists", "aggregate"):
            terms = [substituted(opened(term), mapping) for term in each.arguments[-1]]
            return over_terms(each, terms, changed)
        return rebuild(each, changed)

    return changed(one)




def over_terms(one: Formula, terms: Sequence[Term], change: "Change") -> Formula:
    """Return an ``exists`` or ``aggregate`` with other terms, and its other arguments changed."""
    if one.operator == "exists":
        return exists(terms)
    name, *current, _ = one.arguments
    if current:
        return window(name, one.sort, list(map(change, current)), terms)
    return aggregate(name, one.sort, terms)


def substituted(term: Term, mapping: Mapped) -> Term:
    """Return a term in which symbols are replaced. Atoms whose columns are replaced are renamed."""
    if not mapping:
        return term
    return Term(
        tuple(_substituted_atom(each, mapping) for each in term.atoms),
        substitute(term.condition, mapping),
        substituted_values(term.outputs, mapping),
    )


def substituted_values(values: Sequence[SqlValue], mapping: Mapped) -> tuple[SqlValue, ...]:
    """Return values in which symbols are replaced."""
    return tuple(
        SqlValue(substitute(null, mapping), substitute(value, mapping)) for null, value in values
    )


def _substituted_atom(atom: Atom, mapping: Mapped) -> Atom:
    keys = mapping.keys()
    if keys.isdisjoint(atom.bound) and keys.isdisjoint(atom.free):
        return atom
    columns = substituted_values(atom.columns, mapping)
    if isinstance(atom, TableAtom):
        return TableAtom(atom.table, columns)
    bodies = tuple(
        tuple(closed(substituted(opened(t), mapping)) if not keys.isdisjoint(t.symbols) else t
              for t in body)
        for body in atom.bodies
    )  # fmt: skip
    return with_bodies(atom, bodies, columns)


def with_bodies(atom: Atom, bodies: Sequence[Terms], columns: tuple[SqlValue, ...]) -> Atom:
    """Return an atom with other sums and columns."""
    if isinstance(atom, DistinctAtom):
        return DistinctAtom(bodies[0], columns)
    assert isinstance(atom, OpaqueAtom)
    return OpaqueAtom(atom.name, tuple(bodies), columns, atom.keys)


def opened(term: Term) -> Term:
    """Return a term with symbols for its atoms that are not used elsewhere."""
    return substituted(term, {each: fresh(each.sort) for each in _in_order(term)})


def closed(term: Term) -> Term:
    """Return a term whose atoms have symbols that are named by depth and place.

    Terms that differ in the names of symbols become one. No symbol is captured: nested terms have
    other depths, and a term is opened before something is put into it.
    """
    term = replace(term, atoms=tuple(sorted(term.atoms, key=_rank)))
    depth = term.depth + 1
    names = {e: symbol(f"{depth}.{at}", e.sort) for at, e in enumerate(_in_order(term))}
    return substituted(term, names)


def closed_all(terms: Iterable[Term]) -> Terms:
    """Return a sum with symbols that are named by depth and place."""
    return tuple(map(closed, terms))


def _in_order(term: Term) -> list[Formula]:
    found = (each for atom in term.atoms for each in flat(atom.columns))
    return list(dict.fromkeys(each for each in found if each.operator == "symbol"))


def _rank(atom: Atom) -> tuple[str, tuple[str, ...]]:
    return type(atom).__name__, getattr(atom, "table", ())


# -- squash


def exists(terms: Iterable[Term]) -> Formula:
    """Return whether a sum has a row: a disjunction of nodes with one connected term each."""
    return or_(*map(_exists, terms))


def _exists(term: Term) -> Formula:
    found = []
    for component in components(replace(term, outputs=())):
        if component.atoms and component.condition is not FALSE:
            found.append(node("exists", "bool", (closed(component),)))
        else:
            found.append(component.condition)
    return and_(*found)


def components(term: Term, together: frozenset[Formula] = frozenset()) -> list[Term]:
    """Return a term without outputs as a product of terms that share no symbols.

    Conditions on no atom are in a term of their own. Some symbols may be kept together.
    """
    groups: list[tuple[set[Formula], list[Atom], list[Formula]]] = [
        (set(atom.bound), [atom], []) for atom in term.atoms
    ]
    alone: list[Formula] = []
    linked = [(each.symbols & term.bound, each) for each in conjuncts(term.condition)]
    linked += [(together & term.bound, TRUE)] if together else []
    linked += [(frozenset(atom.free | atom.bound) & term.bound, TRUE) for atom in term.atoms]
    for used, condition in linked:
        hit = [each for each in groups if not each[0].isdisjoint(used)]
        if not used or not hit:
            alone.append(condition)
            continue
        for other in hit[1:]:
            hit[0][0].update(other[0])
            hit[0][1].extend(other[1])
            hit[0][2].extend(other[2])
            groups.remove(other)
        hit[0][2].append(condition)
    made = [Term(tuple(atoms), and_(*listed)) for _, atoms, listed in groups]
    return [Term((), and_(*alone)), *made] if alone else made


# -- aggregates


def aggregate(name: str, sort: Sort, terms: Sequence[Term]) -> Formula:
    """Return the aggregate of the only output of a sum. The output is never NULL.

    Of nothing, a count is 0, and others are ``zero``: whether they are NULL is another formula.
    """
    terms = [each for each in terms if each.condition is not FALSE]
    if name == "count":
        return _added("int", [_count(each) for each in terms])
    if name == "sum":
        return _added(sort, [_total(each, sort) for each in terms])
    terms = [each for term in terms for each in _split(term)]
    if name in ("min", "max", "bool_and", "bool_or"):
        terms = [each for term in terms for each in _nested(term, name)]
    if not terms:
        return zero(sort)
    if is_set(name) and len(terms) == 1 and not terms[0].atoms:
        return _of_one_row(name, sort, terms[0])
    if name.startswith("avg") and len(terms) == 1 and not terms[0].atoms:
        value = call(f"{name} of one", sort, terms[0].outputs[0].value)
        return ite(terms[0].condition, value, zero(sort))
    return node("aggregate", sort, name, tuple(sorted(closed_all(terms), key=_serial)))


def call(name: str, sort: Sort, *arguments: Formula) -> Formula:
    """Return the value of a function of which only the name is known."""
    return formula.call(name, sort, arguments)


def _serial(term: Term) -> tuple[int, ...]:
    return term.condition.serial, *(each.serial for each in flat(term.outputs))


def _of_one_row(name: str, sort: Sort, term: Term) -> Formula:
    value = term.outputs[0].value
    if name == "count distinct":
        value = number(1, sort)
    elif name.startswith("avg"):
        value = call(f"{name.removesuffix(' distinct')} of one", sort, value)
    return ite(term.condition, value, zero(sort))


def _nested(term: Term, name: str) -> list[Term]:
    """Return a term whose output is no aggregate of the same kind: the least of the least."""
    value = term.outputs[0].value
    if value.operator != "aggregate" or value.arguments[0] != name:
        return [term]
    found = [opened(each) for each in value.arguments[1]]
    return [
        Term((*term.atoms, *e.atoms), and_(term.condition, e.condition), e.outputs) for e in found
    ]


def _added(sort: Sort, found: Sequence[Formula]) -> Formula:
    made = number(0, sort)
    for each in found:
        made = add(made, each)
    return made


def _count(term: Term) -> Formula:
    """Return the number of rows of a term, as the product for its components."""
    value, condition = number(1, "int"), TRUE
    for component in components(replace(term, outputs=())):
        if component.atoms:
            value = multiply(value, node("aggregate", "int", "count", (closed(component),)))
        else:
            condition = and_(condition, component.condition)
    return ite(condition, value, number(0, "int"))


def _outside(term: Term) -> tuple[Term, Formula]:
    """Return a term without the conditions that do not depend on its atoms, and these."""
    kept, outside = [], []
    for each in conjuncts(term.condition):
        (outside if each.symbols.isdisjoint(term.bound) else kept).append(each)
    return replace(term, condition=and_(*kept)), and_(*outside)


def _split(term: Term) -> list[Term]:
    """Return a term as several, so that its output is not a choice."""
    (output,) = term.outputs
    choice = _choice(output.value)
    if choice is None:
        return [term] if term.condition is not FALSE else []
    condition, then, otherwise = choice
    pairs = ((condition, then), (not_(condition), otherwise))
    made = [replace(term.where(c), outputs=(SqlValue(FALSE, v),)) for c, v in pairs]
    return [each for one in made for each in _split(one)]


def _choice(value: Formula) -> tuple[Formula, Formula, Formula] | None:
    if value.operator == "ite":
        condition, then, otherwise = value.arguments
        return condition, then, otherwise
    if value.operator == "sum" and len(value.arguments[0]) == 1:
        ((product, factor),) = value.arguments[0]
        for at, each in enumerate(product):
            if each.operator == "ite":
                rest = number(factor, value.sort)
                for other in (*product[:at], *product[at + 1 :]):
                    rest = multiply(rest, other)
                condition, then, otherwise = each.arguments
                return condition, multiply(rest, then), multiply(rest, otherwise)
    return None


def _total(term: Term, sort: Sort) -> Formula:
    """Return the sum of a term's output, product by product."""
    made = number(0, sort)
    for each in _split(term):
        inner, outside = _outside(each)
        value = number(0, sort)
        for product, factor in polynomial(inner.outputs[0].value).items():
            value = add(value, _total_of_product(inner, product, sort), factor)
        made = add(made, ite(outside, value, number(0, sort)))
    return made


def _total_of_product(term: Term, product: Sequence[Formula], sort: Sort) -> Formula:
    value, by, inner = number(1, sort), number(1, sort), None
    for each in product:
        if each.symbols.isdisjoint(term.bound):
            by = multiply(by, each)
        elif inner is None and _totalled(each):
            inner = each
        else:
            value = multiply(value, each)
    if inner is not None:
        return multiply(by, _total(_swapped(term, inner, value), sort))
    if value is number(1, sort):
        counted = _count(term)
        return multiply(by, to_real(counted) if sort == "real" else counted)
    whole = replace(term, outputs=(SqlValue(FALSE, value),))
    if _choice(value):
        return multiply(by, _total(whole, sort))
    for component in components(term, value.symbols):
        if value.symbols.isdisjoint(component.bound):
            counted = _count(component)
            by = multiply(by, to_real(counted) if sort == "real" else counted)
        else:
            whole = replace(component, outputs=(SqlValue(FALSE, value),))
    return multiply(by, node("aggregate", sort, "sum", (closed(whole),)))


def _totalled(one: Formula) -> bool:
    """Return whether a factor is itself a sum or a count."""
    inner = one.arguments[0] if one.operator == "to_real" else one
    return inner.operator == "aggregate" and inner.arguments[0] in ("sum", "count")


def _swapped(term: Term, factor: Formula, value: Formula) -> Term:
    """Return the term of a sum of products with an inner sum, with the rows of both sums."""
    node_ = factor.arguments[0] if factor.operator == "to_real" else factor
    inner = opened(node_.arguments[1][0])
    if inner.outputs:
        own = inner.outputs[0].value
        value = multiply(value, to_real(own) if value.sort == "real" else own)
    condition = and_(term.condition, inner.condition)
    return Term((*term.atoms, *inner.atoms), condition, (SqlValue(FALSE, value),))


def window(name: str, sort: Sort, current: Sequence[Formula], terms: Sequence[Term]) -> Formula:
    """Return a function of the outputs of a sum and of the values of the current row."""
    kept = [each for each in terms if each.condition is not FALSE]
    return node("aggregate", sort, name, *current, tuple(sorted(closed_all(kept), key=_serial)))


Change = Callable[[Formula], Formula]
