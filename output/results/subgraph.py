"""All that is around an item: ancestors, descendants, and siblings of descendants."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from provhouse.model.columns import TRIPLE

from ..arrow_rows import json_rows, json_triples, tuples
from ..escape import shown
from ..phrases import counted
from ..result import Csv, Json, Result, attributes
from ..sections import Section, grid, headed, noted, styled, subject
from .derivations import erased_sentence, read_and_seconds, source_line, table_name, with_rows
from .samples import sample_fields, sample_notes

if TYPE_CHECKING:
    from rich.table import Table

    from provhouse.query.subgraph import Subgraph


@dataclass(frozen=True)
class SubgraphResult(Result):
    """The items around an item, and the triples between them."""

    found: "Subgraph"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the items, and what was read."""
        found = self.found
        yield subject(
            found.item,
            f" has {counted(found.ancestors, 'ancestor')} and "
            f"{counted(found.descendants, 'descendant')}, which were also made from "
            f"{counted(found.siblings, 'other item')}.",
        )
        if found.erased:
            yield styled(erased_sentence(found.erased), "yellow")
        yield from noted(sample_notes(found))
        if found.items.num_rows:
            yield from headed("Items", _items(found))
        yield source_line(found)

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/subgraph.json`` describes it."""
        found = self.found
        names = ("item", "ancestors", "descendants", "siblings", "erased", "generation", "time")
        yield {
            **attributes(found, *names, "complete"),
            **sample_fields(found),
            "items": json_rows(found.items),
            "triples": json_triples(found.triples),
            **read_and_seconds(found),
        }

    def csv(self) -> Csv:
        """Return a row for each triple."""
        return TRIPLE, tuples(self.found.triples.select(TRIPLE))


def _items(found: "Subgraph") -> "Table":
    return with_rows(
        grid("item", "table", "part"),
        found.items,
        lambda row: (styled(shown(row["item"])), table_name(row["table"]), row["part"]),
    )
