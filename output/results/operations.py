"""The described ops, with their descriptions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from provhouse.model.columns import OP

from ..arrow_rows import tuples
from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, styled
from ..shown_result import Csv, Json, ShownResult
from .derivation_list import as_of_sentence

if TYPE_CHECKING:
    from provhouse.query.listing.operations import Operations

SHOWN = 100
"""The largest number of ops printed for people."""
_LONG = ("sql", "job", "place")
"""The columns that only JSON and CSV contain: their values are too long for a terminal."""
LONGEST = 60
"""The maximum number of characters of a value that are printed for people."""


@dataclass(frozen=True)
class OperationsResult(ShownResult):
    """A row for each described op, in order."""

    found: "Operations"
    listed = True

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table with the first ops, without long columns and columns without values."""
        rows = self.found.operations
        number = counted(rows.num_rows, "op")
        more = f", of which the first {SHOWN} are shown" if rows.num_rows > SHOWN else ""
        if rows.num_rows:
            filled = [name for name in rows.column_names if rows[name].null_count < len(rows)]
            names = [name for name in filled if name not in _LONG]
            table = grid(OP, after=[name for name in names if name != OP])
            for row in tuples(rows.select(names).slice(0, SHOWN)):
                table.add_row(*(styled(_shortened(value)) for value in row))
            yield table
            if left := [name for name in filled if name in _LONG]:
                yield styled(f"Not shown: {', '.join(left)}; for all use --format json", "dim")
        yield styled(f"{number} described{more}. {as_of_sentence(self.found)}", "dim")

    def json(self) -> Iterator[Json]:
        """Yield an object for each op; see ``schemas/ops.json``."""
        names = self.found.operations.column_names
        return (dict(zip(names, row, strict=True)) for row in tuples(self.found.operations))

    def csv(self) -> Csv:
        """Return a row for each op."""
        return self.found.operations.column_names, tuples(self.found.operations)


def _shortened(value: object) -> str:
    return "" if value is None else shown(" ".join(str(value).split()), LONGEST)
