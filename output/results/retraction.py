"""What a retraction ended."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..layout import Section, facts, styled
from ..phrases import counted, steps
from ..result import Csv, Json, Result, attributes, one_row, rounded

if TYPE_CHECKING:
    from provhouse.changes.retract import Retraction

_COUNTS = ("generation", "ended", "kept", "triples")


@dataclass(frozen=True)
class RetractionResult(Result):
    """What ended, and what did not since others brought it too."""

    retraction: "Retraction"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """What ended with which generation, what stays, and how long it took."""
        yield styled(_headline(self.retraction), "bold")
        yield facts(_facts(self.retraction))

    def json(self) -> Iterator[Json]:
        """One object; see ``schemas/retract.json``."""
        seconds = rounded(self.retraction.seconds)
        yield {**attributes(self.retraction, *_COUNTS), "seconds": seconds}

    def csv(self) -> Csv:
        """One row of counts, and the seconds in all."""
        seconds = self.retraction.seconds.get("total")
        return one_row({**attributes(self.retraction, *_COUNTS), "seconds": seconds})


def _headline(retraction: "Retraction") -> str:
    if not retraction.committed:
        return "Nothing is left of it to retract; what is held is as it was before."
    return f"Generation {retraction.generation}: {counted(retraction.ended, 'triple')} ended."


def _facts(retraction: "Retraction") -> Iterator[tuple[str, str]]:
    if retraction.kept:
        yield "kept", f"{counted(retraction.kept, 'triple')} that another file or run brought too"
    yield "triples", f"{retraction.triples:,} held"
    yield "time", steps(retraction.seconds)
