"""The result of tidying: the triples, tables and generations that were changed or deleted."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..phrases import counted
from ..sections import Section, facts, styled
from ..shown_result import Csv, Json, ShownResult, one_row
from .prune import PruneResult

if TYPE_CHECKING:
    from provhouse.care.tidy import Tidied


@dataclass(frozen=True)
class TidyResult(ShownResult):
    """The ended triples, the pruned generations, and the kept generations."""

    tidied: "Tidied"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a line for each step, and the kept generations."""
        tidied = self.tidied
        if tidied.ended:
            yield styled(f"{counted(tidied.ended, 'triple')} of old versions ended.", "bold")
        if tidied.rewritten:
            yield styled("The tables are rewritten.", "bold")
        if tidied.pruned:
            yield from PruneResult(tidied.pruned).text()
        else:
            yield facts([("kept", f"generations {tidied.first:,} to {tidied.generation:,}")])

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/tidy.json`` describes it."""
        yield _fields(self.tidied)

    def csv(self) -> Csv:
        """Return one row with all values of the result."""
        return one_row(_fields(self.tidied))


def _fields(tidied: "Tidied") -> dict[str, object]:
    pruned = asdict(tidied.pruned) if tidied.pruned else {}
    return {
        "generation": tidied.generation,
        "first": tidied.first,
        "ended": tidied.ended,
        "rewritten": tidied.rewritten,
        "pruned": pruned.get("pruned", 0),
        "bases": pruned.get("bases", ()),
        "in_use": pruned.get("in_use", ()),
        "bytes_freed": pruned.get("bytes_freed", 0),
        "seconds": round(tidied.seconds, 6),
    }
