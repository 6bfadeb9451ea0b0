"""The layout of a picture: where boxes are, and where trunks lead.

If a picture would be wider than a page, its layers are divided into bands below each other, like
lines of text. The texts thus keep their size.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from .captions import Caption
from .column_layout import GAP, LOOP, Columns, Key, box, in_columns, way
from .layers import layers
from .picture_graph import Line
from .trunks import Trunk, label_of, trunks
from .widths import SMALL, TITLE, breadth

WIDE = 960
"""The maximum width of a picture, in pixels. Only a layer that is wider by itself can exceed it."""
NARROW = 76
"""The minimum width of a box."""
PADDING, TITLE_LINE, SMALL_LINE = 11, 16, 14
BEFORE, AFTER = 38, 30
"""The widths for bends before a text and after it; the second width includes the arrowhead."""
LANE = 8
"""The distance between lines that lead from one band to the next."""
EXIT = 24
"""The width for bends at the end of a band."""


@dataclass(frozen=True)
class Rectangle:
    """The position and size of a box."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Band:
    """A range of layers side by side. ``shift`` is added to their vertical positions."""

    layers: range
    shift: float
    bottom: float
    lanes: tuple[Key, ...]
    """The slots whose lines come from the band above or lead to it, from top to bottom."""


@dataclass(frozen=True)
class PictureLayout:
    """The positions of boxes, columns and bands."""

    layer: tuple[int, ...]
    trunks: tuple[Trunk, ...]
    labels: tuple[str, ...]
    columns: Columns
    sizes: tuple[tuple[float, float], ...]
    """The width and the height of each box."""

    @cached_property
    def breadths(self) -> list[float]:
        """The width of each column of boxes or texts."""
        found = [0.0] * len(self.columns.keys)
        for number, (width, _) in enumerate(self.sizes):
            column = 2 * self.layer[number]
            found[column] = max(found[column], width)
        for trunk, label in zip(self.trunks, self.labels, strict=True):
            if not trunk.loops:
                column = way(trunk, self.layer)[-1]
                found[column] = max(found[column], breadth(label, SMALL) + 4)
        return found

    @cached_property
    def bands(self) -> list[Band]:
        """The bands, from top to bottom."""
        found: list[Band] = []
        bottom = 0.0
        for cut in self._cut:
            begin = cut.start
            lanes = self.columns.keys[2 * begin - 1] if begin else ()
            low, high = self._extent(cut)
            shift = bottom - low + (LANE * (len(lanes) + 2) if begin else 0)
            bottom = high + shift
            found.append(Band(cut, shift, bottom, lanes))
        return found

    @cached_property
    def _cut(self) -> list[range]:
        """The layers of each band."""
        found: list[range] = []
        begin, count = 0, (len(self.columns.keys) + 1) // 2
        while begin < count:
            found.append(range(begin, self._end(begin, count)))
            begin = found[-1].stop
        return found

    @cached_property
    def middles(self) -> Mapping[Key, float]:
        """The middle of each box and slot, after removing heights that nothing in a band uses."""
        found: dict[Key, float] = {}
        for cut in self._cut:
            found |= _compact(self._keys(cut), self.columns.y, self.columns.heights)
        return found

    def _end(self, begin: int, count: int) -> int:
        width, end = self.start(begin), begin
        while end < count:
            if end > begin:
                width += BEFORE
            width += self.breadths[2 * end] + (self.breadths[2 * end - 1] + AFTER if end else 0)
            rest = EXIT + LANE * self._crossing(end + 1) if end + 1 < count else 0
            if end > begin and width + rest > WIDE:
                break
            end += 1
        return end

    def start(self, begin: int) -> float:
        """Return the left edge of the first text in a band that begins with the given layer."""
        return LANE * (self._crossing(begin) + 2) if begin else 0

    def _crossing(self, layer: int) -> int:
        return len(self.columns.keys[2 * layer - 1])

    def _keys(self, of: range) -> list[Key]:
        columns = range(max(2 * of.start - 1, 0), 2 * of.stop - 1)
        return [key for column in columns for key in self.columns.keys[column]]

    def _extent(self, of: range) -> tuple[float, float]:
        keys, y, heights = self._keys(of), self.middles, self.columns.heights
        return (
            min((y[key] - heights[key] / 2 for key in keys), default=0),
            max((y[key] + heights[key] / 2 for key in keys), default=0),
        )

    @cached_property
    def lefts(self) -> list[float]:
        """The left edge of each column, without the space for bends."""
        found = [0.0] * len(self.columns.keys)
        for band in self.bands:
            x = self.start(band.layers.start)
            for layer in band.layers:
                if layer:
                    x += BEFORE if layer > band.layers.start else 0
                    found[2 * layer - 1] = x
                    x += self.breadths[2 * layer - 1] + AFTER
                found[2 * layer] = x
                x += self.breadths[2 * layer]
        return found

    def right(self, column: int) -> float:
        """Return the right edge of a column, without the space for bends."""
        return self.lefts[column] + self.breadths[column]

    def band(self, column: int) -> Band:
        """Return the band of a column."""
        layer = (column + 1) // 2
        return next(band for band in self.bands if layer in band.layers)

    def y(self, key: Key, column: int) -> float:
        """Return the height of the line in a slot: below its text, if it has one."""
        number, _ = key
        at = self.middles[key] + self.band(column).shift
        return at + 7 if column == way(self.trunks[number], self.layer)[-1] else at

    @cached_property
    def rectangles(self) -> list[Rectangle]:
        """The rectangle of each box. All boxes of a column have the same width."""
        loops = {trunk.target for trunk in self.trunks if trunk.loops}
        found = []
        for number, (_, height) in enumerate(self.sizes):
            column = 2 * self.layer[number]
            middle = self.middles[box(number)] + self.band(column).shift
            top = middle - height / 2 + (LOOP / 2 if number in loops else 0)
            found.append(Rectangle(self.lefts[column], top, self.breadths[column], height))
        return found

    @cached_property
    def size(self) -> tuple[float, float]:
        """The width and the height of the whole picture."""
        ends = [self.right(2 * band.layers[-1]) for band in self.bands]
        turns = [EXIT + LANE * (len(band.lanes) + 1) for band in self.bands[1:]]
        wide = [end + turn for end, turn in zip(ends, [*turns, 0.0], strict=False)]
        return max(wide, default=0), self.bands[-1].bottom if self.bands else 0


