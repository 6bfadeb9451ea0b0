"""Rules for sums that are read as sets: each row counts once.

The minimisation of sets is that of conjunctive queries: Chandra and Merlin, "Optimal implementation
of conjunctive queries in relational data bases" (STOC 1977).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .atoms import Atom, DistinctAtom, Term, all_same
from .context import Context, sources
from .formula import TRUE, Formula, and_, conjuncts
from .mapping import alike, columns_mapped, in_place_of
from .solver import Solver
from .terms import opened, substitute, substituted, substituted_values

FOLDS = 60
"""The number of mappings of atoms that are tried for one term."""


class SetRules:
    """The rules, with the solver of one proof."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def unfolded(self, term: Term, known: Context) -> list[Term] | None:
        """In a set, a distinct row is a row."""
        for atom in term.atoms:
            if isinstance(atom, DistinctAtom):
                return [in_place_of(term, atom, opened(each)) for each in atom.body]
        return None

    def joined(self, term: Term, known: Context) -> list[Term] | None:
        """In a set, a condition that a row exists is a join with it."""
        parts = conjuncts(term.condition)
        for at, each in enumerate(parts):
            if each.operator == "exists":
                (inner,) = (opened(one) for one in each.arguments[0])
                rest = and_(*parts[:at], *parts[at + 1 :], inner.condition)
                return [Term((*term.atoms, *inner.atoms), rest, term.outputs)]
        return None

    def folded(self, term: Term, known: Context) -> list[Term] | None:
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


def _foldings(
    atoms: Sequence[Atom], outside: Sequence[Atom]
) -> Iterator[tuple[list[Atom], dict[Formula, Formula]]]:
    """Yield sets of atoms with a mapping to other atoms; small sets come first."""
    choices = [[other for other in (*outside, *atoms) if alike(atom, other)] for atom in atoms]
    for atom, targets in zip(atoms, choices, strict=True):
        for other in targets:
            yield [atom], columns_mapped(atom, other)
    fixed = [[other for other in outside if alike(atom, other)] for atom in atoms]
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
