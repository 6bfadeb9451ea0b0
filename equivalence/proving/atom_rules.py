"""Rules that remove atoms: keys, foreign keys, distinct rows, and what a set does not count.

Each rule keeps the rows of a term, or in a set their distinct outputs. The minimisation of sets is
that of conjunctive queries: Chandra and Merlin, "Optimal implementation of conjunctive queries in
relational data bases" (STOC 1977).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .context import Context, sources
from .formula import FALSE, TRUE, Formula, and_, conjuncts, eq, nodes_over_terms, not_
from .schema import Schema
from .solver import Solver
from .terms import (
    Atom,
    DistinctAtom,
    Mapped,
    OpaqueAtom,
    SqlValue,
    TableAtom,
    Term,
    all_same,
    closed,
    closed_all,
    exists,
    flat,
    fresh,
    opened,
    same,
    substitute,
    substituted,
    substituted_values,
    window,
)

EXCEPT_ALL, INTERSECT_ALL = "except all", "intersect all"
FOLDS = 60
"""The number of mappings of atoms that are tried for one term."""


def columns_mapped(source: Atom, target: Atom) -> dict[Formula, Formula]:
    """Return the mapping of the symbols of an atom to the columns of another."""
    return values_mapped(source.columns, target.columns)


def values_mapped(
    source: Sequence[SqlValue], target: Sequence[SqlValue]
) -> dict[Formula, Formula]:
    """Return the mapping of symbols to the formulas at the same places."""
    pairs = zip(flat(source), flat(target), strict=True)
    return {one: other for one, other in pairs if one.operator == "symbol"}


def without(term: Term, atom: Atom) -> tuple[Atom, ...]:
    """Return the other atoms of a term."""
    return tuple(each for each in term.atoms if each is not atom)


def copied(term: Term) -> tuple[Term, dict[Formula, Formula]]:
    """Return a copy of a term for another row, and the mapping of its symbols."""
    mapping = {each: fresh(each.sort) for each in sorted(term.bound, key=lambda e: e.serial)}
    return substituted(term, mapping), mapping


class AtomRules:
    """The rules, with the solver and the tables of one proof."""

    def __init__(self, solver: Solver, schema: Schema) -> None:
        self._solver, self._schema = solver, schema

    def step(self, term: Term, as_set: bool, known: Context) -> list[Term] | None:
        """Return what the first rule that applies makes of a term, or None."""
        rules = [self._keys_merged, self._foreign]
        rules += [self._unfolded, self._joined, self._folded] if as_set else [
            self._counted_once, self._derived, self._pushed, self._beside, self._limited, self._counted_rows,
            self._semijoined,
        ]  # fmt: skip
        for rule in rules:
            found = rule(term, known)
            if found is not None:
                return found
        return None

    # -- keys

    def _keys_merged(self, term: Term, known: Context) -> list[Term] | None:
        """Two rows with one key are one row."""
        for at, atom in enumerate(term.atoms):
            for other in (*known.atoms, *term.atoms[:at]):
                if not _alike(atom, other):
                    continue
                for key in self._keys(atom):
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

    def _keys(self, atom: Atom) -> list[tuple[int, ...]]:
        """Return the positions of columns that identify the row of an atom."""
        if isinstance(atom, TableAtom):
            return self._schema.keys(atom.table)
        return [tuple(range(len(atom.columns)))] if isinstance(atom, DistinctAtom) else []

    def _foreign(self, term: Term, known: Context) -> list[Term] | None:
        """A row that a foreign key refers to exists, once."""
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
                    pairs = [(atom.columns[i], other.columns[j]) for i, j in zip(at, given, strict=True)]
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

    # -- sets

    def _unfolded(self, term: Term, known: Context) -> list[Term] | None:
        """In a set, a distinct row is a row."""
        for atom in term.atoms:
            if isinstance(atom, DistinctAtom):
                return [_unfolded(term, atom, opened(each)) for each in atom.body]
        return None

    def _joined(self, term: Term, known: Context) -> list[Term] | None:
        """In a set, a condition that a row exists is a join with it."""
        parts = conjuncts(term.condition)
        for at, each in enumerate(parts):
            if each.operator == "exists":
                (inner,) = (opened(one) for one in each.arguments[0])
                rest = and_(*parts[:at], *parts[at + 1 :], inner.condition)
                return [Term((*term.atoms, *inner.atoms), rest, term.outputs)]
        return None

    def _folded(self, term: Term, known: Context) -> list[Term] | None:
        """In a set, rows are left out for which other rows can stand."""
        hypothesis = and_(known.condition, term.condition, sources(term.atoms))
        targets = (*known.atoms, *known.witnesses)
        for tried, (gone, mapping) in enumerate(_foldings(term.atoms, targets)):
            if tried == FOLDS:
                return None
            condition = substitute(term.condition, mapping)
            outputs = substituted_values(term.outputs, mapping)
            goal = and_(condition, all_same(term.outputs, outputs))
            if self._solver.proves(hypothesis, goal):
                kept = tuple(each for each in term.atoms if each not in gone)
                kept = substituted(Term(kept, TRUE), mapping).atoms
                found = self._without_witnesses(Term(kept, condition, outputs), known)
                if found is not None:
                    return [found]
        return None

    def _without_witnesses(self, term: Term, known: Context) -> Term | None:
        """Return a term without symbols of witnesses, or None if they cannot be left out."""
        hidden = known.hidden
        if hidden.isdisjoint(term.symbols):
            return term
        kept = [
            each
            for each in conjuncts(term.condition)
            if hidden.isdisjoint(each.symbols) or not self._solver.proves(known.condition, each)
        ]
        made = replace(term, condition=and_(*kept))
        return made if hidden.isdisjoint(made.symbols) else None

    # -- bags

    def _counted_once(self, term: Term, known: Context) -> list[Term] | None:
        """A distinct row whose sum has no row twice is a row of the sum."""
        for atom in term.atoms:
            if isinstance(atom, DistinctAtom) and self._is_set(atom):
                return [_unfolded(term, atom, opened(each)) for each in atom.body]
        return None

    def _is_set(self, atom: DistinctAtom) -> bool:
        if len(atom.body) != 1:
            return False
        term = opened(atom.body[0])
        return self.determined(term, term.outputs)

    def determined(self, term: Term, values: Sequence[SqlValue]) -> bool:
        """Return whether two rows of a term with the same values are one row."""
        other, mapping = copied(term)
        keys = [self._keys(each)[:1] for each in term.atoms]
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

    def _pushed(self, term: Term, known: Context) -> list[Term] | None:
        """A condition on a distinct row alone is one on the rows that it is from."""
        for atom in term.atoms:
            if not isinstance(atom, DistinctAtom):
                continue
            parts = conjuncts(term.condition)
            own = [e for e in parts if e.symbols and e.symbols <= atom.bound and _pushable(e)]
            if not own:
                continue
            body = [opened(each) for each in atom.body]
            body = [_restricted(each, atom, own) for each in body]
            narrowed = DistinctAtom(closed_all(e for e in body if e.condition is not FALSE), atom.columns)
            if narrowed.body == atom.body:
                continue
            atoms = tuple(narrowed if each is atom else each for each in term.atoms)
            kept = and_(*(each for each in parts if each not in own or not each.depth))
            return [Term(atoms, kept, term.outputs)]
        return None

    def _derived(self, term: Term, known: Context) -> list[Term] | None:
        """A column of distinct rows that follows from the others is left out."""
        for atom in term.atoms:
            if not isinstance(atom, DistinctAtom) or len(atom.body) != 1:
                continue
            body = opened(atom.body[0])
            if not atom.columns:
                rest = replace(term, atoms=without(term, atom))
                return [rest.where(exists([replace(body, outputs=())]))]
            for at, (null, value) in enumerate(body.outputs):
                back = _back(atom, body, at)
                if null.operator in ("true", "false") and value.symbols <= back.keys():
                    derived = SqlValue(null, substitute(value, back))
                    mapping = values_mapped(atom.columns[at : at + 1], [derived])
                    return [_narrowed(term, atom, body, [at], mapping, ())]
        return None

    def _beside(self, term: Term, known: Context) -> list[Term] | None:
        """A row of a table whose key is among the columns of distinct rows stands beside them."""
        for atom in term.atoms:
            if not isinstance(atom, DistinctAtom) or len(atom.body) != 1:
                continue
            body = opened(atom.body[0])
            for row in body.atoms:
                if isinstance(row, TableAtom) and (found := self._moved(term, atom, body, row)):
                    return [found]
        return None

    def _moved(self, term: Term, atom: DistinctAtom, body: Term, row: TableAtom) -> Term | None:
        moved = [
            at for at, each in enumerate(body.outputs)
            if (used := _symbols([each])) and used <= row.bound
        ]  # fmt: skip
        for key in self._keys(row):
            places = [self._place(body, row.columns[at], moved) for at in key]
            gone = [at for at in moved if at not in places]
            if None in places or not gone:
                continue
            copy = TableAtom(row.table, tuple(_renamed(each) for each in row.columns))
            mapping = columns_mapped(row, copy)
            values = substituted_values([body.outputs[at] for at in gone], mapping)
            columns = [atom.columns[at] for at in gone]
            pairs = [(copy.columns[at], atom.columns[p]) for at, p in zip(key, places, strict=True)]
            self._schema.key_used(row.table, tuple(key))
            made = _narrowed(term, atom, body, gone, values_mapped(columns, values), (copy,))
            return made.where(*(and_(not_(other.null), same(one, other)) for one, other in pairs))
        return None

    def _place(self, body: Term, column: SqlValue, moved: Sequence[int]) -> int | None:
        """Return the place of a column of a key among the outputs, or None."""
        for at, each in enumerate(body.outputs):
            if each.value.sort == column.value.sort and each.value.symbols:
                goal = and_(not_(column.null), same(column, each))
                if self._solver.proves(body.condition, goal):
                    return at
        return None

    def _semijoined(self, term: Term, known: Context) -> list[Term] | None:
        """An atom that others determine, and of which no more is read, is a condition."""
        for atom in sorted(term.atoms, key=_semijoin_order):
            for key in self._keys(atom):
                mapping = self._determined_by(term, atom, key)
                if mapping is None:
                    continue
                outputs = substituted_values(term.outputs, mapping)
                if not atom.bound.isdisjoint(_symbols(outputs)):
                    continue
                rest = replace(term, atoms=without(term, atom))
                if any(not atom.bound.isdisjoint(each.free) for each in rest.atoms):
                    continue
                if isinstance(atom, TableAtom):
                    self._schema.key_used(atom.table, tuple(key))
                parts = conjuncts(term.condition)
                inner = [each for each in parts if not each.symbols.isdisjoint(atom.bound)]
                outer = [each for each in parts if each.symbols.isdisjoint(atom.bound)]
                found = exists([Term((atom,), and_(*inner))])
                return [Term(rest.atoms, and_(*outer, found), outputs)]
        return None

    def _determined_by(self, term: Term, atom: Atom, key: Sequence[int]) -> Mapped | None:
        """Return what the condition makes the columns of a key equal to, if it does for all."""
        found: dict[Formula, Formula] = {}
        for at in key:
            column = atom.columns[at]
            other = next(self._equals(term, atom, column), None)
            if other is None:
                return None
            found.update(values_mapped([column], [other]))
        return found

    def _equals(self, term: Term, atom: Atom, column: SqlValue) -> Iterator[SqlValue]:
        """Yield values without symbols of the atom that a column is always equal to."""
        parts = conjuncts(term.condition)
        for each in _equalities(parts):
            for one, other in (each.arguments, each.arguments[::-1]):
                if one is column.value and other.symbols.isdisjoint(atom.bound):
                    nulls = _nulls(parts, column, atom)
                    for null in [FALSE] if isinstance(atom, TableAtom) else nulls:
                        value = SqlValue(null, other)
                        if self._solver.proves(term.condition, same(column, value)):
                            yield value

    def _limited(self, term: Term, known: Context) -> list[Term] | None:
        """LIMIT in an order without ties is a condition on the keys of the order."""
        for atom in term.atoms:
            if not isinstance(atom, OpaqueAtom) or not atom.keys or len(atom.inputs[0]) != 1:
                continue
            body = opened(atom.inputs[0][0])
            keys = body.outputs[-atom.keys :]
            if not self.determined(body, keys):
                continue
            copy = opened(atom.inputs[0][0])
            whole = replace(copy, outputs=copy.outputs[-atom.keys :])
            first = window(atom.name, "bool", flat(keys), [whole])
            return [_unfolded(term, atom, body).where(first)]
        return None

    def _counted_rows(self, term: Term, known: Context) -> list[Term] | None:
        """EXCEPT ALL and INTERSECT ALL of rows without repeats are conditions."""
        for atom in term.atoms:
            if not isinstance(atom, OpaqueAtom) or atom.name not in (EXCEPT_ALL, INTERSECT_ALL):
                continue
            sides = list(atom.inputs) if atom.name == EXCEPT_ALL else [*atom.inputs, *atom.inputs]
            for left, right in zip(sides, sides[1:], strict=False):
                if len(left) != 1:
                    continue
                row = opened(left[0])
                if self.determined(row, row.outputs):
                    alike = [e.where(all_same(e.outputs, row.outputs)) for e in map(opened, right)]
                    found = exists(replace(each, outputs=()) for each in alike)
                    wanted = not_(found) if atom.name == EXCEPT_ALL else found
                    return [_unfolded(term, atom, row).where(wanted)]
        return None


def _alike(one: Atom, other: Atom) -> bool:
    if isinstance(one, TableAtom) and isinstance(other, TableAtom):
        return one.table == other.table and one.columns != other.columns
    if isinstance(one, DistinctAtom) and isinstance(other, DistinctAtom):
        return one.body == other.body and one.columns != other.columns
    return False


def _read(term: Term) -> frozenset[Formula]:
    """Return all symbols that a term reads, bound or free."""
    inside = [term.condition.symbols, _symbols(term.outputs), *(a.free for a in term.atoms)]
    return frozenset().union(*inside)


def _symbols(values: Sequence[SqlValue]) -> frozenset[Formula]:
    return frozenset().union(*(each.symbols for each in flat(values)))


def _unfolded(term: Term, atom: Atom, inner: Term) -> Term:
    """Return a term with the atoms of a sum's term in place of its distinct row."""
    mapping = values_mapped(atom.columns, inner.outputs)
    rest = substituted(replace(term, atoms=without(term, atom)), mapping)
    return Term((*rest.atoms, *inner.atoms), and_(rest.condition, inner.condition), rest.outputs)


