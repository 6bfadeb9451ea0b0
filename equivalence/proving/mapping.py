"""Map the symbols of atoms to the columns of other atoms."""

from collections.abc import Sequence
from dataclasses import replace

from .atoms import Atom, DistinctAtom, SqlValue, TableAtom, Term, flat, fresh
from .formula import Formula, and_
from .terms import substituted


def columns_mapped(source: Atom, target: Atom) -> dict[Formula, Formula]:
    """Return the mapping from the symbols of one atom to the columns of another atom."""
    return values_mapped(source.columns, target.columns)


def values_mapped(source: Sequence[SqlValue], target: Sequence[SqlValue]) -> dict[Formula, Formula]:
    """Return the mapping from symbols to the formulas at the same positions."""
    pairs = zip(flat(source), flat(target), strict=True)
    return {one: other for one, other in pairs if one.operator == "symbol"}


def without(term: Term, *atoms: Atom) -> tuple[Atom, ...]:
    """Return the atoms of a term except the given ones."""
    return tuple(each for each in term.atoms if not any(each is atom for atom in atoms))


def copied(term: Term) -> tuple[Term, dict[Formula, Formula]]:
    """Return a copy of a term with unused symbols, for another row, and the symbols' mapping."""
    mapping = {each: fresh(each.sort) for each in sorted(term.bound, key=lambda e: e.serial)}
    return substituted(term, mapping), mapping


def alike(one: Atom, other: Atom) -> bool:
    if isinstance(one, TableAtom) and isinstance(other, TableAtom):
        return one.table == other.table and one.columns != other.columns
    if isinstance(one, DistinctAtom) and isinstance(other, DistinctAtom):
        return one.body == other.body and one.columns != other.columns
    return False


def symbols_of(values: Sequence[SqlValue]) -> frozenset[Formula]:
    return frozenset().union(*(each.symbols for each in flat(values)))


def in_place_of(term: Term, atom: Atom, inner: Term) -> Term:
    """Replace a distinct row in a term by the atoms of ``inner``, a term of the row's sum."""
    mapping = values_mapped(atom.columns, inner.outputs)
    rest = substituted(replace(term, atoms=without(term, atom)), mapping)
    return Term((*rest.atoms, *inner.atoms), and_(rest.condition, inner.condition), rest.outputs)
