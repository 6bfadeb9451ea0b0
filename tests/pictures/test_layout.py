"""No line crosses a box or a label, and no picture is wider than a page.

The tests read the paths from the SVG and follow them point by point, independently of the layout
code.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import pytest

from helpers.drawn_graphs import at_random, drawn, item
from provhouse.pictures.box_layout import WIDE, PictureLayout, laid_out
from provhouse.pictures.captions import captions
from provhouse.pictures.column_layout import GAP, Key
from provhouse.pictures.legible_groups import grouped
from provhouse.pictures.picture_graph import DrawnGraph
from provhouse.pictures.svg import MARGIN, ROOM, svg
from provhouse.pictures.widths import breadth

NAME = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


@dataclass
class Area:
    """A rectangle, and the picture element that it represents."""

    what: str
    x: float
    y: float
    width: float
    height: float

    def has(self, point: Point, rim: float) -> bool:
        """Return whether a point is inside, at least ``rim`` from the edge."""
        x, y = point
        return (
            self.x + rim < x < self.x + self.width - rim
            and self.y + rim < y < self.y + self.height - rim
        )

    def meets(self, other: "Area") -> bool:
        """Return whether two rectangles overlap."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


@dataclass
class Seen:
    """The boxes, labels and lines of a picture."""

    width: float
    height: float
    boxes: list[Area]
    texts: list[Area]
    lines: list[list[Point]]
    sizes: list[float]


def seen(text: str) -> Seen:
    root = ET.fromstring(text)
    found = Seen(float(root.attrib["width"]), float(root.attrib["height"]), [], [], [], [])
    found.sizes = [float(each.attrib["font-size"]) for each in root.iter(f"{NAME}text")]
    (picture,) = root.findall(f"{NAME}g")
    for group in picture:
        what = group.findtext(f"{NAME}title") or ""
        rectangles = group.findall(f"{NAME}rect")
        if rectangles:
            x, y, width, height = (
                float(rectangles[-1].attrib[name]) for name in ("x", "y", "width", "height")
            )
            found.boxes.append(Area(what, x, y, width, height))
            continue
        for path in group.findall(f"{NAME}path"):
            if path.attrib.get("fill") == "none":
                found.lines.append([*followed(path.attrib["d"])])
        (label,) = group.findall(f"{NAME}text")
        size = float(label.attrib["font-size"])
        x, y = float(label.attrib["x"]), float(label.attrib["y"])
        found.texts.append(Area(what, x, y - 0.75 * size, breadth(label.text or "", 11), size))
    return found


def followed(path: str) -> Iterator[Point]:
    """Yield points of a path, at most two pixels apart where it bends."""
    x = y = 0.0
    for command, given in re.findall(r"([MHVCL])([^MHVCL]*)", path):
        numbers = [float(each) for each in given.split()]
        if command == "C":
            ax, ay, bx, by, cx, cy = numbers
            for step in range(1, 61):
                t, u = step / 60, 1 - step / 60
                yield (
                    u**3 * x + 3 * u * u * t * ax + 3 * u * t * t * bx + t**3 * cx,
                    u**3 * y + 3 * u * u * t * ay + 3 * u * t * t * by + t**3 * cy,
                )
            x, y = cx, cy
            continue
        end = {"H": (numbers[0], y), "V": (x, numbers[0])}.get(command) or (*numbers,)
        if command != "M":
            for step in range(1, 41):
                yield x + (end[0] - x) * step / 40, y + (end[1] - y) * step / 40
        x, y = end[0], end[1]
        yield x, y


def chains(layers: int, wide: int) -> DrawnGraph:
    """Return layers of items with long names, and links: some skip layers, and one leads back."""
    nodes = [item(f"layer {n // wide}/record number {n:05} of it") for n in range(layers * wide)]
    links: list[tuple[object, ...]] = []
    for number in range(wide, len(nodes)):
        links.append((number - wide, number, "transform", 3))
        if number % 3 == 0:
            links.append((number - wide + 1, number, "look up", 1))
        if number > 3 * wide and number % 4 == 0:
            links.append((number - 3 * wide, number, "remember", 1))
    links += [(len(nodes) - 1, wide, "feed back", 2), (wide, wide, "again", 4)]
    return drawn(nodes, links, (len(nodes) - 1,))


MANY = [item(f"t{n}/1") for n in range(50)]
PICTURES = {
    "chain": chains(12, 1),
    "narrow": chains(3, 3),
    "wide": chains(9, 4),
    "fan": drawn(MANY, [(n, 0, "op", 1) for n in range(1, 50)], (0,)),
    "fan out": drawn(MANY, [(0, n, "op", n) for n in range(1, 50)]),
    "one": drawn([item("a/1")], [(0, 0, "loop", 1)], (0,)),
    "several ops": drawn(
        [item("a/1"), item("b/1")], [(0, 1, f"op {n}", n + 1) for n in range(9)], (1,)
    ),
    "no lines": drawn([item(f"t{n}/1") for n in range(9)], []),
    "random": at_random(3, 50, 20, 70),
    "cycles": at_random(4, 30, 30, 45, cycles=True),
    "grouped": at_random(5, 3_000, 12, 6_000),
    "long name": drawn([item("a/" + "very long " * 60), item("b/1")], [(1, 0, "x" * 99, 7)], (0,)),
}  # fmt: skip


