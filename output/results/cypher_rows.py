"""The result of a Cypher query: rows of plain values."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, styled
from ..shown_result import Csv, Json, ShownResult

if TYPE_CHECKING:
    from rich.text import Text


@dataclass(frozen=True)
class RowsResult(ShownResult):
    """Rows whose values are strings, numbers, booleans, None, or lists and maps of such values."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]
    listed = True

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table with a line for each row, and the number of rows."""
        table = grid(*self.columns)
        for row in self.rows:
            table.add_row(*map(_cell, row))
        yield table
        yield styled(counted(table.row_count, "row"), "dim")

    def json(self) -> Iterator[Json]:
        """Yield an object for each row."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def csv(self) -> Csv:
        """Return the columns and rows."""
        return self.columns, self.rows


def _cell(value: object) -> "Text":
    if value is None:
        return styled("-", "dim")
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, default=str)
    return styled(shown(value))
