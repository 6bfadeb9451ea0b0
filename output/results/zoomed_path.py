"""A path at the level of modules, tables, sets or records: nodes and edges."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted
from ..sections import Section, subject
from ..shown_result import Csv, Json, attributes
from .derivation_list import read_and_seconds
from .graphs import PicturedResult, of_view
from .level_view import edge_rows, view_fields, view_notes, view_sections
from .sample_notes import sample_fields

if TYPE_CHECKING:
    from provhouse.pictures.picture_graph import DrawnGraph
    from provhouse.query.zoom.zoom_path import ZoomedPath


@dataclass(frozen=True)
class ZoomedPathResult(PicturedResult):
    """The nodes and edges of a path."""

    found: "ZoomedPath"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the nodes, the edges, and the data read."""
        yield subject(self.found.target, _headline(self.found))
        yield from view_sections(self.found)

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/zoom-path.json`` describes it."""
        found = self.found
        yield {
            "from": found.source,
            "to": found.target,
            "all": found.every,
            **attributes(found, "hops", "found", "erased", "generation", "time", "complete"),
            **sample_fields(found),
            **view_fields(found),
            **read_and_seconds(found),
        }

    def csv(self) -> Csv:
        """Return a row for each edge, with the names of its nodes."""
        return edge_rows(self.found, "triples")

    def graph(self) -> "DrawnGraph":
        """Return the nodes and edges. The first nodes are the ends of the path."""
        found = self.found
        ends = {"catalogue": 0}.get(found.zoom, len({found.source, found.target}))
        title = shown(found.target) + _headline(found)
        return of_view(title, view_notes(found), found, range(min(ends, found.nodes.num_rows)))


def _headline(found: "ZoomedPath") -> str:
    nodes = counted(found.nodes.num_rows, "node")
    edges = counted(found.edges.num_rows, "edge")
    if found.hops is None:
        return f" is in a table that may derive from that of {shown(found.source)}: {nodes}."
    hops, what = counted(found.hops, "hop"), "all paths" if found.every else "one path"
    return f" derives from {shown(found.source)}, {hops} away; {what} as {nodes} and {edges}."
