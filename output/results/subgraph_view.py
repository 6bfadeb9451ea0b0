"""The items around an item: ancestors, descendants, and siblings of descendants."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from provhouse.model.columns import TRIPLE

from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, headed, noted, styled, subject
from .derivation_list import as_of_sentence, erased_sentence, source_line, table_name, with_rows
from .found import FoundResult
from .graphs import GraphPart, PicturedResult, of_triples
from .sample_notes import sample_notes

if TYPE_CHECKING:
    from rich.table import Table

    from provhouse.pictures.picture_graph import DrawnGraph
    from provhouse.query.lineage.subgraph import Subgraph


@dataclass(frozen=True)
class SubgraphResult(FoundResult, PicturedResult):
    """The items around an item, and the triples between them."""

    found: "Subgraph"
    rows: str = "triples"
    columns: tuple[str, ...] = TRIPLE

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the items, and the data read."""
        found = self.found
        yield subject(found.item, _headline(found))
        yield from noted(_notes(found))
        if found.items.num_rows:
            yield from headed("Items", _items(found))
        yield source_line(found)

    def graph(self) -> "DrawnGraph":
        """Return the items and triples."""
        found = self.found
        notes = (*_notes(found), as_of_sentence(found))
        title = shown(found.item) + _headline(found)
        parts = [GraphPart(found.items, found.triples)]
        return of_triples(title, notes, parts, {found.item: ""})


def _notes(found: "Subgraph") -> Iterator[str]:
    if found.erased:
        yield erased_sentence(found.erased)
    yield from sample_notes(found)


def _headline(found: "Subgraph") -> str:
    return (
        f" has {counted(found.ancestors, 'ancestor')} and "
        f"{counted(found.descendants, 'descendant')}, which were also made from "
        f"{counted(found.siblings, 'other item')}."
    )


def _items(found: "Subgraph") -> "Table":
    return with_rows(
        grid("item", "table", "part"),
        found.items,
        lambda row: (styled(shown(row["item"])), table_name(row["table"]), row["part"]),
    )