def _pushable(one: Formula) -> bool:
    return all(each.operator == "exists" for each in nodes_over_terms(one))


def _restricted(term: Term, atom: DistinctAtom, conditions: Sequence[Formula]) -> Term:
    mapping = values_mapped(atom.columns, term.outputs)
    return term.where(*(substitute(each, mapping) for each in conditions))


def _back(atom: DistinctAtom, body: Term, but: int) -> dict[Formula, Formula]:
    """Return the columns of distinct rows for the symbols that their sum gives, but one column."""
    pairs = zip(body.outputs, atom.columns, strict=True)
    return {
        given.value: column.value
        for at, (given, column) in enumerate(pairs)
        if at != but and given.value.operator == "symbol" and given.null is FALSE
        and column.value.operator == "symbol"
    }  # fmt: skip


def _narrowed(
    term: Term,
    atom: DistinctAtom,
    body: Term,
    gone: Sequence[int],
    mapping: Mapped,
    more: Sequence[Atom],
) -> Term:
    """Return a term whose distinct rows lack some columns, which other values replace."""
    kept = [at for at in range(len(atom.columns)) if at not in gone]
    less = closed(replace(body, outputs=tuple(body.outputs[at] for at in kept)))
    narrow = DistinctAtom((less,), tuple(atom.columns[at] for at in kept))
    rest = substituted(replace(term, atoms=without(term, atom)), mapping)
    return replace(rest, atoms=(*rest.atoms, narrow, *more))


