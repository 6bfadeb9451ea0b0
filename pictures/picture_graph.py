"""The graph of a result before it is drawn, and the boxes and lines that a picture has."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

ADDED, REMOVED = "came", "went"
FATES = ("deleted", "dies", "changed", "undecided", "survives")
"""The counts of a node in a what-if picture: its deleted items, and its items by fate."""
OTHERS = "others"
"""The kind of the box that represents all nodes without a box of their own."""


@dataclass(frozen=True)
class DrawnGraph:
    """The nodes and edges of a result, of any size.

    ``nodes`` has the columns kind, name, table, items and ``counts``. ``kind`` is ``item``,
    ``invocation``, ``module``, ``table`` or ``set``. ``table`` is the table of an item or the
    module of an invocation, else null. ``edges`` has the columns from and to, which are row
    positions in ``nodes``, op, and then one column of counts for each name in ``weights``.
    """

    title: str
    """A sentence about the result."""
    notes: tuple[str, ...]
    nodes: pa.Table
    edges: pa.Table
    asked: tuple[int, ...] = ()
    """The positions of the nodes that the question names."""
    details: Mapping[int, str] | None = None
    """A line of text for some nodes, by position, such as values before and after a deletion."""

    @property
    def counts(self) -> tuple[str, ...]:
        """The columns of ``nodes`` that count items by their fate or by their change."""
        return tuple(self.nodes.column_names[4:])

    @property
    def weights(self) -> tuple[str, ...]:
        """The columns of ``edges`` that count triples."""
        return tuple(self.edges.column_names[3:])


@dataclass(frozen=True)
class Box:
    """A node of a picture. ``members`` is the number of nodes of the graph that it represents."""

    kind: str
    name: str
    table: str | None
    items: int
    members: int = 1
    asked: bool = False
    counts: Mapping[str, int] | None = None
    detail: str = ""


@dataclass(frozen=True)
class Line:
    """The triples from one box to another that have the same op."""

    source: int
    target: int
    op: str
    counts: Mapping[str, int]

    @property
    def triples(self) -> int:
        """The number of triples."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class Boxes:
    """A picture before its layout: few enough boxes and lines to be legible."""

    title: str
    notes: tuple[str, ...]
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
