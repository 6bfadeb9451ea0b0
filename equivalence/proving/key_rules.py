"""Rules about keys: rows with equal keys are one row; a row that keys determine is a condition."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .atoms import Atom, DistinctAtom, Mapped, SqlValue, TableAtom, Term, all_same, same
from .formula import FALSE, Formula, and_, conjuncts, eq, not_
from .known_facts import Context, sources
from .mapping import alike, columns_mapped, copied, symbols_of, values_mapped, without
from .schema import Schema
from .solver import Solver
from .terms import exists, substituted, substituted_values

Key = Sequence[int]


class KeyRules:
    """The rules, with the solver and the tables of one proof."""

    def __init__(self, solver: Solver, schema: Schema) -> None:
        self._solver, self._schema = solver, schema

    def keys_merged(self, term: Term, known: Context) -> list[Term] | None:
        """Merge two rows with the same key into one row."""
        for at, atom in enumerate(term.atoms):
            for other in (*known.atoms, *term.atoms[:at]):
                if not alike(atom, other):
                    continue
                for key in self.keys(atom):
                    if self._same_key(term, known, atom, other, key):
                        kept = replace(term, atoms=without(term, atom))
                        return [substituted(kept, columns_mapped(atom, other))]
        return None

    def _same_key(
        self, term: Term, known: Context, atom: Atom, other: Atom, key: Sequence[int]
    ) -> bool:
        pairs = [(atom.columns[at], other.columns[at]) for at in key]
        goal = and_(*(and_(not_(one.null), same(one, two)) for one, two in pairs))
        if isinstance(atom, DistinctAtom):
            goal = all_same(atom.columns, other.columns)
        if not self._solver.proves(and_(known.condition, term.condition), goal):
            return False
        if isinstance(atom, TableAtom):
            self._schema.key_used(atom.table, tuple(key))
        return True

    def keys(self, atom: Atom) -> list[tuple[int, ...]]:
        """Return the keys of an atom.

        Each key is a list of column positions that together identify a row.
        """
        if isinstance(atom, TableAtom):
            return self._schema.keys(atom.table)
        return [tuple(range(len(atom.columns)))] if isinstance(atom, DistinctAtom) else []

    def foreign(self, term: Term, known: Context) -> list[Term] | None:
        """Remove a row that a foreign key references, because exactly one such row exists."""
        for atom in term.atoms:
            if not isinstance(atom, TableAtom):
                continue
            for other in (*known.atoms, *term.atoms):
                if not isinstance(other, TableAtom) or other is atom:
                    continue
                for key in self._schema.tables[other.table].foreign:
                    if key.table != atom.table:
                        continue
                    at = self._schema.tables[atom.table].places(key.referred)
                    given = self._schema.tables[other.table].places(key.columns)
                    pairs = [
                        (atom.columns[i], other.columns[j]) for i, j in zip(at, given, strict=True)
                    ]
                    found = self._referred(term, known, atom, pairs)
                    if found is not None:
                        self._schema.foreign_used(other.table, key)
                        self._schema.key_used(atom.table, at)
                        return [found]
        return None

    def _referred(
        self,
        term: Term,
        known: Context,
        atom: Atom,
        pairs: Sequence[tuple[SqlValue, SqlValue]],
    ) -> Term | None:
        mapping = {one.value: other.value for one, other in pairs}
        present = [not_(other.null) for _, other in pairs]
        hypothesis = and_(known.condition, term.condition)
        goal = and_(*present, *(eq(one, other) for one, other in mapping.items()))
        kept = substituted(replace(term, atoms=without(term, atom)), mapping)
        if not atom.bound.isdisjoint(_read(kept)):
            return None
        return kept.where(*present) if self._solver.proves(hypothesis, goal) else None

    def determined(self, term: Term, values: Sequence[SqlValue]) -> bool:
        """Return whether two rows of a term with the same values are always the same row."""
        other, mapping = copied(term)
        keys = [self.keys(each)[:1] for each in term.atoms]
        if not all(keys):
            return False
        columns = [
            atom.columns[at] for atom, key in zip(term.atoms, keys, strict=True) for at in key[0]
        ]
        alike = all_same(values, substituted_values(values, mapping))
        facts = and_(sources(term.atoms), sources(other.atoms))
        hypothesis = and_(term.condition, other.condition, alike, facts)
        present = [not_(c.null) for a in term.atoms if isinstance(a, TableAtom) for c in a.columns
                   if c in columns]  # fmt: skip
        goal = and_(*present, all_same(columns, substituted_values(columns, mapping)))
        if not self._solver.proves(hypothesis, goal):
            return False
        for atom, key in zip(term.atoms, keys, strict=True):
            if isinstance(atom, TableAtom):
                self._schema.key_used(atom.table, key[0])
        return True

    def semijoined(self, term: Term, known: Context) -> list[Term] | None:
        """Replace an atom by a condition if other atoms determine it and nothing else reads it.

        Atoms that determine others are tried last, so that the order in the query does not matter.
        """
        found = [each for each in sorted(term.atoms, key=_semijoin_order) if self._key(term, each)]
        for atom in sorted(found, key=lambda each: self._is_needed(term, each, found)):
            made = self._as_condition(term, atom)
            if made is not None:
                return [made]
        return None

    def _key(self, term: Term, atom: Atom, but: Atom | None = None) -> tuple[Mapped, Key] | None:
        """Return the values that the columns of a key equal, and this key of the atom, or None.

        The values contain no symbols of the atom ``but``.
        """
        for key in self.keys(atom):
            mapping = self._determined_by(term, atom, key, but.bound if but else frozenset())
            if mapping is not None:
                return mapping, key
        return None

    def _is_needed(self, term: Term, atom: Atom, determined: Sequence[Atom]) -> bool:
        """Return whether another atom is determined only with the help of this atom."""
        return any(self._key(term, each, atom) is None for each in determined if each is not atom)

    def _as_condition(self, term: Term, atom: Atom) -> Term | None:
        mapping, key = self._key(term, atom) or ({}, ())
        outputs = substituted_values(term.outputs, mapping)
        if not atom.bound.isdisjoint(symbols_of(outputs)):
            return None
        rest = replace(term, atoms=without(term, atom))
        if any(not atom.bound.isdisjoint(each.free) for each in rest.atoms):
            return None
        if isinstance(atom, TableAtom):
            self._schema.key_used(atom.table, tuple(key))
        parts = conjuncts(term.condition)
        inner = [each for each in parts if not each.symbols.isdisjoint(atom.bound)]
        outer = [each for each in parts if each.symbols.isdisjoint(atom.bound)]
        found = exists([Term((atom,), and_(*inner))])
        return Term(rest.atoms, and_(*outer, *_linked(inner, atom), found), outputs)

    def _determined_by(
        self, term: Term, atom: Atom, key: Key, without: frozenset[Formula]
    ) -> Mapped | None:
        """Return the values to which the condition equates all columns of a key, or None."""
        found: dict[Formula, Formula] = {}
        for at in key:
            column = atom.columns[at]
            others = self._equals(term, atom, column)
            other = next((e for e in others if without.isdisjoint(symbols_of([e]))), None)
            if other is None:
                return None
            found.update(values_mapped([column], [other]))
        return found

    def _equals(self, term: Term, atom: Atom, column: SqlValue) -> Iterator[SqlValue]:
        """Yield values that a column of an atom always equals, and that lack the atom's symbols."""
        parts = conjuncts(term.condition)
        for other in _equal_to(column.value, parts):
            if other.symbols.isdisjoint(atom.bound):
                nulls = _nulls(parts, column, atom)
                for null in [FALSE] if isinstance(atom, TableAtom) else nulls:
                    value = SqlValue(null, other)
                    if self._solver.proves(term.condition, same(column, value)):
                        yield value


