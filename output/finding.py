"""Items that were found by their names, as a person reads them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from .escape import shown
from .table import counted, grid, lasted, table_name

if TYPE_CHECKING:
    from provhouse.query.find import Finding


def sections(finding: "Finding") -> Iterator[Text | Table]:
    """What to print, top to bottom."""
    if finding.items.num_rows:
        table = grid("item", "table")
        for row in finding.items.to_pylist():
            table.add_row(Text(shown(row["item"])), table_name(row["table"]))
        yield table
    if finding.truncated:
        left = finding.matches - finding.items.num_rows
        yield Text(f"… {left:,} more; a larger --limit, or a longer text, shows them", "dim")
    yield Text(f"\n{_how_many(finding)}", "dim")


def _how_many(finding: "Finding") -> str:
    where = "at any place" if finding.anywhere else "at the beginning"
    return (
        f"{counted(finding.matches, 'name')} with this text {where}, found in "
        f"{lasted(finding.seconds)}. As of generation {finding.generation}, {finding.time}."
    )
