"""What was erased: numbers, and never a name."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..layout import Section, facts, styled
from ..phrases import counted, steps
from ..result import Csv, Json, Result, one_row, rounded

if TYPE_CHECKING:
    from provhouse.changes.forget import Forgotten


@dataclass(frozen=True)
class ForgetResult(Result):
    """How many names were erased, and what went with them."""

    forgotten: "Forgotten"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """How many names went, what they were names of, and what else went."""
        names = counted(self.forgotten.names, "name")
        yield styled(f"{names} erased from all that is held.", "bold")
        yield facts(_facts(self.forgotten))

    def json(self) -> Iterator[Json]:
        """One object; see ``schemas/forget.json``."""
        yield {**asdict(self.forgotten), "seconds": rounded(self.forgotten.seconds)}

    def csv(self) -> Csv:
        """One row of counts, and the seconds in all."""
        total = self.forgotten.seconds.get("total")
        return one_row({**asdict(self.forgotten), "seconds": total})


def _facts(forgotten: "Forgotten") -> Iterator[tuple[str, str]]:
    yield "items", f"{forgotten.items:,} without a name now"
    yield "triples", f"{forgotten.triples:,} of them, which tell nothing any more"
    if forgotten.rejected:
        yield "rejected", f"{counted(forgotten.rejected, 'row')} emptied"
    if forgotten.neo4j:
        yield "Neo4j", "made anew"
    yield "time", steps(forgotten.seconds)
