"""The records of a table that a query reads, itself or through tables that statements made."""

from collections.abc import Sequence

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace

from .index.links import Rows, together
from .made_tables import MadeTables
from .planning.plan import Plan, means
from .result_lineage import Lineage


class Origins:
    """One table behind the rows of a query. A name means the same table wherever it is read."""

    def __init__(self, made: MadeTables, plan: Plan, lineage: Lineage, name: str) -> None:
        """Find the table. Raises UsageError unless the name means exactly one."""
        self._made, self._plan, self._lineage = made, plan, lineage
        self._refs: Sequence[int] = plan.meant(name)
        tables = [each.table for each in plan.references]
        behind = [place for place in made.behind(tables) if means(name, place)]
        if len({*behind, *(tables[at] for at in self._refs)}) > 1:
            raise UsageError(
                f"The query reads several tables named {name!r}",
                "Some of them are behind tables that statements with lineage made",
                "Add the schema to the name",
            )
        if not behind:
            self._refs = plan.named(name)
        self.table: TablePlace = behind[0] if behind else tables[self._refs[0]]
        self._through = {
            at: place
            for at, place in enumerate(tables)
            if behind and self.table in made.behind([place])
        }

    def backward(self, rows: Rows) -> Rows:
        """Return the rids of the records from which some rows were made."""
        parts = [self._lineage.backward(self._refs, rows)] if self._refs else []
        for at, place in self._through.items():
            rids = self._lineage.backward([at], rows)
            parts.append(self._made.back(place, rids, self.table))
        return together(parts)

    def forward(self, rids: Rows, rows: Rows) -> Rows:
        """Return the rows to which some records belong; ``rows`` are all rows."""
        parts = [self._lineage.forward(self._refs, rids)] if self._refs else []
        if self._through:
            self.backward(rows)  # raises UsageError if a part of the lineage is unknown
        for at, place in self._through.items():
            made = self._made.forth(place, rids, self.table)
            parts.append(self._lineage.forward([at], made))
        return together(parts)
