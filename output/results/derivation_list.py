"""Parts of text and JSON that the results of lineage, path, diff and explain share."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from ..arrow_rows import json_items, json_triples
from ..escape import shown
from ..phrases import counted, steps
from ..sections import grid, styled
from ..shown_result import Json, rounded

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table
    from rich.text import Text

    from provhouse.model.answer import Read

STEPS = ("locate", "walk", "fetch", "recurse", "name", "total")
"""The steps whose time, in seconds, every answer reports."""
MOST_ROWS = 20
"""The maximum number of rows printed in one section."""


class Dated(Protocol):
    """A result that states the generation from which it comes."""

    @property
    def generation(self) -> int: ...
    @property
    def time(self) -> str: ...


class ItemsAndTriples(Protocol):
    """Items and triples of an answer, a path or a diff."""

    @property
    def items(self) -> "pa.Table": ...
    @property
    def triples(self) -> "pa.Table": ...


class DerivationList(Dated, Protocol):
    """A result from one generation, with the amount of data read to find it."""

    @property
    def read(self) -> "Read": ...
    @property
    def seconds(self) -> dict[str, float]: ...


def has_sets(of: ItemsAndTriples) -> bool:
    """Return whether the question requested the set of each item."""
    return "set" in of.items.column_names


def row_lists(of: ItemsAndTriples) -> Json:
    """Return the JSON lists of items and triples. Rows are read only while a list is written."""
    return {"items": json_items(of.items), "triples": json_triples(of.triples)}


def read_and_seconds(of: DerivationList) -> Json:
    """Return the JSON fields ``read``, the amounts read, and ``seconds``, the time of each step."""
    seconds = {step: of.seconds.get(step, 0.0) for step in STEPS}
    return {"read": asdict(of.read), "seconds": rounded(seconds)}


def read_sentence(of: DerivationList) -> str:
    """Return a sentence about the data read and the time taken."""
    parts = (counted(of.read.sets, "set"), counted(of.read.partitions, "partition"))
    triples = counted(of.read.triples, "triple")
    return f"Read {', '.join(parts)} and {triples} in {steps(of.seconds)}."


def source_line(of: DerivationList) -> "Text":
    """Return the last line of an answer: the data read, and its generation."""
    return styled(f"\n{read_sentence(of)} {as_of_sentence(of)}", "dim")


def as_of_sentence(of: Dated) -> str:
    """Return a sentence about the generation of a result."""
    return f"As of generation {of.generation}, committed {of.time}."


def erased_sentence(items: int) -> str:
    """Return a sentence about the erased items that an answer or a path leads through."""
    verb = "is" if items == 1 else "are"
    return f"{counted(items, 'erased item')} along the way {verb} not shown."


def table_name(name: str | None) -> "Text":
    """Return the name of an item's table, or ``(no table)``."""
    return styled(shown(name)) if name else styled("(no table)", "dim")


def with_rows(
    table: "Table",
    rows: "pa.Table",
    cells: "Callable[[dict[str, Any]], Iterable[Text | str]]",
    most: int = MOST_ROWS,
    what: str = "",
) -> "Table":
    """Add a line for each of the first ``most`` rows to a table, then the number of other rows.

    ``cells`` returns the cells of a row. ``what`` is a plural noun for the counted rows.
    """
    for row in rows.slice(0, most).to_pylist():
        table.add_row(*cells(row))
    if rows.num_rows > most:
        table.add_row(styled(f"… {rows.num_rows - most:,} more {what}".rstrip(), "dim"))
    return table


def item_table(items: "pa.Table") -> "Table":
    """Return a line for each item, with its table."""
    table = grid("item", "table")
    for row in items.to_pylist():
        table.add_row(styled(shown(row["item"])), table_name(row["table"]))
    return table


def operation(triple: dict[str, str]) -> "Text":
    """Return the op of a triple, followed by its attributes."""
    text = styled(shown(triple["op"] or ""))
    if triple["attributes"] not in (None, "", "{}"):
        text.append(f" {shown(triple['attributes'], 120)}", "dim")
    return text


def step_by_step(triples: "pa.Table") -> "Table":
    """Return a table with a line for each triple: from, operation, to."""
    table = grid("from", "operation", "to")
    for row in triples.to_pylist():
        table.add_row(styled(shown(row["src"])), operation(row), styled(shown(row["dst"])))
    return table
