"""The result of `depends`: whether an item would exist without another item."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import listed
from ..sections import Section, noted, styled, subject
from .derivation_list import source_line
from .found import FoundResult
from .sample_notes import sample_notes

if TYPE_CHECKING:
    from provhouse.query.consequences.depends import Dependency

_SAID = {
    "yes": "would still exist without {on}.",
    "no": "would not exist without {on}.",
    "undecided": "may or may not exist without {on}: the triples do not say enough to know.",
}


@dataclass(frozen=True)
class DependencyResult(FoundResult):
    """A sentence on the dependency, and a smallest set of sources on which the item depends."""

    found: "Dependency"
    columns: tuple[str, ...] = ("item", "on", "exists", "smallest")

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the answer, a smallest set on which the item depends, and the data read."""
        found = self.found
        yield subject(found.item, f" {_SAID[found.exists].format(on=shown(found.on))}")
        if not found.derived and found.item != found.on:
            yield styled("It is not derived from it.")
        yield from noted(sample_notes(found))
        if found.smallest is not None:
            yield styled(f"It certainly dies without all of {listed(found.smallest, 3)}.")
        elif not found.searched:
            yield styled("A smallest set that it depends on would take too long to find.", "dim")
        else:
            yield styled("No set of up to three sources makes it certainly die.", "dim")
        yield source_line(found)
