"""The order of the rules that remove or replace the atoms of a term.

Each rule preserves the rows of a term. In a set, where duplicates do not count, it preserves only
the distinct outputs.
"""

from collections.abc import Callable

from .atoms import Term
from .bag_rules import BagRules
from .group_rules import GroupRules
from .key_rules import KeyRules
from .known_facts import Context
from .schema import Schema
from .set_rules import SetRules
from .solver import Solver

Rule = Callable[[Term, Context], list[Term] | None]


class AtomRules:
    """All rules, with the solver and the tables of one proof."""

    def __init__(self, solver: Solver, schema: Schema) -> None:
        self.keys = KeyRules(solver, schema)
        sets = SetRules(solver)
        groups, bags = GroupRules(solver, schema, self.keys), BagRules(self.keys)
        shared: list[Rule] = [self.keys.keys_merged, self.keys.foreign]
        self._for_sets = [*shared, sets.unfolded, sets.joined, sets.folded]
        self._for_bags = [
            *shared,
            groups.counted_once,
            groups.derived,
            groups.pushed,
            groups.beside,
            bags.limited,
            bags.counted_rows,
            self.keys.semijoined,
            groups.referring,
        ]

    def step(self, term: Term, as_set: bool, known: Context) -> list[Term] | None:
        """Return the result of the first rule that applies to a term, or None."""
        for rule in self._for_sets if as_set else self._for_bags:
            found = rule(term, known)
            if found is not None:
                return found
        return None
