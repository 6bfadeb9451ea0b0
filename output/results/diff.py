"""The result of a diff: the rows that an answer gained and lost between two generations."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from provhouse.model.columns import TRIPLE

from ..arrow_rows import tuples
from ..escape import shown
from ..phrases import counted, steps
from ..sections import Section, grid, headed, noted, styled, subject
from ..shown_result import Csv
from .derivation_list import MOST_ROWS, erased_sentence, step_by_step, table_name
from .exactness_notes import exactness_notes
from .found import FoundResult
from .graphs import GraphPart, PicturedResult, of_triples
from .sample_notes import sample_notes

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table
    from rich.text import Text

    from provhouse.pictures.picture_graph import DrawnGraph
    from provhouse.query.lineage.diff import Change, Diff, Side


class Comparison(Protocol):
    """A comparison of two generations."""

    @property
    def since(self) -> "Side": ...
    @property
    def until(self) -> "Side": ...
    @property
    def seconds(self) -> "Mapping[str, float]": ...


@dataclass(frozen=True)
class DiffResult(FoundResult, PicturedResult):
    """An answer in two generations, and the differences between them."""

    found: "Diff"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the added rows, then the removed rows."""
        diff = self.found
        yield subject(diff.item, _headline(diff))
        yield from side_notes(diff.since, diff.until)
        yield from _changed("Added", diff.came)
        yield from _changed("Removed", diff.went)
        yield compared_line(diff)

    def csv(self) -> Csv:
        """Return a row for each added or removed triple.

        Every added or removed item is an end of at least one of these triples.
        """
        return ("change", *TRIPLE), (
            (what, *row)
            for what, change in (("came", self.found.came), ("went", self.found.went))
            for row in tuples(change.triples.select(TRIPLE))
        )

    def graph(self) -> "DrawnGraph":
        """Return the items and triples that were added or removed."""
        diff = self.found
        parts = [
            GraphPart(change.items, change.triples, name)
            for name, change in (("came", diff.came), ("went", diff.went))
        ]
        return of_triples(
            shown(diff.item) + _headline(diff), side_texts(diff), parts, {diff.item: ""}
        )


def _headline(diff: "Diff") -> str:
    return (
        f", {diff.direction}, generation {diff.since.generation} to {diff.until.generation}:"
        f" {_counted(diff.came)} added, {_counted(diff.went)} removed."
    )


def _counted(change: "Change") -> str:
    if not change.triples.num_rows:
        return "nothing"
    items, triples = change.items.num_rows, change.triples.num_rows
    return f"{counted(items, 'item')} and {counted(triples, 'triple')}"


def side_notes(since: "Side", until: "Side") -> "Iterator[Text]":
    """Yield notes for people about the two compared generations."""
    for side, what in ((since, "added"), (until, "removed")):
        if not side.stored:
            note = f"The item is not in generation {side.generation}, so everything was {what}."
            yield styled(note, "yellow")
        elif side.erased:
            yield styled(f"Generation {side.generation}: {erased_sentence(side.erased)}")
        found = (*exactness_notes(side), *sample_notes(side))
        yield from noted(f"Generation {side.generation}: {note}" for note in found)


def side_texts(of: Comparison) -> "Iterator[str]":
    """Yield notes about the two compared generations, and their commit times, for a picture."""
    yield from (section.plain for section in side_notes(of.since, of.until))
    yield f"Committed {of.since.time} and {of.until.time}."


def compared_line(of: Comparison) -> "Text":
    """Return the last line of a comparison: the commit times of both generations."""
    times = f"{of.since.time} and {of.until.time}"
    return styled(f"\nCommitted {times}; compared in {steps(of.seconds)}.", "dim")


def _changed(title: str, change: "Change") -> Iterator[Section]:
    if change.items.num_rows:
        yield from headed(title, _items(change.items))
    if change.triples.num_rows:
        yield from headed(
            f"{title}, step by step", step_by_step(change.triples.slice(0, MOST_ROWS))
        )
        left = change.triples.num_rows - MOST_ROWS
        if left > 0:
            yield styled(f"… {left:,} more; for all use --format csv", "dim")


def _items(items: "pa.Table") -> "Table":
    table = grid(right=("hops",), after=("item", "table"))
    for row in items.slice(0, MOST_ROWS).to_pylist():
        table.add_row(f"{row['depth']:,}", styled(shown(row["item"])), table_name(row["table"]))
    if items.num_rows > MOST_ROWS:
        table.add_row("", styled(f"… {items.num_rows - MOST_ROWS:,} more", "dim"))
    return table
