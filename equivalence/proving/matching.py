"""Equality of sums: a bijection of terms and of their atoms, for which z3 proves the rest.

Sums of terms are equal if their terms are pairwise equal: Chu et al. (VLDB 2018), section 5.
Distinct rows are equal if each sum contains the rows of the other. Nodes over terms that differ in
form are compared first; if two are equal, their equality is a lemma for the solver.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from .atoms import Atom, DistinctAtom, Mapped, OpaqueAtom, TableAtom, Term, all_same
from .formula import TRUE, Formula, and_, conjuncts, eq, nodes_over_terms
from .known_facts import sources
from .mapping import columns_mapped, values_mapped
from .solver import Solver
from .terms import counted, is_set, opened, substituted

NOTHING: Mapped = {}
PAIRINGS = 48
"""The maximum number of bijections of atoms that are tried for two terms."""
PERMUTED = 4
"""Distinct rows with at most this many columns are compared in all orders of their columns."""


class Matching:
    """The comparison of sums with the solver of one proof."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._nodes: dict[tuple[Formula, Formula, Formula], bool] = {}

    def bags(self, ones: Sequence[Term], others: Sequence[Term], known: Formula = TRUE) -> bool:
        """Return whether two sums have the same rows with the same multiplicities."""
        if len(ones) != len(others):
            return False
        left = list(others)
        for one in ones:
            found = next((e for e in left if self.pairing(one, e, known) is not None), None)
            if found is None:
                return False
            left.remove(found)
        return True

    def sets(self, ones: Sequence[Term], others: Sequence[Term], known: Formula = TRUE) -> bool:
        """Return whether two sums have the same distinct rows."""
        return all(self.contained(each, others, known) for each in ones) and all(
            self.contained(each, ones, known) for each in others
        )

    def contained(self, one: Term, others: Sequence[Term], known: Formula) -> bool:
        """Return whether each row of a term is a row of the sum ``others``."""
        hypothesis = and_(known, one.condition, sources(one.atoms))
        for other in others:
            for tried, mapping in enumerate(self._homomorphisms(other.atoms, one.atoms, {})):
                if tried == PAIRINGS:
                    break
                mapped = substituted(replace(other, atoms=()), mapping)
                goal = and_(mapped.condition, all_same(one.outputs, mapped.outputs))
                if self.follows(hypothesis, goal):
                    return True
        return False

    def _homomorphisms(
        self, atoms: Sequence[Atom], targets: Sequence[Atom], mapping: Mapped
    ) -> Iterator[Mapped]:
        if not atoms:
            yield mapping
            return
        for target in targets:
            for found in self._atom_pairing(target, substituted_atom(atoms[0], mapping), TRUE):
                yield from self._homomorphisms(atoms[1:], targets, {**mapping, **found})

    def pairing(self, one: Term, other: Term, known: Formula) -> Mapped | None:
        """Return a mapping from symbols of a term's atoms to those of an equal term, if any."""
        if len(one.outputs) != len(other.outputs):
            return None
        found = self.bijections(one.atoms, other.atoms, {}, known)
        for tried, mapping in enumerate(found):
            if tried == PAIRINGS:
                return None
            mapped = substituted(replace(other, atoms=()), mapping)
            if self._equal_terms(one, mapped, known):
                return mapping
        return None

    def _equal_terms(self, one: Term, mapped: Term, known: Formula) -> bool:
        facts = and_(known, sources(one.atoms))
        if not self.equivalent(facts, one.condition, mapped.condition):
            return False
        return self.follows(and_(facts, one.condition), all_same(one.outputs, mapped.outputs))

    def bijections(
        self,
        ones: Sequence[Atom],
        others: Sequence[Atom],
        mapping: Mapped = NOTHING,
        known: Formula = TRUE,
    ) -> Iterator[Mapped]:
        """Yield mappings from the symbols of atoms to those of equal atoms, one to one."""
        if len(ones) != len(others):
            return
        if not others:
            yield mapping
            return
        first = substituted_atom(others[0], mapping)
        for at, one in enumerate(ones):
            for found in self._atom_pairing(one, first, known):
                left = [*ones[:at], *ones[at + 1 :]]
                yield from self.bijections(left, others[1:], {**mapping, **found}, known)

    def _atom_pairing(self, one: Atom, other: Atom, known: Formula) -> Iterator[Mapped]:
        """Yield mappings from the columns of an atom to those of an equal atom."""
        if isinstance(one, DistinctAtom) and isinstance(other, DistinctAtom):
            yield from self._distinct_pairing(one, other, known)
        elif self._equal_atoms(one, other, known):
            yield columns_mapped(other, one)

    def _equal_atoms(self, one: Atom, other: Atom, known: Formula) -> bool:
        if isinstance(one, TableAtom) and isinstance(other, TableAtom):
            return one.table == other.table
        if isinstance(one, OpaqueAtom) and isinstance(other, OpaqueAtom):
            return self._equal_opaque(one, other, known)
        return False

    def _distinct_pairing(
        self, one: DistinctAtom, other: DistinctAtom, known: Formula
    ) -> Iterator[Mapped]:
        count = len(one.columns)
        if count != len(other.columns):
            return
        sorts = [each.value.sort for each in one.columns]
        orders = permutations(range(count)) if count <= PERMUTED else [tuple(range(count))]
        body = [opened(each) for each in one.body]
        for order in orders:
            if [other.columns[at].value.sort for at in order] != sorts:
                continue
            turned = [_turned(opened(each), order) for each in other.body]
            if (one.body == other.body and order == tuple(range(count))) or self.sets(
                body, turned, known
            ):
                yield values_mapped([other.columns[at] for at in order], one.columns)

    def _equal_opaque(self, one: OpaqueAtom, other: OpaqueAtom, known: Formula) -> bool:
        if one.name != other.name or len(one.columns) != len(other.columns):
            return False
        pairs = zip(one.inputs, other.inputs, strict=True)
        return one.inputs == other.inputs or all(
            self.bags([opened(e) for e in left], [opened(e) for e in right], known)
            for left, right in pairs
        )

    # -- formulas

    def equivalent(self, known: Formula, one: Formula, other: Formula) -> bool:
        """Return whether two conditions are true for the same rows."""
        if one is other:
            return True
        plain, mapped = _plain(one), _plain(other)
        if plain is not mapped and not self._solver.proves(known, eq(plain, mapped)):
            plain = TRUE
        hypothesis = and_(known, self._lemmas(and_(known, plain), [one], [other]))
        return self._solver.proves(and_(hypothesis, one), other) and self._solver.proves(
            and_(hypothesis, other), one
        )

    def follows(self, hypothesis: Formula, goal: Formula) -> bool:
        """Return whether a goal follows from a hypothesis and lemmas about the nodes of both."""
        if self._solver.proves(hypothesis, goal):
            return True
        lemmas = self._lemmas(hypothesis, [hypothesis, goal], [goal])
        return lemmas is not TRUE and self._solver.proves(and_(hypothesis, lemmas), goal)

    def _lemmas(
        self, known: Formula, ones: Sequence[Formula], others: Sequence[Formula]
    ) -> Formula:
        """Return the equalities between nodes of ``ones`` and nodes of ``others``."""
        left, right = nodes_over_terms(*ones), nodes_over_terms(*others)
        left += nodes_over_terms(*map(counted, left))
        found = []
        for other in right:
            for one in left:
                if one is other or one.operator != other.operator or one.sort != other.sort:
                    continue
                if self._equal_nodes(one, other, known):
                    found.append(eq(one, other))
                    break
        return and_(*found)

    def _equal_nodes(self, one: Formula, other: Formula, known: Formula) -> bool:
        key = one, other, known
        if key not in self._nodes:
            self._nodes[key] = False
            self._nodes[key] = self._compared_nodes(one, other, known)
        return self._nodes[key]

    def _compared_nodes(self, one: Formula, other: Formula, known: Formula) -> bool:
        first, second = ([opened(term) for term in each.arguments[-1]] for each in (one, other))
        if one.operator == "exists":
            return self.sets(first, second, known)
        if one.arguments[0] != other.arguments[0] or len(one.arguments) != len(other.arguments):
            return False
        current = zip(one.arguments[1:-1], other.arguments[1:-1], strict=True)
        if not all(self._solver.proves(known, eq(left, right)) for left, right in current):
            return False
        if is_set(one.arguments[0]):
            return self.sets(first, second, known)
        return self.bags(first, second, known)


def substituted_atom(atom: Atom, mapping: Mapped) -> Atom:
    """Return an atom in which symbols in its sums are replaced."""
    (made,) = substituted(Term((atom,), TRUE), mapping).atoms
    return made


def _turned(term: Term, order: Sequence[int]) -> Term:
    return replace(term, outputs=tuple(term.outputs[at] for at in order))


def _plain(one: Formula) -> Formula:
    """Return the conjuncts without nodes over terms."""
    return and_(*(each for each in conjuncts(one) if not each.depth))