@pytest.mark.parametrize("name", PICTURES)
def test_lines_cross_no_box_and_no_text(name: str) -> None:
    picture = seen(svg(grouped(PICTURES[name])))
    for line in picture.lines:
        for point in line:
            assert not [box.what for box in picture.boxes if box.has(point, 2)], point
            assert not [text.what for text in picture.texts if text.has(point, 1)], point
    areas = [*picture.boxes, *picture.texts]
    for at, one in enumerate(areas):
        assert not [other.what for other in areas[:at] if one.meets(other)]


@pytest.mark.parametrize("name", PICTURES)
def test_everything_is_inside_and_as_large_as_it_was_written(name: str) -> None:
    text = svg(grouped(PICTURES[name]))
    picture = seen(text)
    assert min(picture.sizes) >= 11
    assert f'viewBox="0 0 {picture.width:g} {picture.height:g}"' in text  # nothing is scaled
    assert picture.width <= WIDE + 2 * MARGIN
    right = picture.width - 2 * MARGIN
    for area in (*picture.boxes, *picture.texts):
        assert area.x >= 0
        assert area.x + area.width <= right + 1
        assert area.y + area.height <= picture.height
    points = [point for line in picture.lines for point in line]
    assert all(0 <= x <= right and y <= picture.height for x, y in points)


@pytest.mark.parametrize("name", PICTURES)
def test_each_line_leads_from_its_sources_to_its_target(name: str) -> None:
    """The segments of a line are connected: each source reaches the arrowhead."""
    root = ET.fromstring(svg(grouped(PICTURES[name])))
    (picture,) = root.findall(f"{NAME}g")
    boxes = seen(svg(grouped(PICTURES[name]))).boxes
    for group in picture:
        paths = [path.attrib for path in group.findall(f"{NAME}path")]
        if not paths:
            continue
        *pieces, head = paths
        ends = [(points[0], points[-1]) for points in ([*followed(p["d"])] for p in pieces)]
        starts = [one for one, _ in ends if not any(near(one, end) for _, end in ends)]
        what = group.findtext(f"{NAME}title") or ""
        for start in starts:
            assert any(touches(box, start) for box in boxes), what
        tip = next(followed(head["d"]))
        (target,) = (box for box in boxes if touches(box, tip))
        assert what.startswith(target.what.partition(",")[0])


def near(one: Point, other: Point) -> bool:
    return abs(one[0] - other[0]) < 0.1 and abs(one[1] - other[1]) < 0.1


def touches(box: Area, point: Point) -> bool:
    x, y = point
    return box.x - 1 <= x <= box.x + box.width + 1 and box.y - 1 <= y <= box.y + box.height + 1


def test_a_wide_picture_continues_below() -> None:
    picture = seen(svg(grouped(PICTURES["chain"])))
    places = [(box.y, box.x) for box in sorted(picture.boxes, key=lambda box: box.what)]
    assert len({round(y) for y, _ in places}) > 2
    rows = [row for row, following in pairwise(places) if following[0] > row[0] + 20]
    assert rows


def test_items_that_lines_do_not_order_are_ordered_by_name() -> None:
    names = [f"t/{n * 7 % 20:02}" for n in range(20)]
    nodes = [item("s/1"), *map(item, names), item("u/1")]
    links = [(0, n, "op", 1) for n in range(1, 21)] + [(n, 21, "sum", 1) for n in range(1, 21)]
    picture = seen(svg(grouped(drawn(nodes, links, (21,)))))
    column = [box for box in picture.boxes if box.what.startswith("t/")]
    column.sort(key=lambda box: box.y)
    assert [box.what for box in column] == sorted(box.what for box in column)
    assert len(column) == 20


@pytest.mark.parametrize("name", ["wide", "random", "cycles"])
def test_no_band_has_heights_that_nothing_uses(name: str) -> None:
    picture = grouped(PICTURES[name])
    layout = laid_out(
        captions(picture.boxes, ROOM), picture.lines, {each.op: "" for each in picture.lines}
    )
    assert len(layout.bands) > 1
    for band in layout.bands:
        low = None
        columns = layout.columns.keys[max(2 * band.layers.start - 1, 0) : 2 * band.layers.stop - 1]
        for key in sorted((key for of in columns for key in of), key=lambda key: top(layout, key)):
            assert low is None or top(layout, key) - low < 2 * GAP + 0.1
            low = max(low or -inf, top(layout, key) + layout.columns.heights[key])


def top(layout: PictureLayout, key: Key) -> float:
    return layout.middles[key] - layout.columns.heights[key] / 2