def laid_out(
    captions: Sequence[Caption], lines: Sequence[Line], ops: dict[str, str]
) -> PictureLayout:
    """Return the layout of boxes with captions; ``ops`` maps each op to its displayed text."""
    layer = layers(len(captions), dict.fromkeys((line.source, line.target) for line in lines))
    shown = [Line(each.source, each.target, ops[each.op], each.counts) for each in lines]
    found = trunks(shown, layer)
    labels = tuple(label_of(trunk.op, trunk.counts) for trunk in found)
    sizes = tuple(_size(caption) for caption in captions)
    loops = {trunk.target for trunk in found if trunk.loops}
    heights = [height + (LOOP if at in loops else 0) for at, (_, height) in enumerate(sizes)]
    names = [(caption.below, caption.title) for caption in captions]
    order = sorted(range(len(captions)), key=names.__getitem__)
    columns = in_columns(heights, order, layer, found)
    return PictureLayout(tuple(layer), tuple(found), labels, columns, sizes)


def _compact(
    keys: Iterable[Key], y: Mapping[Key, float], heights: Mapping[Key, float]
) -> dict[Key, float]:
    """Return the middles of keys after reducing each empty space between keys to the usual gap."""
    found: dict[Key, float] = {}
    low, left_out = -inf, 0.0
    for key in sorted(keys, key=lambda key: y[key] - heights[key] / 2):
        top = y[key] - heights[key] / 2
        left_out += max(0.0, top - low - 2 * GAP) if found else 0.0
        low = max(low, top + heights[key])
        found[key] = y[key] - left_out
    return found


def _size(caption: Caption) -> tuple[float, float]:
    widths = [
        *(breadth(text, TITLE, bold=True) for text in caption.title),
        *(breadth(text, SMALL) for text in caption.below),
    ]
    height = 14 + TITLE_LINE * len(caption.title) + SMALL_LINE * len(caption.below)
    return max(NARROW, max(widths) + 2 * PADDING), height
