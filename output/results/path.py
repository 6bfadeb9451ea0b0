"""The result of a path: how one item derives from another."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from provhouse.model.columns import TRIPLE

from ..arrow_rows import tuples
from ..escape import shown
from ..phrases import counted
from ..result import Csv, Json, Result, attributes
from ..sections import Section, grid, headed, noted, styled, subject
from .derivations import (
    erased_sentence,
    operation,
    read_and_seconds,
    row_lists,
    source_line,
    table_name,
)
from .exactness import exactness_fields, exactness_notes
from .samples import sample_fields, sample_notes

if TYPE_CHECKING:
    from rich.table import Table

    from provhouse.query.path import Paths

ROWS = 1_000
"""The largest number of steps printed."""


@dataclass(frozen=True)
class PathResult(Result):
    """The steps of one shortest path, or of all paths."""

    path: "Paths"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, the steps, and what was read."""
        path = self.path
        yield subject(path.target, _headline(path))
        if path.erased:
            yield styled(erased_sentence(path.erased), "yellow")
        yield from noted((*exactness_notes(path), *sample_notes(path)))
        yield from headed("Step by step", _steps(path))
        if path.triples.num_rows > ROWS:
            more = counted(path.triples.num_rows - ROWS, "more step")
            yield styled(f"… {more}; for all use --format json or csv with --out FILE", "dim")
        yield source_line(path)

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/path.json`` describes it."""
        path = self.path
        head = {"from": path.source, "to": path.target, "all": path.every}
        names = ("hops", "erased", "generation", "time", "complete")
        yield {
            **head,
            **attributes(path, *names),
            **exactness_fields(path),
            **sample_fields(path),
            **row_lists(path),
            **read_and_seconds(path),
        }

    def csv(self) -> Csv:
        """Return a row for each triple."""
        return TRIPLE, tuples(self.path.triples.select(TRIPLE))


def _headline(path: "Paths") -> str:
    way = f" derives from {shown(path.source)}, {counted(path.hops, 'hop')} away"
    if path.every:
        items = counted(path.items.num_rows, "item")
        way += f"; all paths together have {items} and {counted(path.triples.num_rows, 'triple')}"
    return f"{way}."


def _steps(path: "Paths") -> "Table":
    tables = dict(zip(*(path.items[name].to_pylist() for name in ("item", "table")), strict=True))
    table = grid("from", "table", "operation", "to", "table")
    for row in path.triples.slice(0, ROWS).to_pylist():
        src, dst = row["src"], row["dst"]
        ends = (styled(shown(src)), table_name(tables[src]))
        table.add_row(*ends, operation(row), styled(shown(dst)), table_name(tables[dst]))
    return table
