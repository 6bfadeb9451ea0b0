"""The records of a table that a query reads, directly or through tables made from it."""

from collections.abc import Sequence

from provhouse.model.errors import UsageError

from .index.rid_indexes import Rows, together
from .made_tables import MadeTables, State
from .planning.plan import Plan, means
from .result_lineage import Lineage


class TableBehind:
    """One table that a query reads directly, or through tables that were made from it.

    If the query reads the table directly, an earlier, replaced table of the same name is left out.
    """

    def __init__(self, made: MadeTables, plan: Plan, lineage: Lineage, name: str) -> None:
        """Find the table. Raises UsageError unless ``name`` denotes exactly one."""
        self._made, self._lineage = made, lineage
        self._refs: Sequence[int] = plan.meant(name)
        tables = [each.table for each in plan.references]
        behind = [state for state in made.behind(tables) if means(name, state.place)]
        if not behind:
            self._refs = plan.named(name)  # raises UsageError if there is no such table
        read = [made.state(tables[at]) for at in self._refs] if behind else []
        self._states = {state for state in behind if not _replaced(state, read)}
        if len({state.version.key for state in self._states.union(read)}) > 1:
            raise UsageError(
                f"Several tables behind the query are named {name!r}",
                "Statements with lineage have read some of them",
                "Add the schema to the name",
            )
        places = [*(tables[at] for at in self._refs), *(state.place for state in self._states)]
        self.table = places[0]
        self._through = [
            (at, place)
            for at, place in enumerate(tables)
            if self._states and self._states.intersection(made.behind([place]))
        ]

    def backward(self, rows: Rows) -> Rows:
        """Return the rids of the records from which ``rows`` were made."""
        parts = [self._lineage.backward(self._refs, rows)] if self._refs else []
        for at, place in self._through:
            rids = self._lineage.backward([at], rows)
            parts.append(self._made.back(place, rids, self._states))
        return together(parts)

    def forward(self, rids: Rows, rows: Rows) -> Rows:
        """Return the rows made from the records ``rids``. ``rows`` are all rows of the result."""
        parts = [self._lineage.forward(self._refs, rids)] if self._refs else []
        if self._through:
            self.backward(rows)  # raises UsageError if a part of the lineage is unknown
        for at, place in self._through:
            made = self._made.forth(place, rids, self._states)
            parts.append(self._lineage.forward([at], made))
        return together(parts)


def _replaced(state: State, read: Sequence[State]) -> bool:
    """Return whether the table of ``state`` was replaced by one of the tables ``read``."""
    mine = state.version
    return any(each.version.key == mine.key and each.version.number != mine.number for each in read)
