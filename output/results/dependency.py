"""The result of `depends`: whether an item would exist without another one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import listed
from ..result import Csv, Json, Result, attributes, one_row
from ..sections import Section, noted, styled, subject
from .derivations import read_and_seconds, source_line
from .samples import sample_fields, sample_notes

if TYPE_CHECKING:
    from provhouse.query.depends import Dependency

_SAID = {
    "yes": "would still exist without {on}.",
    "no": "would not exist without {on}.",
    "undecided": "may or may not exist without {on}: the triples do not say enough to know.",
}


@dataclass(frozen=True)
class DependencyResult(Result):
    """A sentence on the dependency, and a smallest set of sources that the item depends on."""

    found: "Dependency"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the answer, what the item certainly depends on, and what was read."""
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

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/depends.json`` describes it."""
        found = self.found
        names = ("item", "on", "exists", "derived", "smallest", "searched")
        yield {
            **attributes(found, *names, "generation", "time", "complete"),
            **sample_fields(found),
            **read_and_seconds(found),
        }

    def csv(self) -> Csv:
        """Return one row."""
        found = self.found
        smallest = None if found.smallest is None else list(found.smallest)
        return one_row({**attributes(found, "item", "on", "exists"), "smallest": smallest})
