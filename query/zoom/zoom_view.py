"""Fold triples to a level: the nodes and edges that every answer with a level shows.

``fold.py`` decides which items are inside a module.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TypedDict

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, ItemNumbers
from provhouse.model.errors import UsageError
from provhouse.model.zoom import Level
from provhouse.store.tables.snapshot import Snapshot

from ..methods.method import MethodResult
from .fold import NONE, Folded, fold
from .zoom_flow import NumberedFlow, flow_of
from .zoom_rows import GroupedEdges, counted, grouped, named


class Fields(TypedDict):
    """The keyword arguments for the fields of a ``LevelView``."""

    zoom: Level
    folded: tuple[str, ...]
    inside: int
    several: int
    outside: int
    nodes: pa.Table
    edges: pa.Table


@dataclass(frozen=True, kw_only=True)
class LevelView:
    """Triples at a level, as nodes and edges."""

    zoom: Level
    folded: tuple[str, ...]
    """The modules that are folded, in order."""
    inside: int
    """The number of items that are hidden inside of folded modules."""
    several: int
    """The number of items that were made in several invocations. Such items are never hidden."""
    outside: int
    """The number of items that were made outside of all modules."""
    nodes: pa.Table
    """The nodes, with the columns ``NODES``. The first nodes are the asked items."""
    edges: pa.Table
    """The edges, with the columns ``EDGES``. Edges with the most triples come first."""


@dataclass(frozen=True)
class ShownAt:
    """Triples at a level, before their nodes have names."""

    snapshot: Snapshot
    found: MethodResult
    flow: NumberedFlow
    view: Folded
    groups: GroupedEdges
    folded: tuple[str, ...]

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of the triples."""
        return self.flow.calls.modules

    @property
    def nodes_of_items(self) -> I64:
        """The number of the node that stands for each item; -1 for hidden state and constants.

        An item inside a folded invocation belongs to the node of this invocation, or to the node of
        its module.
        """
        flow, of = self.flow.flow, self.groups.items.copy()
        made = np.full(flow.items, NONE, np.int64)
        made[flow.dst] = flow.invocation
        inside = self.view.hidden & (made >= 0)
        of[inside] = self.groups.calls[made[inside]]
        return of

    def nodes(self) -> pa.Table:
        """Return the nodes, with the columns ``NODES``."""
        return named(self.flow, self.view, self.groups, self.snapshot)

    def fields(self) -> Fields:
        """Return the fields of a ``LevelView``.

        A second thread counts the edges while this thread looks up names. For single records, both
        tasks take about the same time.
        """
        edges = _beside().submit(counted, self.groups, self.view, self.found)
        nodes = self.nodes()
        return Fields(
            zoom=self.groups.level,
            folded=self.folded,
            inside=int(self.view.hidden.sum()),
            several=int(self.view.several.sum()),
            outside=self.flow.outside,
            nodes=nodes,
            edges=edges.result(),
        )


@cache
def _beside() -> ThreadPoolExecutor:
    """Return a pool with one thread, which all views use.

    The pool is kept because the operating system must clear memory for each new thread, page by
    page.
    """
    return ThreadPoolExecutor(1, thread_name_prefix="view")


def shown_at(
    snapshot: Snapshot,
    found: MethodResult,
    level: Level,
    folded: Sequence[str],
    asked: ItemNumbers,
    kept: ItemNumbers | None = None,
) -> ShownAt:
    """Return the triples of a result at a level other than ``catalogue``.

    At the level ``module``, all modules are folded unless some are named. The asked items are nodes
    of their own; ``kept`` are the items that are never hidden, by default the asked items. The
    triples must have the columns of ``DESCRIBED``. Unknown modules are ignored.
    """
    flow = flow_of(snapshot, found, asked)
    chosen = folded if folded or level != "module" else flow.calls.modules
    stay = flow.asked if kept is None else np.searchsorted(flow.numbers, kept)
    view = fold(flow.flow, np.isin(flow.modules, [*chosen]), stay)
    groups = grouped(flow, view, level, snapshot)
    return ShownAt(snapshot, found, flow, view, groups, tuple(sorted({*chosen})))


def check_catalogue(level: Level, folded: Sequence[str]) -> None:
    """Raise UsageError if modules are to be folded at the level ``catalogue``."""
    if level == "catalogue" and folded:
        raise UsageError(
            "A view at the level catalogue cannot have folded modules",
            "It shows the tables of the warehouse, and reads no triples",
            "Leave the option out, or choose another level",
        )


def of_tables(nodes: pa.Table, edges: pa.Table) -> Fields:
    """Return the fields of a view at the level ``catalogue``."""
    return Fields(
        zoom="catalogue", folded=(), inside=0, several=0, outside=0, nodes=nodes, edges=edges
    )
