"""Items that were found by their names."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..arrow_rows import tuples
from ..escape import shown
from ..layout import Section, grid, styled
from ..phrases import counted, duration
from ..result import Csv, Json, Result, attributes
from .derivations import as_of_sentence, table_name

if TYPE_CHECKING:
    from provhouse.query.find import Finding

COLUMNS = ("item", "table")


@dataclass(frozen=True)
class FindingResult(Result):
    """The first items whose names match, and how many there are."""

    finding: "Finding"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """A line for each item, and how many there are."""
        finding = self.finding
        if finding.items.num_rows:
            table = grid(*COLUMNS)
            for row in finding.items.to_pylist():
                table.add_row(styled(shown(row["item"])), table_name(row["table"]))
            yield table
        if finding.truncated:
            left = finding.matches - finding.items.num_rows
            yield styled(f"… {left:,} more; a larger --limit, or a longer text, shows them", "dim")
        yield styled(f"\n{_how_many(finding)} {as_of_sentence(finding)}", "dim")

    def json(self) -> Iterator[Json]:
        """One object; see ``schemas/find.json``."""
        names = ("text", "anywhere", "table", "generation", "time", "matches", "truncated")
        yield {
            **attributes(self.finding, *names),
            "items": self.finding.items.to_pylist(),
            "seconds": round(self.finding.seconds, 6),
        }

    def csv(self) -> Csv:
        """The columns item and table."""
        return COLUMNS, tuples(self.finding.items.select(COLUMNS))


def _how_many(finding: "Finding") -> str:
    where = "at any place" if finding.anywhere else "at the beginning"
    names = counted(finding.matches, "name")
    return f"{names} with this text {where}, found in {duration(finding.seconds)}."
