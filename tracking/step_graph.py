"""The steps of a program as a graph. Its nodes are the rows of frames; its edges are links."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import unique

from .row_links import FrameLink, Rows

Kind = Literal["all", "aggregate", "unknown"]
"""The way in which the inputs of a row combine; ``unknown`` if no other kind fits exactly."""
_numbers = count()


class StepAxis:
    """The identity of a set of rows: frames and columns with the same axis have the same rows."""


@dataclass(frozen=True)
class Items:
    """Rows that are items: the rows of a source, or marked rows."""

    table: str
    names: Callable[[], pa.Array]
    """Return the key of each row as a string."""
    data: Any
    """The frame with these rows."""
    is_source: bool


@dataclass(frozen=True, eq=False)
class StepNode:
    """The rows of a frame after one step, with links to the rows from which they derive."""

    size: int
    op: str = ""
    """The step and its position in the program."""
    kind: Kind = "all"
    inputs: Sequence[tuple[FrameLink | None, "StepNode"]] = ()
    """The links to earlier nodes; None links each row to the row at the same position."""
    axis: StepAxis = field(default_factory=StepAxis)
    items: Items | None = None
    combines: bool = False
    """Whether a row may derive from several rows: derivations are then named after this step."""
    number: int = field(default_factory=lambda: next(_numbers))
    """A number that is greater than the numbers of all inputs."""

    @cached_property
    def named_step(self) -> "StepNode":
        """The last step up to this node that combines rows; if there is none, the last step."""
        at = self
        while not at.combines and len(at.inputs) == 1 and at.inputs[0][1].op:
            at = at.inputs[0][1]
        return at if at.combines else self

    @cached_property
    def whole_kind(self) -> Kind:
        """The kind of the rows' derivations from items; ``unknown`` if no other kind is exact."""
        if self.items is not None or not self.inputs:
            return self.kind
        kinds = {_kind_up_to(node) for _, node in self.inputs}
        if kinds != {"all"}:
            return kinds.pop() if len(self.inputs) == 1 and self.kind == "all" else "unknown"
        return self.kind


def _kind_up_to(node: StepNode) -> Kind:
    return "all" if node.items is not None else node.whole_kind


def joined(nodes: Sequence[StepNode], op: str) -> StepNode:
    """Return a node whose row i derives from row i of each of ``nodes``, which share an axis."""
    distinct = list(dict.fromkeys(nodes))
    needed = [
        node
        for node in distinct
        if not any(node is not other and _covers(other, node) for other in distinct)
    ]
    if len(needed) == 1:
        return needed[0]
    links = [(None, node) for node in needed]
    return StepNode(needed[0].size, op, "all", links, needed[0].axis, combines=True)


def _covers(node: StepNode, other: StepNode) -> bool:
    """Return whether each row of ``node`` derives from the row of ``other`` at its position."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if at is other:
            return True
        waiting += [up for link, up in at.inputs if link is None and up.number >= other.number]
    return False


def backward(node: StepNode, rows: Rows) -> dict[StepNode, Rows]:
    """Return the distinct items from which ``rows`` derive: row positions by node."""
    found: dict[StepNode, Rows] = {}
    for at, reached in _walk(node, rows):
        if at.items is not None and (at is not node or at.items.is_source):
            found[at] = reached
    return found


def _walk(node: StepNode, rows: Rows) -> Iterator[tuple[StepNode, Rows]]:
    """Yield each node from which ``rows`` derive, and which of its rows; latest node first."""
    waiting = {node: [rows]}
    queue = [(-node.number, node)]
    while queue:
        _, at = heapq.heappop(queue)
        rows = unique(np.concatenate(waiting.pop(at)))
        yield at, rows
        for link, up in at.inputs:
            if up not in waiting:
                waiting[up] = []
                heapq.heappush(queue, (-up.number, up))
            waiting[up].append(rows if link is None else link.expand(rows)[1])


def forward(node: StepNode, source: StepNode, rids: Rows) -> Rows:
    """Return the distinct rows of ``node`` that derive from the rows ``rids`` of ``source``."""
    found = {source: rids}
    for at in reversed(list(ancestors(node))):
        if at is source:
            continue
        reached = [
            found[up] if link is None else link.forward(found[up])
            for link, up in at.inputs
            if up in found and found[up].size
        ]
        if reached:
            found[at] = unique(np.concatenate(reached))
    return found.get(node, rids[:0])


def ancestors(node: StepNode) -> Iterator[StepNode]:
    """Yield a node and all earlier nodes that it derives from, the latest first."""
    known, queue = {node}, [(-node.number, node)]
    while queue:
        _, at = heapq.heappop(queue)
        yield at
        for _, up in at.inputs:
            if up not in known:
                known.add(up)
                heapq.heappush(queue, (-up.number, up))


def pairs(node: StepNode, rows: Rows) -> Iterator[tuple[StepNode, Rows, Rows]]:
    """Yield, for each node with items, the pairs of a row and a nearest item behind it.

    The pairs are two arrays: rows of ``node``, and rows of the node with items.
    """
    waiting: dict[StepNode, list[tuple[Rows, Rows]]] = defaultdict(list)
    waiting[node].append((rows, rows))
    queue = [(-node.number, node)]
    while queue:
        _, at = heapq.heappop(queue)
        near, far = _distinct(waiting.pop(at), at.size)
        if at.items is not None and at is not node:
            yield at, near, far
            continue
        for link, up in at.inputs:
            if up not in waiting:
                heapq.heappush(queue, (-up.number, up))
            if link is None:
                waiting[up].append((near, far))
            else:
                places, rids = link.expand(far)
                waiting[up].append((near[places], rids))


def _distinct(found: list[tuple[Rows, Rows]], size: int) -> tuple[Rows, Rows]:
    near = np.concatenate([each for each, _ in found])
    far = np.concatenate([each for _, each in found])
    both = unique(near * max(size, 1) + far)
    return np.divmod(both, max(size, 1))
