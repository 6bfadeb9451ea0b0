"""How one item was derived from another, as a person reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from .escape import shown
from .table import counted, grid, steps, table_name
from .words import erased

if TYPE_CHECKING:
    from provhouse.query.path import Path

ROWS = 1_000
"""The most steps that are listed."""


def sections(path: "Path") -> Iterator[Text | Table]:
    """What to print, top to bottom."""
    yield _headline(path)
    if path.erased:
        yield Text(erased(path.erased), "yellow")
    yield Text("\nStep by step", "bold underline")
    tables = dict(zip(*(path.items[name].to_pylist() for name in ("item", "table")), strict=True))
    table = grid("from", "table", "operation", "to", "table")
    for row in path.triples.slice(0, ROWS).to_pylist():
        src, dst = row["src"], row["dst"]
        ends = (Text(shown(src)), table_name(tables[src]))
        table.add_row(*ends, operation(row), Text(shown(dst)), table_name(tables[dst]))
    yield table
    if path.triples.num_rows > ROWS:
        more = counted(path.triples.num_rows - ROWS, "more step")
        yield Text(f"… {more}: --format json or csv, --out FILE", "dim")
    yield Text(_how(path), "dim")


def operation(triple: dict[str, str]) -> Text:
    """The op of a triple, and its attributes."""
    text = Text(shown(triple["op"] or ""))
    if triple["attributes"] not in (None, "", "{}"):
        text.append(f" {shown(triple['attributes'], 120)}", "dim")
    return text


def _headline(path: "Path") -> Text:
    name = Text(shown(path.target), "bold")
    way = f" derives from {shown(path.source)}, {counted(path.hops, 'hop')} away"
    if path.every:
        items = counted(path.items.num_rows, "item")
        way += f"; all ways together have {items} and {counted(path.triples.num_rows, 'triple')}"
    return name.append(f"{way}.", "not bold")


def _how(path: "Path") -> str:
    read = path.read
    parts = (counted(read.sets, "set"), counted(read.partitions, "partition"))
    return (
        f"\nRead {', '.join(parts)} and {counted(read.triples, 'triple')} in "
        f"{steps(path.seconds)}. As of generation {path.generation}, {path.time}."
    )
