"""Facts that hold where a term is read: rows outside of the term, and a condition."""

from collections.abc import Iterable
from dataclasses import dataclass

from .atoms import Atom, DistinctAtom, Term, all_same
from .formula import TRUE, Formula, and_, conjuncts, or_
from .terms import exists, opened


@dataclass(frozen=True)
class Context:
    """Rows that exist, and a condition on their symbols."""

    atoms: tuple[Atom, ...] = ()
    condition: Formula = TRUE
    witnesses: tuple[Atom, ...] = ()
    """Rows from which distinct rows come, and rows that make ``exists`` conditions true.

    Final formulas do not contain the symbols of these rows.
    """

    def inside(self, term: Term, condition: Formula) -> "Context":
        """Return the context inside a node of a term, for rows that meet a condition."""
        found, conditions = list(self.witnesses), [self.condition, condition]
        for atom in term.atoms:
            if isinstance(atom, DistinctAtom) and len(atom.body) == 1:
                source = opened(atom.body[0])
                found += source.atoms
                conditions += [source.condition, all_same(source.outputs, atom.columns)]
        for each in conjuncts(condition):
            if each.operator == "exists":
                source = opened(each.arguments[0][0])
                found += source.atoms
                conditions.append(source.condition)
        return Context((*self.atoms, *term.atoms), and_(*conditions), tuple(found))

    @property
    def hidden(self) -> frozenset[Formula]:
        """The symbols of the witnesses."""
        return frozenset().union(*(each.bound for each in self.witnesses))


def sources(atoms: Iterable[Atom]) -> Formula:
    """Return the formula that each distinct row is an output of one of its terms."""
    found = []
    for atom in atoms:
        if isinstance(atom, DistinctAtom):
            terms = [opened(each) for each in atom.body]
            terms = [each.where(all_same(each.outputs, atom.columns)) for each in terms]
            found.append(or_(*(and_(e.condition, sources(e.atoms), exists([e])) for e in terms)))
    return and_(*found)