def _renamed(column: SqlValue) -> SqlValue:
    null = column.null if column.null is FALSE else fresh("bool")
    return SqlValue(null, fresh(column.value.sort))


def _foldings(
    atoms: Sequence[Atom], outside: Sequence[Atom]
) -> Iterator[tuple[list[Atom], dict[Formula, Formula]]]:
    """Yield sets of atoms with a mapping to other atoms; small sets come first."""
    choices = [
        [other for other in (*outside, *atoms) if _alike(atom, other)] for atom in atoms
    ]
    for atom, targets in zip(atoms, choices, strict=True):
        for other in targets:
            yield [atom], columns_mapped(atom, other)
    fixed = [[other for other in outside if _alike(atom, other)] for atom in atoms]
    several = [at for at, targets in enumerate(fixed) if targets]
    if len(several) > 1:
        yield from _joint(atoms, several, fixed, [], {})


def _joint(
    atoms: Sequence[Atom],
    left: Sequence[int],
    fixed: Sequence[Sequence[Atom]],
    gone: list[Atom],
    mapping: dict[Formula, Formula],
) -> Iterator[tuple[list[Atom], dict[Formula, Formula]]]:
    if not left:
        if len(gone) > 1:
            yield gone, mapping
        return
    for other in fixed[left[0]]:
        more = {**mapping, **columns_mapped(atoms[left[0]], other)}
        yield from _joint(atoms, left[1:], fixed, [*gone, atoms[left[0]]], more)
    yield from _joint(atoms, left[1:], fixed, gone, mapping)


def _semijoin_order(atom: Atom) -> tuple[int, tuple[str, ...]]:
    return isinstance(atom, TableAtom), getattr(atom, "table", ())


def _equalities(parts: Sequence[Formula]) -> Iterator[Formula]:
    for each in parts:
        if each.operator == "eq":
            yield each
        if each.operator == "or":
            yield from _equalities(each.arguments)


def _nulls(parts: Sequence[Formula], column: SqlValue, atom: Atom) -> Iterator[Formula]:
    """Yield formulas that say whether a column is NULL, without symbols of its atom."""
    yield FALSE
    for each in parts:
        if each.operator == "eq":
            for one, other in (each.arguments, each.arguments[::-1]):
                if one is column.null and other.symbols.isdisjoint(atom.bound):
                    yield other

