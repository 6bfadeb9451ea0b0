"""The normal form of sums: rules that preserve rows and remove redundancy."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import starmap

from .atom_rules import AtomRules
from .atoms import Atom, DistinctAtom, OpaqueAtom, SqlValue, Term, Terms, flat, with_bodies
from .formula import (
    FALSE,
    TRUE,
    Formula,
    OutOfSteps,
    and_,
    conjuncts,
    eq,
    nodes_over_terms,
    rebuild,
)
from .known_facts import Context
from .merged_terms import Merging
from .schema import Schema
from .solver import Solver
from .terms import closed_all, is_set, opened, over_terms, substitute, substituted_values

NOTHING = Context()
APPLIED = 5_000
"""The maximum number of rule applications in one proof; after that, the proof is given up."""


class NormalForm:
    """The rules, with the solver and the tables of one proof."""

    def __init__(self, solver: Solver, schema: Schema) -> None:
        self.solver, self.schema = solver, schema
        self._atoms = AtomRules(solver, schema)
        self._merging = Merging(solver)
        self._left = APPLIED
        self._bodies: dict[tuple[Terms, bool], Terms] = {}

    def sum(self, terms: Sequence[Term], as_set: bool = False, known: Context = NOTHING) -> Terms:
        """Return a sum in normal form; ``as_set`` means that repeated rows do not matter."""
        made = [each for term in terms for each in self.term(term, as_set, known)]
        if len(made) < 2:
            return tuple(made)
        if as_set:
            return tuple(self._merging.maximal(made, known.condition))
        return tuple(self._merging.merged(made))

    def term(self, term: Term, as_set: bool, known: Context) -> list[Term]:
        """Return a term in normal form, as a sum; the rules are applied until none changes it."""
        waiting, done = [term], []
        while waiting:
            self._left -= 1
            if not self._left:
                raise OutOfSteps
            each = _with_equalities(waiting.pop(0))
            if each.condition is FALSE:
                continue
            changed = self._step(each, as_set, known)
            if changed is None:
                if not self.solver.proves(and_(known.condition, each.condition), FALSE):
                    done.append(each)
            else:
                waiting = [*changed, *waiting]
        return done

    def _step(self, term: Term, as_set: bool, known: Context) -> list[Term] | None:
        inner = self._with_bodies(term)
        if inner is not term:
            return [inner]
        found = self._atoms.step(term, as_set, known)
        if found is not None:
            return found
        inner = self._with_nodes(term, known)
        return None if inner == term else [inner]

    def is_set(self, term: Term) -> bool:
        """Return whether no two rows of a term can have the same outputs."""
        return self._atoms.keys.determined(term, term.outputs)

    def _with_bodies(self, term: Term) -> Term:
        """Return a term whose atoms have sums in normal form."""
        atoms = tuple(map(self._atom, term.atoms))
        if any(isinstance(each, DistinctAtom) and not each.body for each in atoms):
            return term.where(FALSE)
        return term if atoms == term.atoms else replace(term, atoms=atoms)

    def _atom(self, atom: Atom) -> Atom:
        if not isinstance(atom, DistinctAtom | OpaqueAtom):
            return atom
        as_set = isinstance(atom, DistinctAtom)
        bodies = tuple(self._body(each, as_set) for each in atom.bodies)
        return atom if bodies == atom.bodies else with_bodies(atom, bodies, atom.columns)

    def _body(self, body: Terms, as_set: bool) -> Terms:
        key = body, as_set
        if key not in self._bodies:
            made = closed_all(self.sum([opened(each) for each in body], as_set))
            self._bodies[key] = self._bodies[made, as_set] = made
        return self._bodies[key]

    def _with_nodes(self, term: Term, known: Context) -> Term:
        """Return a term whose ``exists`` and ``aggregate`` nodes are in normal form."""
        parts = list(conjuncts(term.condition))
        for at, each in enumerate(parts):
            if nodes_over_terms(each):
                others = and_(*parts[:at], *parts[at + 1 :])
                parts[at] = self.formula(each, known.inside(term, others), {})
        condition = and_(*parts)
        if not any(each.depth for each in flat(term.outputs)):
            return replace(term, condition=condition)
        inside, done = known.inside(term, condition), dict[Formula, Formula]()
        outputs = tuple(
            SqlValue(self.formula(null, inside, done), self.formula(value, inside, done))
            for null, value in term.outputs
        )
        return replace(term, condition=condition, outputs=outputs)

    def formula(self, one: Formula, known: Context, done: dict[Formula, Formula]) -> Formula:
        """Return a formula whose nodes are in normal form within the context.

        ``done`` contains the formulas that were already converted in this context.
        """
        if not one.depth:
            return one
        if one not in done:
            if one.operator in ("exists", "aggregate"):
                done[one] = self._node(one, known, done)
            else:
                done[one] = rebuild(one, lambda each: self.formula(each, known, done))
        return done[one]

    def _node(self, one: Formula, known: Context, done: dict[Formula, Formula]) -> Formula:
        as_set = one.operator == "exists" or is_set(one.arguments[0])
        terms = self.sum([opened(each) for each in one.arguments[-1]], as_set, known)
        return over_terms(one, terms, lambda each: self.formula(each, known, done))


def _with_equalities(term: Term) -> Term:
    """Return a term in which symbols that are known to be equal become one symbol or a constant."""
    while (mapping := _known(term)) != {}:
        if mapping is None:
            return term.where(FALSE)
        rest = [each for each in conjuncts(term.condition) if not _is_known(each)]
        made = replace(
            term,
            condition=and_(
                *(substitute(each, mapping) for each in rest), *starmap(eq, mapping.items())
            ),
            outputs=substituted_values(term.outputs, mapping),
        )
        if made == term:
            break
        term = made
    return term


def _is_known(one: Formula) -> bool:
    if one.operator == "eq":
        return all(each.operator in ("symbol", "number") for each in one.arguments)
    inner = one.arguments[0] if one.operator == "not" else one
    return bool(inner.operator == "symbol")


def _known(term: Term) -> dict[Formula, Formula] | None:
    """Return the symbols that a condition equates with others; None if it is never true."""
    leaders: dict[Formula, Formula] = {}

    def leader(each: Formula) -> Formula:
        while each in leaders:
            each = leaders[each]
        return each

    for each in filter(_is_known, conjuncts(term.condition)):
        if each.operator == "eq":
            first, second = map(leader, each.arguments)
        else:
            inner, value = (each.arguments[0], FALSE) if each.operator == "not" else (each, TRUE)
            first, second = leader(inner), value
        if first is second:
            continue
        if first.operator != "symbol" or (
            second.operator == "symbol" and _before(first, second, term)
        ):
            first, second = second, first
        if first.operator != "symbol":
            return None
        leaders[first] = second
    return {each: leader(each) for each in leaders}


def _before(first: Formula, second: Formula, term: Term) -> bool:
    """Return whether the first symbol replaces the second; symbols from outside come first."""
    bound = term.bound
    return (first in bound, first.serial) < (second in bound, second.serial)
