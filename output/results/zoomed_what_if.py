"""The consequences of a deletion at the level of modules, tables, sets or records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..arrow_rows import json_rows
from ..result import Csv, Json, Result, attributes
from ..sections import Section, grid, headed, styled
from .derivations import MOST_ROWS, as_of_sentence, read_and_seconds, read_sentence, table_name
from .exactness import exactness_fields
from .samples import sample_fields
from .what_if import COUNT_FIELDS, COUNTS, headline, notes
from .zoomed import edge_table, fold_notes, node_names, view_fields

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from provhouse.query.zoom_what_if import ZoomedWhatIf


@dataclass(frozen=True)
class ZoomedWhatIfResult(Result):
    """The fates of the items of each node, and the edges between nodes."""

    found: "ZoomedWhatIf"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the nodes with their fates, and from which each was made."""
        found = self.found
        yield styled(headline(found.summary), "bold")
        for note in (*notes(found.summary), *fold_notes(found)):
            yield styled(note, "yellow")
        if found.nodes.num_rows:
            yield from headed("Nodes", _nodes(found.nodes))
        if found.edges.num_rows:
            yield from headed("Made from", edge_table(found))
        summary = found.summary
        yield styled(f"\n{read_sentence(summary)} {as_of_sentence(summary)}", "dim")

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


def _nodes(nodes: "pa.Table") -> "Table":
    counts = ("deleted", "die", "change", "undecided", "survive")
    table = grid("node", right=counts, after=("kind",))
    names = node_names(nodes)
    for row in nodes.slice(0, MOST_ROWS).to_pylist():
        kind, name = names[row["node"]]
        numbers = (f"{row[fate]:,}" for fate in ("deleted", *COUNTS))
        table.add_row(table_name(name), *numbers, kind)
    if nodes.num_rows > MOST_ROWS:
        table.add_row(styled(f"… {nodes.num_rows - MOST_ROWS:,} more", "dim"))
    return table
