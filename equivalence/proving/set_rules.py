"""Rules for sums that are read as sets, in which each row counts once.

Sets are minimised like conjunctive queries: Chandra and Merlin, "Optimal implementation of
conjunctive queries in relational data bases" (STOC 1977).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from .atoms import Atom, DistinctAtom, Mapped, Term, all_same
from .formula import Formula, and_, conjuncts
from .known_facts import Context, sources
from .mapping import alike, columns_mapped, in_place_of, without
from .solver import Solver
from .terms import joined, opened, substitute, substituted, substituted_values

FOLDS, TRIED, MOVED = 60, 300, 8
"""Limits: mappings of one atom, mappings of several atoms, and atoms per mapping."""
Moved = Mapping[Atom, Atom]
"""Rows that are removed, each with the row that replaces it."""


class SetRules:
    """The rules, with the solver of one proof."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def unfolded(self, term: Term, known: Context) -> list[Term] | None:
        """In a set, replace a distinct row by the rows of its sum."""
        for atom in term.atoms:
            if isinstance(atom, DistinctAtom):
                return [in_place_of(term, atom, opened(each)) for each in atom.body]
        return None

    def joined(self, term: Term, known: Context) -> list[Term] | None:
        """In a set, turn the condition that a row exists into a join with this row."""
        found = joined(term)
        return None if found is term else [found]

    def folded(self, term: Term, known: Context) -> list[Term] | None:
        """In a set, remove rows that other rows can replace."""
        hypothesis = and_(known.condition, term.condition, sources(term.atoms))
        others = (*known.atoms, *known.witnesses, *term.atoms)
        moves = [{atom: other} for atom in term.atoms for other in others if alike(atom, other)]
        repaired = (
            found for each in moves for found in self._repaired(term, others, hypothesis, each)
        )
        for moved in islice(repaired, TRIED):
            if moved and (found := self._moved(term, moved, known)):
                return [found]
        for moved in moves[:FOLDS]:
            mapped = _mapped(term, moved)
            goal = and_(mapped.condition, all_same(term.outputs, mapped.outputs))
            if self._solver.proves(hypothesis, goal) and (found := self._moved(term, moved, known)):
                return [found]
        return None

    def _repaired(
        self, term: Term, others: Sequence[Atom], hypothesis: Formula, moved: Moved
    ) -> Iterator[Moved | None]:
        """Yield each mapping of rows that preserves all conditions, and None for other mappings.

        If a mapping breaks a condition, the search continues by also mapping another row of the
        condition.
        """
        broken = self._broken(term, hypothesis, moved)
        yield None if broken else moved
        if broken and len(moved) < MOVED:
            for atom in term.atoms:
                fixed = atom in moved or any(atom is each for each in moved.values())
                if fixed or atom.bound.isdisjoint(broken.symbols):
                    continue
                for other in others:
                    if alike(atom, other) and other not in moved:
                        more = {**moved, atom: other}
                        yield from self._repaired(term, others, hypothesis, more)

    def _broken(self, term: Term, hypothesis: Formula, moved: Moved) -> Formula | None:
        """Return a condition that need not be true for the mapped rows, or None.

        Whether a condition is true is decided by replacing equal symbols; for a disjunction whose
        rows are all mapped, the solver decides.
        """
        mapping = _mapping(moved)
        fixed = frozenset().union(*(e.bound for pair in moved.items() for e in pair))
        outputs = all_same(term.outputs, substituted_values(term.outputs, mapping))
        for each in (outputs, *conjuncts(term.condition)):
            goal = each if each is outputs else substitute(each, mapping)
            if self._solver.follows(hypothesis, goal):
                continue
            decided = each.operator == "or" and each.symbols & term.bound <= fixed
            if not (decided and self._solver.proves(hypothesis, goal)):
                return each
        return None

    def _moved(self, term: Term, moved: Moved, known: Context) -> Term | None:
        kept = without(term, *moved)
        if any(not atom.bound.isdisjoint(each.free) for atom in moved for each in kept):
            return None
        return self._without_witnesses(_mapped(replace(term, atoms=kept), moved), known)

    def _without_witnesses(self, term: Term, known: Context) -> Term | None:
        """Return a term without symbols of witnesses, or None if they cannot be removed."""
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


def _mapping(moved: Moved) -> Mapped:
    return {one: other for pair in moved.items() for one, other in columns_mapped(*pair).items()}


def _mapped(term: Term, moved: Moved) -> Term:
    return substituted(term, _mapping(moved))
