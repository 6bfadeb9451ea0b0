"""The result of a retraction: the numbers of triples that it ended and kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..phrases import counted, steps
from ..sections import Section, facts, styled
from ..shown_result import Csv, Json, ShownResult, attributes, one_row, rounded

if TYPE_CHECKING:
    from provhouse.care.retract import Retraction

_COUNTS = ("generation", "ended", "kept", "triples")


@dataclass(frozen=True)
class RetractionResult(ShownResult):
    """The number of triples that a retraction ended, and the number that it kept.

    A triple is kept if another file or run also has it.
    """

    retraction: "Retraction"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline and a list of details."""
        yield styled(_headline(self.retraction), "bold")
        yield facts(_facts(self.retraction))

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/retract.json`` describes it."""
        seconds = rounded(self.retraction.seconds)
        yield {**attributes(self.retraction, *_COUNTS), "seconds": seconds}

    def csv(self) -> Csv:
        """Return one row: the counts and the total seconds."""
        seconds = self.retraction.seconds.get("total")
        return one_row({**attributes(self.retraction, *_COUNTS), "seconds": seconds})


def _headline(retraction: "Retraction") -> str:
    if not retraction.committed:
        return "Nothing left to retract; the warehouse is unchanged."
    return f"Generation {retraction.generation}: {counted(retraction.ended, 'triple')} ended."


def _facts(retraction: "Retraction") -> Iterator[tuple[str, str]]:
    if retraction.kept:
        yield "kept", f"{counted(retraction.kept, 'triple')} that another file or run also brought"
    yield "triples", f"{retraction.triples:,} stored"
    yield "time", steps(retraction.seconds)
