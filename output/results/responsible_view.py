"""The inputs that are responsible for the difference of two results: counts, then records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..sections import Section, grid, noted, styled
from .derivation_list import MOST_ROWS
from .found import FoundResult

if TYPE_CHECKING:
    from provhouse.workflows.responsible import ResponsibleInputs, ResponsibleRecord


@dataclass(frozen=True)
class ResponsibleInputsResult(FoundResult):
    """The numbers of inputs by table, and the first records with their inputs."""

    found: "ResponsibleInputs"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the counts of the records, the counts of their inputs, and the first records."""
        found = self.found
        yield styled(f"{found.before} to {found.after}, {found.sink}", "bold")
        yield styled(f"came {found.came:,}, went {found.went:,}, changed {found.changed:,}.")
        yield from noted(map(shown, found.notes))
        sides = ("only before", "only after", "both")
        numbers = grid("inputs of", "records", "cause", right=sides)
        for each in found.tables:
            counts = (each.only_before, each.only_after, each.both)
            named = (shown(each.table), each.kind, each.cause)
            numbers.add_row(*map(styled, named), *(f"{number:,}" for number in counts))
        if found.tables:
            yield numbers
        records = grid("", "cause", after=("before", "after", "inputs"))
        for one in found.records[:MOST_ROWS]:
            items = (shown(one.before or ""), shown(one.after or ""), shown(_inputs(one)))
            records.add_row(styled(one.kind), styled(one.cause), *map(styled, items))
        if found.records:
            yield records


def _inputs(record: "ResponsibleRecord") -> str:
    """Return the inputs of a record; those of only one night are marked."""
    return ", ".join(
        each.item if each.of == "both" else f"{each.item} ({each.of})" for each in record.inputs
    )
