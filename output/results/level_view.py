"""An answer at the level of modules, tables, sets or records: nodes and edges."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..arrow_rows import tuples
from ..escape import shown
from ..phrases import counted, listed
from ..sections import Section, grid, headed, noted, styled, subject
from ..shown_result import Csv, Json, attributes, rounded
from .derivation_list import as_of_sentence, erased_sentence, source_line, table_name, with_rows
from .graphs import PicturedResult, of_view
from .sample_notes import sample_fields, sample_notes

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table
    from rich.text import Text

    from provhouse.pictures.picture_graph import DrawnGraph
    from provhouse.query.zoom.zoom_path import ZoomedPath
    from provhouse.query.zoom.zoom_view import LevelView
    from provhouse.query.zoom.zoomed import Zoomed

_FIELDS = (
    "item", "direction", "generation", "time", "complete", "truncated", "found", "erased",
)  # fmt: skip
EDGES_SHOWN = 40
"""The maximum number of edges printed for people."""


class Edges(Protocol):
    """Nodes and edges, as Arrow tables."""

    @property
    def nodes(self) -> "pa.Table": ...
    @property
    def edges(self) -> "pa.Table": ...


@dataclass(frozen=True)
class ZoomedResult(PicturedResult):
    """The nodes and edges of a view."""

    found: "Zoomed"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the nodes, the edges, and the data read."""
        yield _headline(self.found)
        yield from view_sections(self.found, *_stops(self.found))

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/zoom.json`` describes it."""
        found = self.found
        yield {
            **attributes(found, *_FIELDS),
            **sample_fields(found),
            **view_fields(found),
            "read": asdict(found.read),
            "seconds": rounded(found.seconds),
            **_foldable(found),
        }

    def csv(self) -> Csv:
        """Return a row for each edge, with the names of its nodes."""
        return edge_rows(self.found, "triples")

    def graph(self) -> "DrawnGraph":
        """Return the nodes and edges."""
        found = self.found
        notes = view_notes(found, *_stops(found))
        return of_view(_headline(found).plain, notes, found, (0,))


def _stops(found: "Zoomed") -> tuple[str, ...]:
    return (f"The answer stops at --{found.truncated}.",) if found.truncated else ()


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
    if found.zoom == "catalogue":
        datasets = found.nodes["kind"].to_pylist().count("dataset")
        tables = counted(found.nodes.num_rows - 1 - datasets, "other table")
        more = f" and {counted(datasets, 'dataset')} of the catalogue" if datasets else ""
        return subject(found.item, f" is in a table that {verb} {tables} of the warehouse{more}.")
    items = counted(found.found, "item")
    nodes, edges = counted(found.nodes.num_rows, "node"), counted(found.edges.num_rows, "edge")
    return subject(found.item, f" {verb} {items}; the view has {nodes} and {edges}.")


def view_sections(found: "Zoomed | ZoomedPath", *more: str) -> Iterator[Section]:
    """Yield notes, the nodes, the edges, and the data read."""
    yield from noted(_notes(found, *more))
    yield from headed("Nodes", node_table(found.nodes))
    if found.edges.num_rows:
        yield from headed("Made from", edge_table(found))
    yield source_line(found)


def view_notes(found: "Zoomed | ZoomedPath", *more: str) -> Iterator[str]:
    """Yield notes about a view for a picture."""
    yield f"Level {found.zoom}."
    yield from _notes(found, *more)
    yield as_of_sentence(found)


def _notes(found: "Zoomed | ZoomedPath", *more: str) -> Iterator[str]:
    erased = (erased_sentence(found.erased),) if found.erased else ()
    yield from (*fold_notes(found), *more, *erased, *sample_notes(found))


def fold_notes(found: "LevelView") -> Iterator[str]:
    """Yield notes on the folded modules, and on items that folding could not hide."""
    if found.folded:
        inside = counted(found.inside, "item")
        verb = "is" if found.inside == 1 else "are"
        yield f"Folded: {listed(found.folded, 10)}. {inside} {verb} inside."
    if found.folded and found.several:
        yield f"Not hidden, as several invocations made them: {counted(found.several, 'item')}."
    if found.folded and found.outside:
        yield f"Not hidden, as they were made in no module: {counted(found.outside, 'item')}."


def view_fields(found: "LevelView") -> Json:
    """Return the JSON fields of a view."""
    return {
        **attributes(found, "zoom", "inside", "several", "outside"),
        "folded": list(found.folded),
        **graph_fields(found),
    }


def graph_fields(found: "Edges") -> Json:
    """Return the JSON fields of nodes and edges."""
    return {"nodes": _objects(found.nodes), "edges": _objects(found.edges)}


def edge_rows(found: "Edges", *counts: str) -> Csv:
    """Return a row for each edge, with the names of its nodes."""
    names = node_names(found.nodes)
    rows = (
        (*names[row["from"]], *names[row["to"]], row["op"], *(row[name] for name in counts))
        for row in found.edges.to_pylist()
    )
    return ("from_kind", "from", "to_kind", "to", "op", *counts), rows


def node_names(nodes: "pa.Table") -> dict[int, tuple[str, str]]:
    """Return the kind and the name of each node; the name of an invocation includes its call."""
    call = ("run", "execution", "invocation")
    return {
        row["node"]: (row["kind"], " ".join(filter(None, (row[name] for name in ("name", *call)))))
        for row in nodes.to_pylist()
    }


def node_table(nodes: "pa.Table") -> "Table":
    """Return a line for each node."""
    table = grid("node", right=("items", "invocations"), after=("kind",))
    return node_rows(table, nodes, "items", "invocations")


def node_rows(table: "Table", nodes: "pa.Table", *counts: str) -> "Table":
    """Add a line for each node to a table: its name, some counts, and its kind."""
    names = node_names(nodes)

    def cells(row: dict[str, Any]) -> "Iterator[Text | str]":
        kind, name = names[row["node"]]
        yield table_name(name)
        yield from ("" if row[count] is None else f"{row[count]:,}" for count in counts)
        yield kind

    return with_rows(table, nodes, cells)


def edge_table(found: "LevelView") -> "Table":
    """Return a line for each edge: the derived node, its source, the triples, and the op."""
    return edge_lines(grid("made", "from", right=("triples",), after=("op",)), found, "triples")


def edge_lines(table: "Table", found: "Edges", *counts: str) -> "Table":
    """Add a line for each edge to a table: both nodes, some counts, and the op."""
    names = node_names(found.nodes)

    def cells(row: dict[str, Any]) -> "Iterator[Text | str]":
        yield from (table_name(names[row[end]][1]) for end in ("to", "from"))
        yield from (f"{row[count]:,}" for count in counts)
        yield styled(shown(row["op"] or ""))

    return with_rows(table, found.edges, cells, EDGES_SHOWN)
