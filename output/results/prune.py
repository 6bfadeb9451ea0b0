"""What a prune deleted and what it left."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..layout import Section, facts, styled
from ..phrases import counted, quantity
from ..result import Csv, Json, Result, one_row

if TYPE_CHECKING:
    from provhouse.changes.prune import Pruned


@dataclass(frozen=True)
class PruneResult(Result):
    """How many generations went, and what came free."""

    pruned: "Pruned"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """How many went, what is kept, and what will go later."""
        yield styled(_headline(self.pruned), "bold")
        yield facts(_facts(self.pruned))

    def json(self) -> Iterator[Json]:
        """One object; see ``schemas/prune.json``."""
        yield {**asdict(self.pruned), "seconds": round(self.pruned.seconds, 6)}

    def csv(self) -> Csv:
        """One row."""
        return one_row(asdict(self.pruned))


def _headline(pruned: "Pruned") -> str:
    went = counted(pruned.pruned, "generation") if pruned.pruned else "No generation"
    return f"{went} went, {quantity(pruned.bytes_freed, 'bytes')} came free."


def _facts(pruned: "Pruned") -> Iterator[tuple[str, str]]:
    yield "kept", f"generations {pruned.first:,} to {pruned.generation:,}"
    if pruned.in_use:
        bases = ", ".join(f"base {base}" for base in pruned.in_use)
        yield "later", f"{bases}: still read; the next prune or ingest takes it"
