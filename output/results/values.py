"""The values of ops or attributes, and the number of triples of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, styled
from ..shown_result import Csv, Json, ShownResult

SHOWN = 100
"""The largest number of values printed for people."""


@dataclass(frozen=True)
class ValuesResult(ShownResult):
    """Sorted values, and the number of triples of each. They can be read only once."""

    of: str
    counts: Iterator[tuple[str, int]]
    listed = True

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table with the first values, then the total number of values."""
        table = grid(self.of, right=("triples",))
        for value, triples in islice(self.counts, SHOWN):
            table.add_row(styled(shown(value)), f"{triples:,}")
        rest = sum(1 for _ in self.counts)
        yield table
        number = counted(table.row_count + rest, "value")
        more = f", of which the first {SHOWN} are shown; use --out FILE.csv for all" if rest else ""
        yield styled(f"{number}{more}", "dim")

    def json(self) -> Iterator[Json]:
        """Yield an object for each value; see ``schemas/values.json``."""
        return ({"value": value, "triples": triples} for value, triples in self.counts)

    def csv(self) -> Csv:
        """Return a row for each value."""
        return ("value", "triples"), self.counts
