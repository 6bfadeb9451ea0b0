"""The result of a search for items by name."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..arrow_rows import tuples
from ..phrases import counted, duration
from ..sections import Section, styled
from ..shown_result import Csv, Json, ShownResult, attributes
from .derivation_list import as_of_sentence, item_table

if TYPE_CHECKING:
    from provhouse.query.listing.find import Finding

COLUMNS = ("item", "table")


@dataclass(frozen=True)
class FindingResult(ShownResult):
    """The first items with matching names, and the number of all matches."""

    finding: "Finding"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a line for each item, then the number of matches."""
        finding = self.finding
        if finding.items.num_rows:
            yield item_table(finding.items)
        if not finding.matches and not finding.anywhere:
            yield styled("No name begins with this text. Add --anywhere to search within names.")
        if finding.truncated:
            left = finding.matches - finding.items.num_rows
            yield styled(f"… {left:,} more; raise --limit or give a longer text to see them", "dim")
        yield styled(f"\n{_how_many(finding)} {as_of_sentence(finding)}", "dim")

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/find.json`` describes it."""
        names = ("text", "anywhere", "table", "generation", "time", "matches", "truncated")
        yield {
            **attributes(self.finding, *names),
            "items": self.finding.items.to_pylist(),
            "seconds": round(self.finding.seconds, 6),
        }

    def csv(self) -> Csv:
        """Return a row for each item."""
        return COLUMNS, tuples(self.finding.items.select(COLUMNS))


def _how_many(finding: "Finding") -> str:
    names = counted(finding.matches, "name")
    with_text = "containing" if finding.anywhere else "beginning with"
    return f"Found {names} {with_text} this text in {duration(finding.seconds)}."
