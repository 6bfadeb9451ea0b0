"""Merge two terms of a sum, of which at most one has rows, into one that chooses its outputs."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from .atoms import SqlValue, Term
from .formula import FALSE, Formula, and_, conjuncts, ite, or_
from .known_facts import sources
from .matching import Matching
from .solver import Solver
from .terms import substituted

TRIED = 4
"""The maximum number of bijections of atoms that are tried for two terms."""


class Merging:
    """The rule, with the solver of one proof."""

    def __init__(self, solver: Solver) -> None:
        self._solver, self._matching = solver, Matching(solver)

    def merged(self, terms: Sequence[Term]) -> list[Term]:
        """Return the sum with as few terms as the rule can reach."""
        done: list[Term] = []
        for term in terms:
            for at, one in enumerate(done):
                if (both := self._both(one, term)) is not None:
                    done[at] = both
                    break
            else:
                done.append(term)
        return done

    def maximal(self, terms: Sequence[Term], known: Formula) -> list[Term]:
        """Return a set without the terms whose rows other terms contain."""
        kept = list(terms)
        for term in terms:
            others = [each for each in kept if each is not term]
            if others and self._matching.contained(term, others, known):
                kept = others
        return kept

    def _both(self, one: Term, other: Term) -> Term | None:
        if len(one.atoms) != len(other.atoms):
            return None
        for mapping in islice(self._matching.bijections(one.atoms, other.atoms), TRIED):
            mapped = substituted(replace(other, atoms=()), mapping)
            facts = sources(one.atoms)
            if self._matching.follows(and_(facts, one.condition, mapped.condition), FALSE):
                condition = self._either(facts, one.condition, mapped.condition)
                pairs = zip(one.outputs, mapped.outputs, strict=True)
                outputs = tuple(
                    SqlValue(
                        ite(one.condition, first.null, second.null),
                        ite(one.condition, first.value, second.value),
                    )
                    for first, second in pairs
                )
                return Term(one.atoms, condition, outputs)
        return None

    def _either(self, facts: Formula, one: Formula, other: Formula) -> Formula:
        """Return a disjunction from which the common conjuncts of both sides are factored out."""
        first, second = set(conjuncts(one)), set(conjuncts(other))
        shared = and_(*(each for each in conjuncts(one) if each in second))
        rest = or_(
            and_(*(each for each in conjuncts(one) if each not in second)),
            and_(*(each for each in conjuncts(other) if each not in first)),
        )
        if self._solver.proves(and_(facts, shared), rest):
            return shared
        return and_(shared, rest)
