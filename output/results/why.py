"""The result of `why`: the derivations of an item."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import listed
from ..sections import Section, grid, headed, noted, styled, subject
from .derivation_list import source_line
from .found import FoundResult
from .sample_notes import sample_notes

if TYPE_CHECKING:
    from rich.table import Table

    from provhouse.query.consequences.why import Why

INPUTS = 5
"""The largest number of inputs printed for a derivation."""


@dataclass(frozen=True)
class WhyResult(FoundResult):
    """The derivations of an item and of its inputs. The nearest ones come first."""

    found: "Why"
    rows: str = "derivations"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the expression, a table of derivations, and the data read."""
        found = self.found
        if not found.derivations.num_rows:
            source = " is a source: it is derived from nothing."
            yield subject(found.item, " has no known derivation." if found.samples else source)
        else:
            yield subject(found.item, f" = {shown(found.expression, 2_000)}")
            yield from headed("Derivations", _derivations(found))
        yield from noted(sample_notes(found))
        if found.cut:
            yield styled("… cut; for more use --limit N", "dim")
        yield source_line(found)


def _derivations(found: "Why") -> "Table":
    table = grid("item", "op", "kind", "inputs")
    for row in found.derivations.to_pylist():
        more = f" and {row['more']:,} more" if row["more"] else ""
        kind = f"{row['kind']} ({row['function']})" if row["function"] else row["kind"]
        inputs = listed(row["inputs"], INPUTS) + more
        table.add_row(styled(shown(row["item"])), styled(shown(row["op"])), kind, styled(inputs))
    return table
