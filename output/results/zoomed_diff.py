"""The differences of an answer between two generations, as nodes and edges."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import steps
from ..result import Csv, Json, Result, rounded
from ..sections import Section, grid, headed, styled, subject
from .derivations import MOST_ROWS, table_name
from .diff import side_fields, side_notes
from .zoomed import EDGES_SHOWN, edge_rows, graph_fields, node_names

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from provhouse.query.zoom_diff import ZoomedDiff


@dataclass(frozen=True)
class ZoomedDiffResult(Result):
    """The nodes and edges that differ."""

    found: "ZoomedDiff"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the nodes and the edges that differ."""
        found = self.found
        differ = "differs" if found.edges.num_rows or found.nodes.num_rows > 1 else "is the same"
        yield subject(
            found.item,
            f", {found.direction}, generation {found.since.generation} to "
            f"{found.until.generation}: the view {differ}.",
        )
        yield from side_notes(found.since, found.until)
        if found.nodes.num_rows > 1:
            yield from headed("Nodes", _nodes(found.nodes))
        if found.edges.num_rows:
            yield from headed("Made from", _edges(found))
        times = f"{found.since.time} and {found.until.time}"
        yield styled(f"\nCommitted {times}; compared in {steps(found.seconds)}.", "dim")

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


def _nodes(nodes: "pa.Table") -> "Table":
    table = grid("node", right=("items added", "removed"), after=("kind",))
    names = node_names(nodes)
    for row in nodes.slice(0, MOST_ROWS).to_pylist():
        kind, name = names[row["node"]]
        table.add_row(table_name(name), f"{row['came']:,}", f"{row['went']:,}", kind)
    if nodes.num_rows > MOST_ROWS:
        table.add_row(styled(f"… {nodes.num_rows - MOST_ROWS:,} more", "dim"))
    return table


def _edges(found: "ZoomedDiff") -> "Table":
    names = node_names(found.nodes)
    table = grid("made", "from", right=("triples added", "removed"), after=("op",))
    for row in found.edges.slice(0, EDGES_SHOWN).to_pylist():
        made, source = (table_name(names[row[end]][1]) for end in ("to", "from"))
        op = styled(shown(row["op"] or ""))
        table.add_row(made, source, f"{row['came']:,}", f"{row['went']:,}", op)
    if found.edges.num_rows > EDGES_SHOWN:
        table.add_row(styled(f"… {found.edges.num_rows - EDGES_SHOWN:,} more", "dim"))
    return table
