"""An answer at the level of modules, tables, sets or records: nodes and edges."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..arrow_rows import tuples
from ..escape import shown
from ..phrases import counted, listed
from ..result import Csv, Json, Result, attributes, rounded
from ..sections import Section, grid, headed, styled, subject
from .derivations import MOST_ROWS, as_of_sentence, erased_sentence, read_sentence, table_name
from .samples import sample_fields, sample_notes

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table
    from rich.text import Text

    from provhouse.query.zoom import Zoomed

_FIELDS = (
    "item", "direction", "generation", "time", "zoom", "folded", "complete", "truncated", "found",
    "inside", "several", "outside", "erased",
)  # fmt: skip
EDGES_SHOWN = 40
"""The largest number of edges printed for people."""


@dataclass(frozen=True)
class ZoomedResult(Result):
    """The nodes and edges of a view."""

    found: "Zoomed"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the nodes, and from which node each was made."""
        found = self.found
        yield _headline(found)
        for note in _notes(found):
            yield styled(note, "yellow")
        yield from headed("Nodes", _nodes(found.nodes))
        if found.edges.num_rows:
            yield from headed("Made from", _edges(found))
        yield styled(f"\n{read_sentence(found)} {as_of_sentence(found)}", "dim")

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/zoom.json`` describes it."""
        found = self.found
        rows = {"nodes": _objects(found.nodes), "edges": _objects(found.edges)}
        yield {
            **attributes(found, *_FIELDS),
            "folded": list(found.folded),
            **sample_fields(found),
            **rows,
            "read": asdict(found.read),
            "seconds": rounded(found.seconds),
            **_foldable(found),
        }

    def csv(self) -> Csv:
        """Return a row for each edge, with the names of its nodes."""
        names = _names(self.found.nodes)
        rows = (
            (*names[row["from"]], *names[row["to"]], row["op"], row["triples"])
            for row in self.found.edges.to_pylist()
        )
        return ("from_kind", "from", "to_kind", "to", "op", "triples"), rows


def _objects(table: "pa.Table") -> list[dict[str, object]]:
    return [dict(zip(table.column_names, row, strict=True)) for row in tuples(table)]


def _foldable(found: "Zoomed") -> dict[str, object]:
    if not (more := found.foldable):
        return {}
    tables = {"nodes": more.nodes, "items": more.items, "triples": more.triples}
    rows = {name: _objects(table) for name, table in tables.items()}
    return {"foldable": {"modules": list(more.modules), **rows}}


def _headline(found: "Zoomed") -> "Text":
    verb = "derives from" if found.direction == "upstream" else "affects"
    nodes = found.nodes.num_rows - 1
    if found.zoom == "catalogue":
        tables = counted(nodes, "other table")
        return subject(found.item, f" is in a table that {verb} {tables} of the warehouse.")
    items = counted(found.found, "item")
    return subject(found.item, f" {verb} {items}, shown as {counted(nodes, 'node')}.")


def _notes(found: "Zoomed") -> Iterator[str]:
    if found.folded:
        inside = counted(found.inside, "item")
        verb = "is" if found.inside == 1 else "are"
        yield f"Folded: {listed(found.folded, 10)}. {inside} {verb} inside."
    if found.folded and found.several:
        yield f"Not hidden, as several invocations made them: {counted(found.several, 'item')}."
    if found.folded and found.outside:
        yield f"Not hidden, as they were made in no module: {counted(found.outside, 'item')}."
    if found.truncated:
        yield f"The answer stops at --{found.truncated}."
    if found.erased:
        yield erased_sentence(found.erased)
    yield from sample_notes(found)


def _names(nodes: "pa.Table") -> dict[int, tuple[str, str]]:
    """Return the kind and the name of each node; an invocation is named by its call, too."""
    call = ("run", "execution", "invocation")
    return {
        row["node"]: (row["kind"], " ".join(filter(None, (row[name] for name in ("name", *call)))))
        for row in nodes.to_pylist()
    }


def _nodes(nodes: "pa.Table") -> "Table":
    table = grid("node", right=("items", "invocations"), after=("kind",))
    names = _names(nodes)
    for row in nodes.slice(0, MOST_ROWS).to_pylist():
        kind, name = names[row["node"]]
        calls = f"{row['invocations']:,}" if row["invocations"] else ""
        table.add_row(table_name(name), f"{row['items']:,}", calls, kind)
    if nodes.num_rows > MOST_ROWS:
        table.add_row(styled(f"… {nodes.num_rows - MOST_ROWS:,} more", "dim"))
    return table


def _edges(found: "Zoomed") -> "Table":
    """Return a line for each edge: the node that was made, from which one, and how."""
    names = _names(found.nodes)
    table = grid("made", "from", right=("triples",), after=("op",))
    for row in found.edges.slice(0, EDGES_SHOWN).to_pylist():
        made, source = (table_name(names[row[end]][1]) for end in ("to", "from"))
        table.add_row(made, source, f"{row['triples']:,}", styled(shown(row["op"] or "")))
    if found.edges.num_rows > EDGES_SHOWN:
        table.add_row(styled(f"… {found.edges.num_rows - EDGES_SHOWN:,} more", "dim"))
    return table
