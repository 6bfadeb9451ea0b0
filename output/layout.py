"""What text for people is made of.

Rich is imported when it is first needed: that takes 0.1 s, which the other forms do not need.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from .escape import shown

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

Section: TypeAlias = "Text | Table"
"""A paragraph or a table."""


def styled(text: str, style: str = "") -> "Text":
    """Text in a style of Rich."""
    from rich.text import Text

    return Text(text, style)


def subject(name: str, rest: str) -> "Text":
    """A sentence that begins with a name, which is bold."""
    return styled(shown(name), "bold").append(rest, "not bold")


def grid(*left: str, right: Sequence[str] = (), after: Sequence[str] = ()) -> "Table":
    """An empty table without a frame, so that it can be copied from.

    The columns ``left`` come first, then those aligned ``right``, then those ``after`` them.
    """
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for name in left:
        table.add_column(styled(shown(name)), overflow="fold")
    for name in right:
        table.add_column(styled(name), justify="right", no_wrap=True)
    for name in after:
        table.add_column(styled(name), overflow="fold")
    return table


def facts(pairs: Iterable[tuple[str, str]]) -> "Table":
    """A line for each name and its value."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, value in pairs:
        table.add_row(name, styled(value))
    return table


def headed(title: str, table: "Table") -> Iterator[Section]:
    """A table under its title."""
    yield styled(f"\n{title}", "bold underline")
    yield table
