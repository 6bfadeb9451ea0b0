"""The result of a path: how one item derives from another."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from provhouse.model.columns import TRIPLE

from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, headed, noted, styled, subject
from .derivation_list import as_of_sentence, erased_sentence, operation, source_line, table_name
from .exactness_notes import exactness_notes
from .found import FoundResult
from .graphs import GraphPart, PicturedResult, of_triples
from .sample_notes import sample_notes

if TYPE_CHECKING:
    from rich.table import Table

    from provhouse.pictures.picture_graph import DrawnGraph
    from provhouse.query.lineage.path import Paths

ROWS = 1_000
"""The largest number of steps printed."""


_STEP = ("from", "table", "operation", "to", "table")
_ENDS = ("src", "dst")


@dataclass(frozen=True)
class PathResult(FoundResult, PicturedResult):
    """The steps of one shortest path, or of all paths."""

    found: "Paths"
    rows: str = "triples"
    columns: tuple[str, ...] = TRIPLE

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, the steps, and the data read."""
        path = self.found
        yield subject(path.target, _headline(path))
        yield from noted(_notes(path))
        yield from headed("Step by step", _steps(path))
        if path.triples.num_rows > ROWS:
            more = counted(path.triples.num_rows - ROWS, "more step")
            yield styled(f"… {more}; for all use --format json or csv with --out FILE", "dim")
        yield source_line(path)

    def graph(self) -> "DrawnGraph":
        """Return the items and triples on the paths."""
        path = self.found
        notes = (*_notes(path), as_of_sentence(path))
        asked = dict.fromkeys((path.source, path.target), "")
        title = shown(path.target) + _headline(path)
        return of_triples(title, notes, [GraphPart(path.items, path.triples)], asked)


def _notes(path: "Paths") -> Iterator[str]:
    if path.erased:
        yield erased_sentence(path.erased)
    yield from (*exactness_notes(path), *sample_notes(path))


def _headline(path: "Paths") -> str:
    way = f" derives from {shown(path.source)}, {counted(path.hops, 'hop')} away"
    if path.every:
        items = counted(path.items.num_rows, "item")
        way += f"; all paths together have {items} and {counted(path.triples.num_rows, 'triple')}"
    return f"{way}."


def _steps(path: "Paths") -> "Table":
    tables = dict(zip(*(path.items[name].to_pylist() for name in ("item", "table")), strict=True))
    # A name that begins with its table needs no column for it, which leaves room for long names.
    named = all(name.startswith(f"{table}/") for name, table in tables.items())
    table = grid(*(("from", "operation", "to") if named else _STEP))
    for row in path.triples.slice(0, ROWS).to_pylist():
        src, dst = ([styled(shown(row[end])), table_name(tables[row[end]])] for end in _ENDS)
        table.add_row(*src[: 2 - named], operation(row), *dst[: 2 - named])
    return table
