"""The consequences of a deletion at the level of modules, tables, sets or records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..arrow_rows import json_rows
from ..sections import Section, grid, headed, noted, styled
from ..shown_result import Csv, Json, attributes
from .derivation_list import as_of_sentence, read_and_seconds, source_line
from .exactness_notes import exactness_fields
from .graphs import PicturedResult, of_view
from .level_view import edge_table, fold_notes, node_names, node_rows, view_fields
from .sample_notes import sample_fields
from .what_if import COUNT_FIELDS, COUNTS, headline, notes, number

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from provhouse.pictures.picture_graph import DrawnGraph
    from provhouse.query.zoom.zoom_what_if import ZoomedWhatIf


@dataclass(frozen=True)
class ZoomedWhatIfResult(PicturedResult):
    """The fates of the items of each node, and the edges between nodes."""

    found: "ZoomedWhatIf"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the nodes with their fates, the edges, and the data read."""
        found = self.found
        yield styled(headline(found.summary), "bold")
        yield from noted((*notes(found.summary), *fold_notes(found)))
        if found.nodes.num_rows:
            yield from headed("Nodes", _nodes(found.nodes))
        if found.edges.num_rows:
            yield from headed("Made from", edge_table(found))
        yield source_line(found.summary)

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/zoom-what-if.json`` describes it."""
        summary = self.found.summary
        yield {
            "delete": summary.deletion.named,
            **attributes(summary, *COUNT_FIELDS),
            **exactness_fields(summary),
            **sample_fields(summary),
            "may_create": json_rows(summary.may_create),
            **view_fields(self.found),
            **read_and_seconds(summary),
        }

    def csv(self) -> Csv:
        """Return a row for each node."""
        names = node_names(self.found.nodes)
        counts = ("deleted", *COUNTS)
        rows = (
            (*names[row["node"]], *(row[name] for name in counts))
            for row in self.found.nodes.to_pylist()
        )
        return ("kind", "name", *counts), rows

    def graph(self) -> "DrawnGraph":
        """Return the nodes with their fates, and the edges.

        Nodes that contain deleted items are marked as asked. An item whose value changes has its
        value before and after.
        """
        found, summary = self.found, self.found.summary
        counts = found.nodes["deleted"].to_pylist()
        deleted = [at for at, count in enumerate(counts) if count]
        values = {
            row["item"]: f"{number(row['before'])} → {number(row['after'])}"
            for row in summary.changed.to_pylist()
        }
        sentences = (*notes(summary), *fold_notes(found), as_of_sentence(summary))
        return of_view(headline(summary), sentences, found, deleted, values)


def _nodes(nodes: "pa.Table") -> "Table":
    counts = ("deleted", "die", "change", "undecided", "survive")
    return node_rows(grid("node", right=counts, after=("kind",)), nodes, "deleted", *COUNTS)
