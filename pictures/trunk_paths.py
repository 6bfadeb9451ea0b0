"""The paths of trunks through a layout, as commands of an SVG path."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from .box_layout import EXIT, LANE, PictureLayout
from .column_layout import way
from .trunks import Trunk, label_of

HEAD = 8
"""The length of an arrow's head."""


@dataclass(frozen=True)
class Route:
    """The paths of a trunk, the tip and direction of its arrow, and the position of its text."""

    trunk: Trunk
    label: str
    paths: tuple[str, ...]
    tip: tuple[float, float, int, int]
    text: tuple[float, float]
    """The left end of the text's baseline."""


def routes(layout: PictureLayout) -> list[Route]:
    """Return the routes of all trunks."""
    entries = _entries(layout)
    return [
        _loop(layout, number) if trunk.loops else _route(layout, number, entries[number])
        for number, trunk in enumerate(layout.trunks)
    ]


def _entries(layout: PictureLayout) -> dict[int, float]:
    """Return the height at which each trunk enters its target.

    The entries are spread over the side of the target.
    """
    sides = defaultdict(list)
    for number, trunk in enumerate(layout.trunks):
        if not trunk.loops:
            sides[trunk.target, trunk.back].append(number)
    found = {}
    for (target, _), numbers in sides.items():
        place = layout.rectangles[target]
        numbers.sort(key=lambda each: layout.middles[each, way_end(layout, each)])
        step = min(12, (place.height - 12) / len(numbers))
        for at, number in enumerate(numbers):
            middle = place.y + place.height / 2
            found[number] = middle + (at - (len(numbers) - 1) / 2) * step
    return found


def way_end(layout: PictureLayout, number: int) -> int:
    """Return the column of a trunk's text."""
    return way(layout.trunks[number], layout.layer)[-1]


def _loop(layout: PictureLayout, number: int) -> Route:
    trunk = layout.trunks[number]
    place = layout.rectangles[trunk.target]
    x, top = place.x + place.width / 2, place.y
    path = f"M {x - 20:g} {top:g} C {x - 20:g} {top - 24:g} {x + 20:g} {top - 24:g} {x + 20:g} "
    end = f"{top - HEAD + 1:g}"
    text = place.x, top - 22
    return Route(
        trunk,
        label_of(trunk.op, trunk.counts, place.width),
        (path + end,),
        (x + 20, top, 0, 1),
        text,
    )


def _route(layout: PictureLayout, number: int, entry: float) -> Route:
    trunk = layout.trunks[number]
    columns = way(trunk, layout.layer)
    last = columns[-1]
    forward = columns.step
    place = layout.rectangles[trunk.target]
    tip = (place.x if forward > 0 else place.x + place.width, entry)
    paths = [*_branches(layout, number), *_passages(layout, number)]
    end = f"{_across(layout, number, last)} {_into(layout, number, last, tip)}"
    y = layout.y((number, last), last)
    text = layout.lefts[last], y - 4
    return Route(trunk, layout.labels[number], (*paths, end), (*tip, forward, 0), text)


def _branches(layout: PictureLayout, number: int) -> Iterator[str]:
    """Yield the paths from the sources of a trunk to their first slots."""
    trunk = layout.trunks[number]
    forward = way(trunk, layout.layer).step
    for source in trunk.sources:
        place = layout.rectangles[source]
        x = place.x + place.width if forward > 0 else place.x
        y = place.y + place.height / 2
        column = 2 * layout.layer[source] + forward
        yield f"M {x:g} {y:g} {_bend(layout, number, column - forward, column, (x, y))}"


def _passages(layout: PictureLayout, number: int) -> Iterator[str]:
    """Yield the paths through each slot of a trunk, except the last one, to the next slot."""
    columns = way(layout.trunks[number], layout.layer)
    for column, following in pairwise(columns):
        end = _ends(layout, number, column)[1]
        yield f"{_across(layout, number, column)} {_bend(layout, number, column, following, end)}"


def _ends(
    layout: PictureLayout, number: int, column: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return both ends of the line through a slot, in the trunk's direction."""
    y = layout.y((number, column), column)
    left, right = (layout.lefts[column], y), (layout.right(column), y)
    return (left, right) if way(layout.trunks[number], layout.layer).step > 0 else (right, left)


def _across(layout: PictureLayout, number: int, column: int) -> str:
    (x, y), (end, _) = _ends(layout, number, column)
    return f"M {x:g} {y:g} H {end:g}"


def _bend(
    layout: PictureLayout, number: int, column: int, following: int, start: tuple[float, float]
) -> str:
    """Return the path from a slot or a box to the next slot, which may be in another band."""
    end = _ends(layout, number, following)[0]
    if layout.band(column) is layout.band(following):
        return _curve(start, end)
    if following > column:
        return _wrapped(layout, number, following, start, end)
    back = _wrapped_back(layout, number, column, start)
    x, y = back[1]
    return f"{back[0]} {_curve((x, y), end)}"


def _into(layout: PictureLayout, number: int, column: int, tip: tuple[float, float]) -> str:
    """Return the path from the last slot to the arrow's head."""
    forward = way(layout.trunks[number], layout.layer).step
    start = _ends(layout, number, column)[1]
    end = tip[0] - forward * (HEAD - 1), tip[1]
    if forward < 0 and layout.band(column) is not layout.band(column - 1):
        path, start = _wrapped_back(layout, number, column, start)
        return f"{path} {_curve(start, end)}"
    return _curve(start, end)


def _curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    half = (end[0] - start[0]) / 2
    return f"C {start[0] + half:g} {start[1]:g} {end[0] - half:g} {end[1]:g} {end[0]:g} {end[1]:g}"


@dataclass(frozen=True)
class _Turn:
    """The path of a line around the end of a band: out at one height, down, left, down, and in."""

    out: tuple[float, float]
    right: float
    channel: float
    left: float


def _turn(layout: PictureLayout, number: int, column: int) -> _Turn:
    """Return the path of a trunk into the band that begins with the texts of ``column``.

    Lanes do not cross: the topmost line is the rightmost one, and the lowest one between the bands.
    """
    band = layout.band(column)
    above = layout.bands[layout.bands.index(band) - 1]
    at, lanes = band.lanes.index((number, column)), len(band.lanes)
    end = layout.right(2 * above.layers[-1]) + EXIT
    y = layout.middles[number, column] + above.shift
    outermost = lanes - at
    return _Turn(
        out=(end, y),
        right=end + LANE * outermost,
        channel=above.bottom + LANE * outermost,
        left=LANE * (lanes - at),
    )


def _wrapped(
    layout: PictureLayout,
    number: int,
    column: int,
    start: tuple[float, float],
    end: tuple[float, float],
) -> str:
    turn = _turn(layout, number, column)
    return (
        f"{_curve(start, turn.out)} H {turn.right:g} V {turn.channel:g} H {turn.left:g} "
        f"V {end[1]:g} H {end[0]:g}"
    )


def _wrapped_back(
    layout: PictureLayout, number: int, column: int, start: tuple[float, float]
) -> tuple[str, tuple[float, float]]:
    turn = _turn(layout, number, column)
    path = (
        f"H {turn.left:g} V {turn.channel:g} H {turn.right:g} V {turn.out[1]:g} H {turn.out[0]:g}"
    )
    return path, turn.out
