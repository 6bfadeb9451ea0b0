"""What came and went between two generations, as a person reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from .answer import ROWS, headed, step_by_step
from .escape import shown
from .table import counted, grid, steps, table_name
from .words import erased

if TYPE_CHECKING:
    import pyarrow as pa

    from provhouse.query.diff import Change, Diff


def sections(diff: "Diff") -> Iterator[Text | Table]:
    """What to print, top to bottom."""
    name = Text(shown(diff.item), "bold")
    yield name.append(
        f": {diff.direction}, {_counted(diff.came)} came and {_counted(diff.went)} went, from"
        f" generation {diff.since.generation} to {diff.until.generation}.",
        "not bold",
    )
    for generation, what in ((diff.since, "came"), (diff.until, "went")):
        if not generation.answer:
            note = f"Generation {generation.generation} does not hold it: all of it {what}."
            yield Text(note, "yellow")
        elif generation.answer.erased:
            yield Text(f"Generation {generation.generation}: {erased(generation.answer.erased)}")
    yield from _changed("Came", diff.came)
    yield from _changed("Went", diff.went)
    yield Text(
        f"\nFrom {diff.since.time} to {diff.until.time}, found in {steps(diff.seconds)}.", "dim"
    )


def _counted(change: "Change") -> str:
    if not change.triples.num_rows:
        return "nothing"
    items, triples = change.items.num_rows, change.triples.num_rows
    return f"{counted(items, 'item')} and {counted(triples, 'triple')}"


def _changed(title: str, change: "Change") -> Iterator[Text | Table]:
    if change.items.num_rows:
        yield from headed(title, _items(change.items))
    if change.triples.num_rows:
        yield from headed(f"{title}, step by step", step_by_step(change.triples.slice(0, ROWS)))
        left = change.triples.num_rows - ROWS
        if left > 0:
            yield Text(f"… {left:,} more; all of them: --format csv", "dim")


def _items(items: "pa.Table") -> Table:
    table = grid(right=("hops",))
    table.add_column("item", overflow="fold")
    table.add_column("table", overflow="fold")
    for row in items.slice(0, ROWS).to_pylist():
        table.add_row(f"{row['depth']:,}", Text(shown(row["item"])), table_name(row["table"]))
    if items.num_rows > ROWS:
        table.add_row("", Text(f"… {items.num_rows - ROWS:,} more", "dim"))
    return table
