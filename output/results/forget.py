"""The result of an erasure: numbers only, never a name."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..phrases import counted, steps
from ..sections import Section, facts, styled
from ..shown_result import Csv, Json, ShownResult, one_row, rounded

if TYPE_CHECKING:
    from provhouse.care.forget import Forgotten


@dataclass(frozen=True)
class ForgetResult(ShownResult):
    """The numbers of erased names, and of the items, triples and rejected rows with them."""

    forgotten: "Forgotten"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline and a list of details."""
        names = counted(self.forgotten.names, "name")
        yield styled(f"{names} erased from the warehouse.", "bold")
        yield facts(_facts(self.forgotten))

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/forget.json`` describes it."""
        yield {**asdict(self.forgotten), "seconds": rounded(self.forgotten.seconds)}

    def csv(self) -> Csv:
        """Return one row: the counts and the total seconds."""
        total = self.forgotten.seconds.get("total")
        return one_row({**asdict(self.forgotten), "seconds": total})


def _facts(forgotten: "Forgotten") -> Iterator[tuple[str, str]]:
    yield "items", f"{forgotten.items:,} now without a name"
    yield "triples", f"{forgotten.triples:,} of these items, no longer shown"
    if forgotten.rejected:
        yield "rejected", f"{counted(forgotten.rejected, 'row')} cleared"
    if forgotten.neo4j:
        yield "Neo4j", "rebuilt"
    yield "time", steps(forgotten.seconds)
