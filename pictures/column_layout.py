"""Place boxes and trunks in columns, so that few lines cross.

Columns of boxes and columns of texts alternate: column 2n contains the boxes of layer n, and column
2n + 1 contains the texts of the trunks between layers n and n + 1. A trunk has a slot in each
column that it passes. Therefore no line crosses a box or a text.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .trunks import Trunk

Key = tuple[int, int]
"""A box as (-1, the box's number), or the slot of a trunk as (the trunk's number, the column)."""
GAP = 10
TEXT, THIN = 24, 8
"""The height of the slot with a trunk's text, and the height of its other slots."""
LOOP = 36
"""The height above a box that a trunk from the box to itself occupies."""
_ROUNDS = 16


@dataclass(frozen=True)
class Columns:
    """The keys of each column from top to bottom, and the vertical middle of each key."""

    keys: tuple[tuple[Key, ...], ...]
    y: Mapping[Key, float]
    heights: Mapping[Key, float]


def box(number: int) -> Key:
    """Return the key of a box."""
    return -1, number


def text_column(trunk: Trunk, layer: Sequence[int]) -> int:
    """Return the column with the text of a trunk, which is the one before its target."""
    return 2 * layer[trunk.target] + (1 if trunk.back else -1)


def way(trunk: Trunk, layer: Sequence[int]) -> range:
    """Return the columns that a trunk leads through, in its direction."""
    end = text_column(trunk, layer)
    if trunk.back:
        return range(2 * max(layer[one] for one in trunk.sources) - 1, end - 1, -1)
    return range(2 * min(layer[one] for one in trunk.sources) + 1, end + 1)


def in_columns(
    heights: Sequence[float], order: Iterable[int], layer: Sequence[int], trunks: Sequence[Trunk]
) -> Columns:
    """Return the position of each box and each slot.

    ``heights`` are the heights of the boxes. Where the lines do not determine the order of boxes,
    ``order`` does.
    """
    work = _Work(1 + 2 * max(layer, default=0))
    for number in order:
        work.put(box(number), 2 * layer[number], heights[number])
    for number, trunk in enumerate(trunks):
        if not trunk.loops:
            work.add_trunk(number, trunk, layer)
    work.stack()
    for turn in range(_ROUNDS):
        work.improve(backwards=turn % 2 == 1)
    return Columns(tuple(map(tuple, work.columns)), work.y, work.heights)


@dataclass
class _Work:
    count: int
    columns: list[list[Key]] = field(init=False)
    near: dict[Key, list[Key]] = field(default_factory=dict)
    heights: dict[Key, float] = field(default_factory=dict)
    y: dict[Key, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.columns = [[] for _ in range(self.count)]

    def put(self, key: Key, column: int, height: float) -> None:
        self.columns[column].append(key)
        self.near[key], self.heights[key] = [], height

    def add_trunk(self, number: int, trunk: Trunk, layer: Sequence[int]) -> None:
        columns = way(trunk, layer)
        for column in columns:
            height = TEXT if column == text_column(trunk, layer) else THIN
            self.put((number, column), column, height)
        for one, other in pairwise(columns):
            self._link((number, one), (number, other))
        end = number, columns[-1]
        self.near[end].append(box(trunk.target))
        self.near[box(trunk.target)] += [end] * len(trunk.sources)
        for source in trunk.sources:
            self._link(box(source), (number, 2 * layer[source] + columns.step))

    def _link(self, one: Key, other: Key) -> None:
        self.near[one].append(other)
        self.near[other].append(one)

    def stack(self) -> None:
        for column in self.columns:
            top = 0.0
            for key in column:
                self.y[key] = top + self.heights[key] / 2
                top += self.heights[key] + GAP

    def improve(self, *, backwards: bool) -> None:
        for column in self.columns[::-1] if backwards else self.columns:
            wish = {key: self._middle(key) for key in column}
            column.sort(key=wish.__getitem__)
            _settle(column, wish.__getitem__, self.heights, self.y)

    def _middle(self, key: Key) -> float:
        near = [self.y[one] for one in self.near[key]]
        return sum(near) / len(near) if near else self.y[key]


def _settle(
    column: Sequence[Key],
    wish: Callable[[Key], float],
    heights: Mapping[Key, float],
    y: dict[Key, float],
) -> None:
    """Move the keys of a column as near to their wished positions as the gaps between them allow.

    Keys that touch form a group, which moves to the mean of its keys' wished positions.
    """
    groups: list[tuple[list[tuple[Key, float]], float]] = []
    offset = 0.0
    for at, key in enumerate(column):
        if at:
            offset += (heights[column[at - 1]] + heights[key]) / 2 + GAP
        groups.append(([(key, offset)], wish(key) - offset))
        while len(groups) > 1 and _mean(groups[-2]) > _mean(groups[-1]):
            keys, total = groups.pop()
            before, sum_before = groups.pop()
            groups.append((before + keys, sum_before + total))
    for group in groups:
        for key, by in group[0]:
            y[key] = _mean(group) + by


def _mean(group: tuple[list[tuple[Key, float]], float]) -> float:
    return group[1] / len(group[0])
