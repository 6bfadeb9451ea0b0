"""What is known where a term is read: rows outside of it, and a condition that holds."""

from collections.abc import Iterable
from dataclasses import dataclass

from .formula import FALSE, TRUE, Formula, and_, or_
from .terms import Atom, DistinctAtom, Term, all_same, opened


@dataclass(frozen=True)
class Context:
    """Rows that exist, and a condition on their symbols."""

    atoms: tuple[Atom, ...] = ()
    condition: Formula = TRUE

    def inside(self, term: Term, condition: Formula) -> "Context":
        """Return what is known inside a node of a term, for rows that meet a condition."""
        made = Context((*self.atoms, *term.atoms), and_(self.condition, condition))
        return made.with_sources(term.atoms)

    def with_sources(self, atoms: Iterable[Atom]) -> "Context":
        """Return the context with a row for each distinct row that it comes from."""
        known, conditions = list(self.atoms), [self.condition]
        for atom in atoms:
            if isinstance(atom, DistinctAtom) and len(atom.body) == 1:
                source = opened(atom.body[0])
                known += source.atoms
                conditions += [source.condition, all_same(source.outputs, atom.columns)]
        return Context(tuple(known), and_(*conditions))


def sources(atoms: Iterable[Atom]) -> Formula:
    """Return that each distinct row is an output of one of its terms."""
    found = []
    for atom in atoms:
        if isinstance(atom, DistinctAtom):
            terms = [opened(each) for each in atom.body]
            found.append(
                or_(FALSE, *(and_(t.condition, all_same(t.outputs, atom.columns), sources(t.atoms))
                             for t in terms))
            )  # fmt: skip
    return and_(*found)
