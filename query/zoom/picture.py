"""Draw an answer of any size with a limited number of boxes, each of which can be opened.

The items of the answer are grouped by table, set, module or op. A box stands for the asked item,
for a group, for one item of an opened group, or for all groups for which there is no room.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from provhouse.model.answer import Header
from provhouse.model.arrays import I64, ItemNumbers
from provhouse.model.columns import OP
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction, Question
from provhouse.model.zoom import Level

from ..lineage.ask import Asker
from ..lineage.one_column import asked_column
from ..locate import locate_versions
from ..passed_samples import samples_passed
from .numbering import dense_distinct
from .zoom_rows import counted
from .zoom_view import ShownAt, shown_at
from .zoomed import answer_at

Grouping = Literal["table", "op", "module", "set"]
"""The property that the items of a group have in common.

If items are grouped by op, an item belongs to the op of a triple that made it, or, if no triple
made it, to its table.
"""
MOST_BOXES = 60
MOST_EDGES = 600
"""The largest number of edges. Beyond it, the edges with the fewest triples are left out."""
MOST_NAMED = 200
"""The largest number of groups without a box to list by name."""
_FAR = np.iinfo(np.int64).max
_NAMED = ("kind", "name")


@dataclass(frozen=True)
class Group:
    """Items of an answer that have the same table, set, module or op."""

    key: str
    """The kind and the name, as in ``table:orders``; the parameter ``opened`` has such keys."""
    kind: str
    name: str
    items: int


@dataclass(frozen=True)
class Box:
    """A box of a picture."""

    kind: str
    """``item``, ``rest``, or the kind of the group that the box stands for."""
    name: str
    table: str
    """The table of an item; empty for groups."""
    items: int
    """The number of items that the box stands for."""
    depth: int
    """The fewest hops from the asked item to one of the items of the box."""
    group: str
    """The key of the group that the box stands for or belongs to; empty for asked items."""


@dataclass(frozen=True)
class Link:
    """The triples of one op that lead from the items of one box to the items of another box."""

    source: int
    target: int
    op: str
    triples: int


@dataclass(frozen=True, kw_only=True)
class Picture(Header):
    """An answer as boxes, and links between box numbers. The first box is the asked item."""

    item: str
    table: str
    direction: Direction
    column: str | None
    """The column that the question named; ``item`` is its row."""
    found: int
    """The number of items of the answer."""
    triples: int
    erased: int
    complete: bool
    truncated: str | None
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    links_left_out: int
    rest: tuple[Group, ...]
    """The first groups that the box ``rest`` stands for."""


def picture(
    asker: Asker,
    question: Question,
    by: Grouping = "table",
    opened: Mapping[str, int] | None = None,
    most: int = MOST_BOXES,
) -> Picture:
    """Return the answer to a question with at most ``most`` boxes.

    ``opened`` maps the key of a group to the number of its items that get boxes of their own, the
    nearest first. If the number is 0, the group itself gets a box, however small it is. An opened
    module is not folded. Groups that the answer does not have are ignored. Raises NotFound if the
    item is not stored, and the errors of ``Asker.answer``.
    """
    return asker.snapshot.names.settled(
        lambda: _picture(asker, question, by, dict(opened or {}), most)
    )


def _picture(
    asker: Asker, question: Question, by: Grouping, opened: dict[str, int], most: int
) -> Picture:
    watch, snapshot = Stopwatch(), asker.snapshot
    with watch.step("locate"):
        column = asked_column(snapshot, snapshot.layout, question)
        question = replace(question, item=column.item) if column else question
        located = locate_versions(snapshot, question.item)
    level: Level = "set" if by == "set" else "table"
    view, found, shown = answer_at(asker, question, level, (), located.numbers, watch)
    with watch.step("draw"):
        grouped = _grouped(view, by, opened)
        drawing = _Drawing(grouped, _depths(view), opened, most)
        boxes, (links, left_out) = drawing.boxes(), drawing.links()
    samples = samples_passed(snapshot, question.direction, located.numbers, found.items)
    commit = snapshot.commit
    return Picture(
        generation=commit.generation,
        time=commit.time,
        seconds=watch.total(),
        samples=samples,
        item=located.names[0],
        table=boxes[0].table,
        direction=question.direction,
        column=column.column if column else None,
        found=len(shown.result.items),
        triples=shown.result.triples.num_rows,
        erased=shown.erased,
        complete=not samples,
        truncated=shown.truncated,
        boxes=tuple(boxes),
        links=tuple(links),
        links_left_out=left_out,
        rest=tuple(drawing.rest()),
    )


@dataclass(frozen=True)
class _Grouped:
    """A view whose items are in groups. The first groups are the asked items."""

    view: ShownAt
    items: I64
    """The group of each item, or -1 for an item that no group shows."""
    calls: I64
    """The group of each folded invocation."""
    kinds: list[str]
    """The kind of each group; empty if the group is a module that is not folded."""
    names: list[str]

    def keys(self) -> list[str]:
        """Return the key of each group."""
        return [f"{kind}:{name}" for kind, name in zip(self.kinds, self.names, strict=True)]


def _grouped(view: ShownAt, by: Grouping, opened: Mapping[str, int]) -> _Grouped:
    if by == "op":
        return _by_op(view)
    if by == "module":
        closed = [name for name in view.modules if f"module:{name}" not in opened]
        asked = ItemNumbers(view.flow.numbers[view.flow.asked])
        if closed:
            view = shown_at(view.snapshot, view.found, "module", closed, asked)
    nodes, calls = view.nodes(), view.groups.calls
    numbers = nodes["node"].to_pylist()
    count = max([*numbers, *calls.tolist()]) + 1
    kinds, names = [""] * count, [""] * count
    for number, kind, name in zip(numbers, *(nodes[n].to_pylist() for n in _NAMED), strict=True):
        kinds[number], names[number] = kind, name or ""
    return _Grouped(view, view.nodes_of_items, calls, kinds, names)


def _by_op(view: ShownAt) -> _Grouped:
    """Group items by the op of a triple that made them, or by table if no triple made them."""
    flow, ops = view.flow, view.found.triples[OP].combine_chunks().dictionary_encode()
    texts = ops.dictionary.to_pylist()
    made = np.full(flow.flow.items, -1, np.int64)
    made[flow.flow.dst] = np.asarray(ops.indices)
    keys = np.where(made >= 0, made, len(texts) + flow.flow.table)
    keys[flow.asked] = -1
    others = np.flatnonzero(keys >= 0)
    labels, places = dense_distinct(keys[others])
    items = np.empty(len(keys), np.int64)
    items[others], items[flow.asked] = places + len(flow.asked), np.arange(len(flow.asked))
    asked = view.snapshot.names.names(ItemNumbers(flow.numbers[flow.asked])).to_pylist()
    tables = [each or "" for each in flow.tables]
    kinds = ["op" if at < len(texts) else "table" for at in labels.tolist()]
    names = [texts[at] if at < len(texts) else tables[at - len(texts)] for at in labels.tolist()]
    return _Grouped(view, items, view.groups.calls, ["item"] * len(asked) + kinds, [*asked, *names])


def _depths(view: ShownAt) -> I64:
    """Return the depth of each item of a view, which is 0 for asked items."""
    depths = np.full(view.flow.flow.items, _FAR, np.int64)
    depths[np.searchsorted(view.flow.numbers, view.found.items)] = view.found.depths
    depths[view.flow.asked] = 0
    return depths


class _Drawing:
    """The distribution of a limited number of boxes over groups and the items of opened groups.

    Boxes are numbered in this order: the asked items, the groups, the items of opened groups, the
    box ``rest``.
    """

    def __init__(
        self, grouped: _Grouped, depths: I64, opened: Mapping[str, int], most: int
    ) -> None:
        self._grouped = grouped
        self._depths = depths
        self._asked = len(grouped.view.flow.asked)
        self._keys = grouped.keys()
        shown = grouped.items >= 0
        groups = len(grouped.kinds)
        self._sizes = np.bincount(grouped.items[shown], minlength=groups)
        self._nearest = np.full(groups, _FAR, np.int64)
        np.minimum.at(self._nearest, grouped.items[shown], depths[shown])
        numbers = {key: at for at, key in enumerate(self._keys) if at >= self._asked}
        wanted = {numbers[key]: number for key, number in opened.items() if key in numbers}
        room = most - self._asked
        alone = min(sum(wanted.values()), room - min(groups - self._asked, max(room // 2, 1)))
        self._apart = self._items_apart(wanted, alone)
        self._shown = self._groups_shown(wanted, room - len(self._apart))
        self._node = self._numbered()

    def _items_apart(self, wanted: Mapping[int, int], room: int) -> I64:
        """Return the items with boxes of their own: the nearest items of each opened group."""
        found = [np.empty(0, np.int64)]
        for group, number in wanted.items():
            items = np.flatnonzero(self._grouped.items == group)
            nearest = items[np.lexsort((items, self._depths[items]))][: min(number, room)]
            room -= len(nearest)
            found.append(nearest)
        return np.concatenate(found)

    def _groups_shown(self, wanted: Mapping[int, int], room: int) -> I64:
        """Return the groups with boxes: opened groups, then the nearest, then the largest."""
        apart = np.bincount(self._grouped.items[self._apart], minlength=len(self._sizes))
        known = np.array(self._grouped.kinds, object) != ""
        left = np.flatnonzero(known & ((apart < self._sizes) | (self._sizes == 0)))
        left = left[left >= self._asked]
        is_opened = np.isin(left, list(wanted))
        order = np.lexsort((left, -self._sizes[left], self._nearest[left], ~is_opened))
        self._without = left[:0] if len(left) <= room else left[order[max(room - 1, 0) :]]
        return np.sort(left[order[: len(left) - len(self._without)]])

    def _numbered(self) -> I64:
        """Return the box number of each item, then the box number of each folded invocation."""
        groups = np.full(len(self._sizes), -1, np.int64)
        groups[: self._asked] = np.arange(self._asked)
        groups[self._shown] = self._asked + np.arange(len(self._shown))
        first = self._asked + len(self._shown)
        groups[self._without] = first + len(self._apart)
        of = self._grouped.items
        items = np.where(of >= 0, groups[of], -1)
        items[self._apart] = first + np.arange(len(self._apart))
        calls = self._grouped.calls
        inside = np.where(calls < len(groups), calls, 0)  # invocations that are not folded
        return np.append(items, groups[inside])

    def boxes(self) -> list[Box]:
        """Return all boxes."""
        flow, of = self._grouped.view.flow, self._grouped.items
        items = self._node[: len(of)]
        single = np.concatenate([flow.asked, self._apart])
        names = self._grouped.view.snapshot.names.names(ItemNumbers(flow.numbers[single]))
        keys = [""] * self._asked + [self._keys[at] for at in of[self._apart].tolist()]
        named = [
            Box(
                "item",
                name,
                flow.tables[flow.flow.table[at]] or "",
                1,
                _hops(self._depths[at]),
                key,
            )
            for at, name, key in zip(single.tolist(), names.to_pylist(), keys, strict=True)
        ]
        number = self._asked + len(self._shown) + len(self._apart) + (len(self._without) > 0)
        sizes = np.bincount(items[items >= 0], minlength=number)
        groups = [
            Box(self._grouped.kinds[at], self._grouped.names[at], "", int(sizes[box]),
                _hops(self._nearest[at]), self._keys[at])
            for box, at in enumerate(self._shown.tolist(), self._asked)
        ]  # fmt: skip
        rest = [
            Box("rest", "", "", int(sizes[-1]), _hops(self._nearest[self._without].min()), "rest:")
        ] if len(self._without) else []  # fmt: skip
        return [*named[: self._asked], *groups, *named[self._asked :], *rest]

    def links(self) -> tuple[list[Link], int]:
        """Return the links with the most triples, and the number of links that were left out."""
        view = self._grouped.view
        start, end = self._node[view.view.start], self._node[view.view.end]
        edges = counted(replace(view.groups, start=start, end=end), view.view, view.found)
        rows = [row for row in edges.to_pylist() if row["from"] != row["to"] or row["from"] == 0]
        links = [_link(row) for row in rows[:MOST_EDGES]]
        return links, len(rows) - len(links)

    def rest(self) -> list[Group]:
        """Return the first groups without a box, the largest first."""
        order = np.argsort(-self._sizes[self._without], kind="stable")
        return [
            Group(self._keys[at], self._grouped.kinds[at], self._grouped.names[at],
                  int(self._sizes[at]))
            for at in self._without[order[:MOST_NAMED]].tolist()
        ]  # fmt: skip


def _link(row: Mapping[str, Any]) -> Link:
    return Link(row["from"], row["to"], row[OP] or "", row["triples"])


def _hops(depth: int) -> int:
    return 0 if depth == _FAR else int(depth)
