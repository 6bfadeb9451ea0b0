"""The parts of printed text: styled text, tables and lists of facts.

The library Rich is imported on first use, because the import takes 0.1 s, and JSON and CSV do not
need Rich.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from .escape import shown

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

Section: TypeAlias = "Text | Table"
"""A section of printed text: a paragraph or a table."""


def styled(text: str, style: str = "") -> "Text":
    """Return text with a Rich style."""
    from rich.text import Text

    return Text(text, style)


def unbroken(text: str) -> "Text":
    """Return text for users to copy, such as an address. It is printed without line breaks."""
    from rich.text import Text

    return Text(text, no_wrap=True)


def is_unbroken(section: Section) -> bool:
    """Return whether a section must be printed without line breaks."""
    return bool(getattr(section, "no_wrap", False))


def subject(name: str, rest: str) -> "Text":
    """Return a sentence that begins with a name in bold."""
    return styled(shown(name), "bold").append(rest, "not bold")


def grid(*left: str, right: Sequence[str] = (), after: Sequence[str] = ()) -> "Table":
    """Return a table that has columns but no rows yet.

    It has no frame, so that its cells can be copied from a terminal. The columns ``left`` come
    first, then the right-aligned columns ``right``, then the columns ``after``.
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


def noted(texts: Iterable[str]) -> "Iterator[Text]":
    """Yield sentences that a person should not overlook, each as a paragraph."""
    for text in texts:
        yield styled(text, "yellow")


def facts(pairs: Iterable[tuple[str, str]]) -> "Table":
    """Return a table with a line for each name and its value."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, value in pairs:
        table.add_row(name, styled(value))
    return table


def headed(title: str, table: "Table") -> Iterator[Section]:
    """Yield a title and the table below it."""
    yield styled(f"\n{title}", "bold underline")
    yield table
