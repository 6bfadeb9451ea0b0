"""Rules that replace operations on bags by conditions if no row occurs twice."""

from dataclasses import replace
from itertools import pairwise

from .atoms import OpaqueAtom, Term, all_same, flat
from .formula import not_
from .key_rules import KeyRules
from .known_facts import Context
from .mapping import in_place_of
from .terms import exists, opened, window

EXCEPT_ALL, INTERSECT_ALL = "except all", "intersect all"


class BagRules:
    """The rules, which use the keys of tables."""

    def __init__(self, keys: KeyRules) -> None:
        self._keys = keys

    def limited(self, term: Term, known: Context) -> list[Term] | None:
        """Replace LIMIT in an order without ties by a condition on the keys of the order."""
        for atom in term.atoms:
            if not isinstance(atom, OpaqueAtom) or not atom.keys or len(atom.inputs[0]) != 1:
                continue
            body = opened(atom.inputs[0][0])
            keys = body.outputs[-atom.keys :]
            if not self._keys.determined(body, keys):
                continue
            copy = opened(atom.inputs[0][0])
            whole = replace(copy, outputs=copy.outputs[-atom.keys :])
            first = window(atom.name, "bool", flat(keys), [whole])
            return [in_place_of(term, atom, body).where(first)]
        return None

    def counted_rows(self, term: Term, known: Context) -> list[Term] | None:
        """Replace EXCEPT ALL and INTERSECT ALL of distinct rows by conditions."""
        for atom in term.atoms:
            if not isinstance(atom, OpaqueAtom) or atom.name not in (EXCEPT_ALL, INTERSECT_ALL):
                continue
            sides = list(atom.inputs) if atom.name == EXCEPT_ALL else [*atom.inputs, *atom.inputs]
            for left, right in pairwise(sides):
                if len(left) != 1:
                    continue
                row = opened(left[0])
                if self._keys.determined(row, row.outputs):
                    alike = [e.where(all_same(e.outputs, row.outputs)) for e in map(opened, right)]
                    found = exists(replace(each, outputs=()) for each in alike)
                    wanted = not_(found) if atom.name == EXCEPT_ALL else found
                    return [in_place_of(term, atom, row).where(wanted)]
        return None
