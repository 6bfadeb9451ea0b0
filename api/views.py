"""Answers at the level of modules, tables, sets or records: nodes and edges."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Unpack

from provhouse.model.answer import Header, ItemHeader, Read
from provhouse.model.deletion import Deletion
from provhouse.model.question import AsOf, Direction, Question
from provhouse.model.zoom import Level
from provhouse.output.result import Result
from provhouse.query import zoom as found_zoom
from provhouse.query import zoom_diff as found_diff
from provhouse.query import zoom_path as found_path
from provhouse.query import zoom_what_if as found_what_if
from provhouse.query.diff import Side

from . import consequences, questions
from .consequences import WhatIf
from .filters import Filters, question_of
from .questions import Asked, Found
from .results import Shown, shown
from .rows import Edge, Node, Rows


class NodeChange(NamedTuple):
    """A node of two views, and how many of its items only the later or the earlier one has."""

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
    """An edge of two views, and how many of its triples only the later or the earlier one has."""

    source: int
    target: int
    op: str
    came: int
    went: int


class NodeFates(NamedTuple):
    """A node of a view, and how many of its items a deletion deletes or reaches, by fate."""

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
    """The number of those that would exist and not change."""


@dataclass(frozen=True, kw_only=True)
class LevelView(Shown):
    """A view: triples at a level, as nodes and edges."""

    zoom: Level
    folded: tuple[str, ...]
    inside: int
    """The number of items that are hidden inside folded modules."""
    several: int
    """The number of items that were made in several invocations. They are never hidden."""
    outside: int
    """The number of items that were made, but in no module."""
    edges: Rows[Edge]


@dataclass(frozen=True, kw_only=True)
class Zoom(LevelView, ItemHeader):
    """An answer at the level of modules, tables, sets or records: nodes and edges."""

    complete: bool
    truncated: str | None
    found: int
    """The number of items of the answer."""
    erased: int
    nodes: Rows[Node]
    read: Read
    _found: found_zoom.Zoomed = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.zoomed import ZoomedResult

        return ZoomedResult(self._found)


@dataclass(frozen=True, kw_only=True)
class ZoomPath(LevelView, Header):
    """A path at the level of modules, tables, sets or records: nodes and edges."""

    source: str
    target: str
    every: bool
    hops: int | None
    """The number of triples on a shortest path; None at the level ``catalogue``."""
    complete: bool
    found: int
    """The number of items on the path, with both ends."""
    erased: int
    nodes: Rows[Node]
    read: Read
    _found: found_path.ZoomedPath = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.zoomed_path import ZoomedPathResult

        return ZoomedPathResult(self._found)


@dataclass(frozen=True, kw_only=True)
class ZoomDiff(Shown):
    """The nodes and edges of an answer that differ between two generations."""

    item: str
    direction: Direction
    since: Side
    until: Side
    zoom: Level
    folded: tuple[str, ...]
    nodes: Rows[NodeChange]
    edges: Rows[EdgeChange]
    seconds: dict[str, float]
    _found: found_diff.ZoomedDiff = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.zoomed_diff import ZoomedDiffResult

        return ZoomedDiffResult(self._found)


@dataclass(frozen=True, kw_only=True)
class ZoomWhatIf(LevelView):
    """The consequences of a deletion for the nodes of a view."""

    nodes: Rows[NodeFates]
    summary: WhatIf
    """The consequences as counts."""
    _found: found_what_if.ZoomedWhatIf = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.zoomed_what_if import ZoomedWhatIfResult

        return ZoomedWhatIfResult(self._found)


class Views(ABC):
    """The questions whose answers are nodes and edges."""

    @abstractmethod
    def ask(self, asked: Asked[Found]) -> Found:
        """Return the answer to a question: the object from which commands write their output."""

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
        modules to hide what is inside of them; at the level ``module``, all are folded unless some
        are named. ``docs/modules.md`` explains both. Raises NotFound for an unknown item or
        module, and UsageError for options that the level cannot have.

        >>> view = warehouse.zoom("revenue/2026-03", "table")
        >>> sorted((node.name, node.items) for node in view.nodes if node.kind == "table")
        [('invoices', 2), ('orders', 2), ('prices', 2)]
        """
        question = question_of(item, direction, filters)
        found = self.ask(questions.zoom(question, level, fold))
        return Zoom(**shown(Zoom, found, **_graph(found)))

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

        Levels and ``fold`` are those of ``zoom``. Raises NotFound as ``path`` does.

        >>> view = warehouse.zoom_path("prices/milk", "revenue/2026-03", "table")
        >>> [node.name for node in view.nodes]
        ['prices/milk', 'revenue/2026-03', 'invoices', 'orders']
        """
        found = self.ask(questions.zoom_path(source, target, every, as_of, level, fold))
        return ZoomPath(**shown(ZoomPath, found, **_graph(found)))

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

        Levels and ``fold`` are those of ``zoom``, generations those of ``diff``. Raises NotFound if
        neither generation has the item or a module.

        >>> len(warehouse.zoom_diff("revenue/2026-03", since=1).edges)
        0
        """
        question = Question(item, direction, as_of=since)
        found = self.ask(questions.zoom_diff(question, until, level, fold))
        nodes, edges = Rows(found.nodes, NodeChange._make), Rows(found.edges, EdgeChange._make)
        return ZoomDiff(**shown(ZoomDiff, found, nodes=nodes, edges=edges))

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
        """Return what would happen without some items and triples, counted by the nodes of a view.

        Levels and ``fold`` are those of ``zoom``, all others the arguments of ``what_if``. Raises
        what ``what_if`` raises, NotFound for an unknown module, and UsageError for the level
        ``catalogue``.

        >>> view = warehouse.zoom_what_if("orders/18", level="table")
        >>> sorted((node.name, node.deleted, node.undecided) for node in view.nodes)
        [('invoices', 0, 1), ('orders', 1, 0), ('revenue', 0, 1)]
        """
        deletion = deletion_of(delete, tables, where, ops, files, runs)
        found = self.ask(questions.zoom_what_if(deletion, as_of, level, fold))
        summary = consequences.what_if(found.summary)
        nodes, edges = Rows(found.nodes, NodeFates._make), Rows(found.edges, Edge._make)
        return ZoomWhatIf(**shown(ZoomWhatIf, found, nodes=nodes, edges=edges, summary=summary))


def deletion_of(
    delete: Sequence[str],
    tables: Sequence[str],
    where: Mapping[str, str] | Sequence[tuple[str, str]],
    *others: Sequence[str],
) -> Deletion:
    """Return what a program supposes to be deleted; ``others`` are ops, files and runs."""
    pairs = tuple(where.items() if isinstance(where, Mapping) else where)
    return Deletion(tuple(delete), tuple(tables), pairs, *map(tuple, others))


def _graph(found: found_zoom.Zoomed | found_path.ZoomedPath) -> dict[str, object]:
    return {"nodes": Rows(found.nodes, Node._make), "edges": Rows(found.edges, Edge._make)}
