"""The map from each column of a captured write to the source columns that it is computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Column = tuple[str, str]
"""A table, and the name of a column."""
Influence = tuple[str, str, str]
"""A table, a column, and the use of the column: filter, join, group, window or order."""


@dataclass(frozen=True)
class ColumnMap:
    """The sources of one write's columns, as derived from the plan of the write's job."""

    values: Mapping[str, Sequence[Column]] = field(default_factory=dict)
    """For each column, the columns from whose values it is computed."""
    influence: Mapping[str, Sequence[Influence]] = field(default_factory=dict)
    """For each column, the columns that influence it without being part of its value."""
    rows: Sequence[Influence] = ()
    """The columns that influence all columns because they decide which rows are written."""
    tables: Sequence[str] = ()
    """The tables that were read, including tables of which no column was used."""

    def influences(self, column: str) -> Sequence[Influence]:
        """Return the columns that influence a column's value, or the choice of the write's rows."""
        return (*self.influence.get(column, ()), *self.rows)


NO_COLUMNS = ColumnMap()
"""The map of a write whose columns are not known."""


def column_map(found: Mapping[str, Any]) -> ColumnMap:
    """Return the map that a stored JSON object describes."""
    return ColumnMap(
        {name: [(t, c) for t, c in each] for name, each in found.get("values", {}).items()},
        {name: [(t, c, r) for t, c, r in each]
         for name, each in found.get("influence", {}).items()},
        tuple((t, c, r) for t, c, r in found.get("rows", ())),
        tuple(found.get("tables", ())),
    )  # fmt: skip
