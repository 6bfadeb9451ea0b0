"""Answers at the level of modules, tables, sets or records: nodes and edges."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack

from provhouse.model.deletion import Deletion
from provhouse.model.question import AsOf, Direction
from provhouse.model.zoom import Level
from provhouse.output.questions.asking import Asking, Found
from provhouse.output.questions.levels import (
    AskingZoom,
    AskingZoomDiff,
    AskingZoomPath,
    AskingZoomWhatIf,
)
from provhouse.query.zoom import zoom_diff as found_diff
from provhouse.query.zoom import zoom_path as found_path
from provhouse.query.zoom import zoom_what_if as found_what_if
from provhouse.query.zoom import zoomed as found_zoom

from .consequences import WhatIf
from .filters import Filters, question_of
from .results import Drawn, public
from .rows import Edge, Node, Rows


class NodeChange(NamedTuple):
    """A node in two views, and the number of its items that only one of the views contains."""

    node: int
    kind: str
    name: str
    table: str | None
    module: str | None
    run: str | None
    execution: str | None
    invocation: str | None
    came: int
    went: int


class EdgeChange(NamedTuple):
    """An edge in two views, and the number of its triples that only one of the views contains."""

    source: int
    target: int
    op: str
    came: int
    went: int


class NodeFates(NamedTuple):
    """A node of a view, and the number of its items that a deletion deletes or reaches, by fate."""

    node: int
    kind: str
    name: str
    table: str | None
    module: str | None
    run: str | None
    execution: str | None
    invocation: str | None
    items: int
    invocations: int | None
    deleted: int
    dies: int
    changed: int
    undecided: int
    survives: int
    """The number of reached items that would still exist, unchanged."""


@dataclass(frozen=True, kw_only=True)
class Zoom(Drawn, found_zoom.Zoomed):
    """An answer at the level of modules, tables, sets or records: nodes and edges."""

    _asking = AskingZoom
    nodes: Rows[Node]
    edges: Rows[Edge]


@dataclass(frozen=True, kw_only=True)
class ZoomPath(Drawn, found_path.ZoomedPath):
    """A path at the level of modules, tables, sets or records: nodes and edges."""

    _asking = AskingZoomPath
    nodes: Rows[Node]
    edges: Rows[Edge]


@dataclass(frozen=True, kw_only=True)
class ZoomDiff(Drawn, found_diff.ZoomedDiff):
    """The nodes and edges of an answer that differ between two generations."""

    _asking = AskingZoomDiff
    nodes: Rows[NodeChange]
    edges: Rows[EdgeChange]


@dataclass(frozen=True, kw_only=True)
class ZoomWhatIf(Drawn, found_what_if.ZoomedWhatIf):
    """The consequences of a deletion, counted for the nodes of a view."""

    _asking = AskingZoomWhatIf
    nodes: Rows[NodeFates]
    edges: Rows[Edge]
    summary: WhatIf
    """The consequences as counts."""


class Views(ABC):
    """The questions that are answered with nodes and edges."""

    @abstractmethod
    def ask(self, asked: Asking[Found]) -> Found:
        """Return the answer to a question, as the object that commands print."""

    def zoom(
        self,
        item: str,
        level: Level = "module",
        *,
        direction: Direction = "upstream",
        fold: Sequence[str] = (),
        **filters: Unpack[Filters],
    ) -> Zoom:
        """Return the lineage or impact of an item at a coarser level, as nodes and edges.

        The levels are ``catalogue``, ``module``, ``table``, ``set`` and ``record``. ``fold`` names
        modules to show as one node, without their inner items; at the level ``module``, it defaults
        to all modules. ``docs/modules.md`` explains both. Raises NotFound for an unknown item or
        module, and UsageError for options that the level does not support.

        >>> view = warehouse.zoom("revenue/2026-03", "table")
        >>> sorted((node.name, node.items) for node in view.nodes if node.kind == "table")
        [('invoices', 2), ('orders', 2), ('prices', 2)]
        """
        question = question_of(item, direction, filters)
        asked = AskingZoom(**vars(question), zoom=level, fold=tuple(fold))
        return public(Zoom, self.ask(asked))

    def zoom_path(
        self,
        source: str,
        target: str,
        level: Level = "module",
        *,
        every: bool = False,
        fold: Sequence[str] = (),
        as_of: AsOf | None = None,
    ) -> ZoomPath:
        """Return one shortest path, or all paths if ``every``, as nodes and edges.

        Levels and ``fold`` are the same as for ``zoom``, errors the same as for ``path``.

        >>> view = warehouse.zoom_path("prices/milk", "revenue/2026-03", "table")
        >>> [node.name for node in view.nodes]
        ['prices/milk', 'revenue/2026-03', 'invoices', 'orders']
        """
        asked = AskingZoomPath(source, target, every, as_of, zoom=level, fold=tuple(fold))
        return public(ZoomPath, self.ask(asked))

    def zoom_diff(
        self,
        item: str,
        since: AsOf,
        until: AsOf | None = None,
        level: Level = "module",
        *,
        direction: Direction = "upstream",
        fold: Sequence[str] = (),
    ) -> ZoomDiff:
        """Return the nodes and edges of an answer that differ between two generations.

        Levels and ``fold`` are the same as for ``zoom``, generations as for ``diff``. Raises
        NotFound if the item, or a module in ``fold``, is in neither generation.

        >>> len(warehouse.zoom_diff("revenue/2026-03", since=1).edges)
        0
        """
        asked = AskingZoomDiff(
            item, direction, until=until, since=since, zoom=level, fold=tuple(fold)
        )
        return public(ZoomDiff, self.ask(asked))

    def zoom_what_if(
        self,
        *delete: str,
        level: Level = "module",
        fold: Sequence[str] = (),
        tables: Sequence[str] = (),
        where: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        ops: Sequence[str] = (),
        files: Sequence[str] = (),
        runs: Sequence[str] = (),
        as_of: AsOf | None = None,
    ) -> ZoomWhatIf:
        """Return what would happen without some items and triples, counted for each node of a view.

        Levels and ``fold`` are the same as for ``zoom``, all other arguments as for ``what_if``.
        Raises the errors of ``what_if``, NotFound for an unknown module, and UsageError for the
        level ``catalogue``.

        >>> view = warehouse.zoom_what_if("orders/18", level="table")
        >>> sorted((node.name, node.deleted, node.undecided) for node in view.nodes)
        [('invoices', 0, 1), ('orders', 1, 0), ('revenue', 0, 1)]
        """
        deletion = deletion_of(delete, tables, where, ops, files, runs)
        asked = AskingZoomWhatIf(**vars(deletion), as_of=as_of, zoom=level, fold=tuple(fold))
        return public(ZoomWhatIf, self.ask(asked))


def deletion_of(
    delete: Sequence[str],
    tables: Sequence[str],
    where: Mapping[str, str] | Sequence[tuple[str, str]],
    *others: Sequence[str],
) -> Deletion:
    """Return the deletion that a program describes; ``others`` contains ops, files and runs."""
    pairs = tuple(where.items() if isinstance(where, Mapping) else where)
    return Deletion(tuple(delete), tuple(tables), pairs, *map(tuple, others))
