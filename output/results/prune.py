"""The result of a prune: the deleted generations and the freed space."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..phrases import counted, quantity
from ..sections import Section, facts, styled
from ..shown_result import Csv, Json, ShownResult, one_row

if TYPE_CHECKING:
    from provhouse.care.prune import Pruned


@dataclass(frozen=True)
class PruneResult(ShownResult):
    """The number of pruned generations, the freed space, and the kept generations."""

    pruned: "Pruned"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline and a list of details."""
        yield styled(_headline(self.pruned), "bold")
        yield facts(_facts(self.pruned))

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/prune.json`` describes it."""
        yield {**asdict(self.pruned), "seconds": round(self.pruned.seconds, 6)}

    def csv(self) -> Csv:
        """Return one row with all values of the result."""
        return one_row(asdict(self.pruned))


def _headline(pruned: "Pruned") -> str:
    count = counted(pruned.pruned, "generation") if pruned.pruned else "no generations"
    return f"Pruned {count} and freed {quantity(pruned.bytes_freed, 'bytes')}."


def _facts(pruned: "Pruned") -> Iterator[tuple[str, str]]:
    yield "kept", f"generations {pruned.first:,} to {pruned.generation:,}"
    if pruned.in_use:
        bases = ", ".join(f"base {base}" for base in pruned.in_use)
        yield "later", f"{bases}: still in use, deleted by a later prune or ingest"
