"""The result of `why-changed`: the value in two generations, and each input's share."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, headed, noted, styled, subject
from .derivation_list import with_rows
from .diff import compared_line
from .found import FoundResult
from .sample_notes import sample_notes

if TYPE_CHECKING:
    from rich.table import Table

    from provhouse.query.consequences.why_changed import WhyChanged


@dataclass(frozen=True)
class WhyChangedResult(FoundResult):
    """The difference of an item's value between two generations, and the inputs that cause it."""

    found: "WhyChanged"
    rows: str = "inputs"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, the values, and the inputs with the largest shares."""
        found = self.found
        yield subject(
            found.item,
            f", generation {found.since.generation} to {found.until.generation}:"
            f" {counted(found.came, 'input')} came, {found.went:,} went,"
            f" {found.changed:,} changed.",
        )
        for side in (found.since, found.until):
            if not side.stored:
                yield styled(f"The item is not in generation {side.generation}.", "yellow")
            yield from noted(f"Generation {side.generation}: {n}" for n in sample_notes(side))
        if found.values.num_rows:
            yield from headed("Values", _values(found))
        if found.inputs.num_rows:
            yield from headed("Inputs, by share of the difference", _inputs(found))
        if found.cut:
            yield styled("… cut; for more use --limit N", "dim")
        yield compared_line(found)


def _values(found: "WhyChanged") -> "Table":
    table = grid("op", "function", right=("before", "after", "difference"), after=("note",))
    for row in found.values.to_pylist():
        numbers = (_number(row[name]) for name in ("before", "after", "difference"))
        note = f"not known: {row['reason']}" if row["reason"] else ""
        table.add_row(styled(shown(row["op"])), row["function"] or "", *numbers, styled(note))
    return table


def _inputs(found: "WhyChanged") -> "Table":
    numbers = ("before", "after", "share")
    return with_rows(
        grid("input", "op", "change", right=numbers),
        found.inputs,
        lambda row: (
            *(styled(shown(row[name])) for name in ("input", "op")), row["change"],
            *(_number(row[name]) for name in numbers),
        ),
    )  # fmt: skip


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.10g}"
