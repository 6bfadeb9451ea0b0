"""Show results in notebooks and in print: the same sections that a terminal shows."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from provhouse.output.table import plain

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from provhouse.output.sections import Section

_LEFT = "text-align: left; padding-right: 2em"
_RIGHT = "text-align: right; padding-right: 2em"


class Displayed(ABC):
    """An object for which a notebook and ``print`` show the same output as a terminal."""

    @abstractmethod
    def _sections(self) -> "Iterable[Section]":
        """Return the sections that are shown."""

    def __str__(self) -> str:
        return plain(self._sections())

    def _repr_html_(self) -> str:
        return html(self._sections())


def html(sections: "Iterable[Section]") -> str:
    """Return sections as HTML: a paragraph for each string, and tables."""
    return "\n".join(map(_section, sections))


def _section(section: "Section") -> str:
    from rich.table import Table

    if isinstance(section, Table):
        return f"<table>{''.join(_lines(section))}</table>"
    tag = "b" if "bold" in str(section.style) else "span"
    return f"<p><{tag}>{_text(section)}</{tag}></p>"


def _lines(table: "Table") -> Iterator[str]:
    styles = [_RIGHT if column.justify == "right" else _LEFT for column in table.columns]
    if table.show_header:
        heads = (
            _cell("th", style, c.header) for style, c in zip(styles, table.columns, strict=True)
        )
        yield f"<tr>{''.join(heads)}</tr>"
    for row in zip(*(column.cells for column in table.columns), strict=True):
        cells = (_cell("td", style, cell) for style, cell in zip(styles, row, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"


def _cell(tag: str, style: str, content: "RenderableType") -> str:
    return f'<{tag} style="{style}">{_text(content)}</{tag}>'


def _text(content: "RenderableType") -> str:
    return escape(str(content).strip()).replace("\n", "<br>")