def _read(term: Term) -> frozenset[Formula]:
    """Return all symbols in a term, bound or free."""
    inside = [term.condition.symbols, symbols_of(term.outputs), *(a.free for a in term.atoms)]
    return frozenset().union(*inside)


def _semijoin_order(atom: Atom) -> tuple[int, tuple[str, ...]]:
    return isinstance(atom, TableAtom), getattr(atom, "table", ())


def _linked(parts: Sequence[Formula], atom: Atom) -> list[Formula]:
    """Return the equalities between values that are equal to the same column of an atom."""
    found: dict[Formula, list[Formula]] = {}
    for each in parts:
        if each.operator == "eq":
            for one, other in (each.arguments, each.arguments[::-1]):
                if one in atom.bound and other.symbols.isdisjoint(atom.bound):
                    found.setdefault(one, []).append(other)
    return [eq(others[0], each) for others in found.values() for each in others[1:]]


def _equal_to(one: Formula, parts: Sequence[Formula]) -> list[Formula]:
    """Return formulas that equalities equate with a formula, directly or through one formula."""
    pairs = [each.arguments for each in _equalities(parts)]
    sides = [*pairs, *(pair[::-1] for pair in pairs)]
    near = [other for left, other in sides if left is one]
    far = [other for left, other in sides if left in near and other is not one]
    return list(dict.fromkeys([*near, *far]))


def _equalities(parts: Sequence[Formula]) -> Iterator[Formula]:
    for each in parts:
        if each.operator == "eq":
            yield each
        if each.operator == "or":
            yield from _equalities(each.arguments)


def _nulls(parts: Sequence[Formula], column: SqlValue, atom: Atom) -> Iterator[Formula]:
    """Yield candidate formulas for whether a column is NULL, without symbols of its atom."""
    yield FALSE
    for each in parts:
        if each.operator == "eq":
            for one, other in (each.arguments, each.arguments[::-1]):
                if one is column.null and other.symbols.isdisjoint(atom.bound):
                    yield other
