"""The differences of an answer between two generations, as nodes and edges."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..sections import Section, grid, headed, subject
from ..shown_result import Csv, Json, rounded
from .diff import compared_line, side_notes, side_texts
from .found import side_fields
from .graphs import PicturedResult, of_view
from .level_view import edge_lines, edge_rows, graph_fields, node_rows

if TYPE_CHECKING:
    from provhouse.pictures.picture_graph import DrawnGraph
    from provhouse.query.zoom.zoom_diff import ZoomedDiff


@dataclass(frozen=True)
class ZoomedDiffResult(PicturedResult):
    """The nodes and edges that differ."""

    found: "ZoomedDiff"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the nodes and the edges that differ."""
        found = self.found
        yield subject(found.item, _headline(found))
        yield from side_notes(found.since, found.until)
        if found.nodes.num_rows > 1:
            nodes = grid("node", right=("items added", "removed"), after=("kind",))
            yield from headed("Nodes", node_rows(nodes, found.nodes, "came", "went"))
        if found.edges.num_rows:
            edges = grid("made", "from", right=("triples added", "removed"), after=("op",))
            yield from headed("Made from", edge_lines(edges, found, "came", "went"))
        yield compared_line(found)

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/zoom-diff.json`` describes it."""
        found = self.found
        yield {
            "item": found.item,
            "direction": found.direction,
            "from": side_fields(found.since),
            "to": side_fields(found.until),
            "zoom": found.zoom,
            "folded": list(found.folded),
            **graph_fields(found),
            "seconds": rounded(found.seconds),
        }

    def csv(self) -> Csv:
        """Return a row for each edge that differs, with the names of its nodes."""
        return edge_rows(self.found, "came", "went")

    def graph(self) -> "DrawnGraph":
        """Return the nodes and edges that differ."""
        found = self.found
        return of_view(shown(found.item) + _headline(found), side_texts(found), found, (0,))


def _headline(found: "ZoomedDiff") -> str:
    differ = "differs" if found.edges.num_rows or found.nodes.num_rows > 1 else "is the same"
    return (
        f", {found.direction}, generation {found.since.generation} to "
        f"{found.until.generation}: the view {differ}."
    )
