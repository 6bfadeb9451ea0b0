"""The result of ``browser ITEM``: the view written into Neo4j, and the query that shows it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..phrases import counted
from ..sections import Section, noted, styled, subject, unbroken
from ..shown_result import Csv, Json, ShownResult, attributes, one_row
from .derivation_list import as_of_sentence
from .exactness_notes import exactness_fields, exactness_notes
from .sample_notes import sample_fields, sample_notes

if TYPE_CHECKING:
    from provhouse.query.exporting.browser_view import Neo4jView


@dataclass(frozen=True)
class ViewResult(ShownResult):
    """A view of one answer in Neo4j."""

    view: "Neo4jView"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the size of the view, Browser's address, and the query that shows the view."""
        view = self.view
        what = "lineage" if view.direction == "upstream" else "impact"
        size = f"{counted(view.nodes, 'node')} and {counted(view.relationships, 'relationship')}"
        yield subject(view.item, f": its {what} of {counted(view.items, 'item')} is now in Neo4j.")
        yield from noted((*exactness_notes(view), *sample_notes(view)))
        if view.grouped:
            yield styled("It is large: a node stands for all items of one table and op.", "yellow")
        if view.left_out:
            left = counted(view.left_out, "relationship")
            yield styled(f"{left} with few triples were left out.", "yellow")
        yield styled(f"{size}, until {view.expires} or provhouse browser --clear.")
        if view.url:
            yield styled("\nNeo4j Browser, with the query in its editor:")
            yield unbroken(view.url)
        yield styled("\nThe query:")
        yield unbroken(view.query)
        yield styled("\nThe same with the sets that the items are in:")
        yield unbroken(view.sets_query)
        yield styled(f"\n{as_of_sentence(view)}", "dim")

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/view.json`` describes it."""
        yield _fields(self.view)

    def csv(self) -> Csv:
        """Return one row."""
        return one_row(_fields(self.view))


def _fields(view: "Neo4jView") -> dict[str, object]:
    names = ("item", "direction", "generation", "time", "items", "grouped", "nodes",
             "relationships", "left_out", "expires", "query", "sets_query", "url")  # fmt: skip
    return {**attributes(view, *names), **exactness_fields(view), **sample_fields(view)}
