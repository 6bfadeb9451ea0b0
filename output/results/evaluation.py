"""The result of `evaluate`: the value of an item in a semiring."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..phrases import counted
from ..sections import Section, noted, styled, subject
from .derivation_list import source_line
from .found import FoundResult
from .sample_notes import sample_notes

if TYPE_CHECKING:
    from provhouse.query.consequences.evaluation import Evaluation

_FIELDS = ("item", "semiring", "aggregates", "low", "high", "reason", "used", "unused")


@dataclass(frozen=True)
class EvaluationResult(FoundResult):
    """The value of an item, or its bounds, and the number of weights that were used."""

    found: "Evaluation"
    columns: tuple[str, ...] = _FIELDS

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the value, notes on its uncertainty, and the data read."""
        found = self.found
        yield subject(found.item, f": {found.semiring} {_value(found)}.")
        if found.low != found.high:
            yield styled("The triples do not say how all inputs act together.", "yellow")
        yield from noted(sample_notes(found))
        note = f"{counted(found.used, 'weight')} used."
        if found.unused:
            note += f" {counted(found.unused, 'weight')} of items elsewhere not used."
        yield styled(note, "dim")
        yield source_line(found)


def _value(found: "Evaluation") -> str:
    if found.reason:
        return f"is not known: {found.reason}"
    low, high = ("nothing" if each is None else f"{each:,.10g}" for each in (found.low, found.high))
    return low if low == high else f"between {low} and {high}"
