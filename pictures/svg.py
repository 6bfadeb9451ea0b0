"""Standalone SVG without scripts or links, with texts of at least 11 pixels.

A screen reader reads the title and the description, which states every line as a sentence.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from provhouse.model.visible import visible

from .box_layout import SMALL_LINE, TITLE_LINE, PictureLayout, Rectangle, laid_out
from .captions import Caption, captions, full_name, tone
from .picture_graph import ADDED, REMOVED, Box, Boxes
from .trunk_paths import HEAD, Route, routes
from .widths import SMALL, TITLE, broken

ROOM = 190
"""The maximum width of the name of a box that was not asked for, in pixels."""
MARGIN = 16
HEADING, HEADING_LINE = 15, 20
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
INK, SOFT, LINE, GROUND = "#1f2329", "#4f5864", "#5b6470", "#ffffff"
FILLS = {
    "item": ("#f3e4f0", "#a0568f"),
    "table": ("#fde3d6", "#c8581b"),
    "module": ("#dcece6", "#3f7262"),
    "invocation": ("#f1eadf", "#8a744f"),
    "set": ("#dbe8f8", "#2a68b4"),
    "others": ("#eceef1", "#6b7480"),
}
"""The fill and frame colours of a box, by kind."""
TONES = {
    "deleted": ("#e3e5e8", "#4f5864"),
    "dies": ("#fbdada", "#b3261e"),
    "changed": ("#fff0c9", "#9a6a00"),
    "undecided": ("#eceef1", "#6b7480"),
    ADDED: ("#d8f0dc", "#1f7a34"),
    REMOVED: ("#fbdada", "#b3261e"),
}
"""The colours of a box, by what happens to its items; the box's text states that too."""


def svg(picture: Boxes) -> str:
    """Return a picture as SVG."""
    texts = captions(picture.boxes, ROOM)
    ops = {line.op: visible(line.op) for line in picture.lines}
    layout = laid_out(texts, picture.lines, ops)
    width, height = layout.size
    whole = max(width, 320) + 2 * MARGIN
    heading = broken(visible(picture.title), whole - 2 * MARGIN, HEADING, bold=True)
    notes = [
        line for note in picture.notes for line in broken(visible(note), whole - 2 * MARGIN, SMALL)
    ]
    top = MARGIN + HEADING_LINE * len(heading) + 8
    below = top + height + MARGIN
    tall = below + SMALL_LINE * len(notes) + (MARGIN / 2 if notes else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole:g}" height="{tall:g}" '
        f'viewBox="0 0 {whole:g} {tall:g}" role="img" font-family="{FONT}">',
        f"<title>{_safe(picture.title)}</title>",
        f"<desc>{_safe(described(picture))}</desc>",
        f'<rect width="100%" height="100%" fill="{GROUND}"/>',
        *_texts(heading, MARGIN, MARGIN + HEADING - 2, HEADING_LINE, _font(HEADING, bold=True)),
        f'<g transform="translate({MARGIN} {top:g})">',
        *(part for route in routes(layout) for part in _route(picture, route)),
        *(
            part
            for at, box in enumerate(picture.boxes)
            for part in _box(box, texts[at], layout, at)
        ),
        "</g>",
        *_texts(notes, MARGIN, below + SMALL, SMALL_LINE, f'{_font(SMALL)} fill="{SOFT}"'),
        "</svg>\n",
    ]
    return "\n".join(parts)


def described(picture: Boxes) -> str:
    """Return the boxes and lines of a picture as sentences."""
    names = [full_name(box) for box in picture.boxes]
    asked = [name for name, box in zip(names, picture.boxes, strict=True) if box.asked]
    sentences = [f"Asked: {', '.join(asked)}."] if asked else []
    for line in picture.lines:
        by = f" by {line.op}" if line.op else ""
        number = f" ({line.triples:,} triples)" if line.triples > 1 else ""
        sentences.append(f"{names[line.target]} from {names[line.source]}{by}{number}.")
    return " ".join((*sentences, *picture.notes))


def _route(picture: Boxes, route: Route) -> Iterator[str]:
    trunk = route.trunk
    names = ", ".join(full_name(picture.boxes[source]) for source in trunk.sources)
    into = full_name(picture.boxes[trunk.target])
    colour, dashes = _stroke(trunk.counts)
    yield f"<g><title>{_safe(f'{into} from {names}: {route.label}')}</title>"
    style = f'fill="none" stroke="{colour}" stroke-width="1.3"{dashes}'
    for path in dict.fromkeys(route.paths):
        yield f'<path d="{path}" {style}/>'
    yield f'<path d="{_head(*route.tip)}" fill="{colour}"/>'
    x, y = route.text
    yield f'<text x="{x:g}" y="{y:g}" {_font(SMALL)} fill="{SOFT}">{_safe(route.label)}</text></g>'


def _stroke(counts: Mapping[str, int]) -> tuple[str, str]:
    """Return the colour of a trunk, and the attribute that draws removed triples as dashes."""
    if not counts.get(REMOVED):
        return (TONES[ADDED][1] if counts.get(ADDED) else LINE), ""
    return (LINE, "") if counts.get(ADDED) else (TONES[REMOVED][1], ' stroke-dasharray="6 4"')


def _head(x: float, y: float, across: int, down: int) -> str:
    back_x, back_y = x - HEAD * across, y - HEAD * down
    return (
        f"M {x:g} {y:g} L {back_x + 4 * down:g} {back_y + 4 * across:g} "
        f"L {back_x - 4 * down:g} {back_y - 4 * across:g} Z"
    )


def _box(box: Box, caption: Caption, layout: PictureLayout, at: int) -> Iterator[str]:
    place = layout.rectangles[at]
    fill, frame = TONES.get(tone(box)) or FILLS[box.kind]
    width = 3 if box.asked else 1.2
    yield f"<g{_marks(box)}><title>{_safe(_described(box))}</title>"
    if box.members > 1:  # a second frame behind it: a stack of several
        yield _frame(place, 3, fill, frame, 1.2, box.kind)
    yield _frame(place, 0, fill, INK if box.asked else frame, width, box.kind)
    middle = place.x + place.width / 2
    centred = 'text-anchor="middle"'
    y = place.y + 7 + TITLE
    yield from _texts(caption.title, middle, y, TITLE_LINE, f"{_font(TITLE, bold=True)} {centred}")
    y += TITLE_LINE * len(caption.title) - 1
    yield from _texts(caption.below, middle, y, SMALL_LINE, f"{_font(SMALL)} {centred}")
    yield "</g>"


def _marks(box: Box) -> str:
    """Return attributes for scripts: whether the box was asked for, and the module of the box."""
    name = box.name if box.kind == "module" else box.table if box.kind == "invocation" else None
    return " data-asked=''" * box.asked + (f' data-module="{_safe(name)}"' if name else "")


def _described(box: Box) -> str:
    parts = [
        full_name(box),
        *([box.table] if box.table else []),
        *([box.detail] * bool(box.detail)),
    ]
    counts = [f"{name}: {count:,}" for name, count in (box.counts or {}).items()]
    return ", ".join((*parts, *counts, *(["asked"] if box.asked else [])))


def _frame(place: Rectangle, aside: float, fill: str, frame: str, width: float, kind: str) -> str:
    radius = 14 if kind == "item" else 5
    return (
        f'<rect x="{place.x + aside:g}" y="{place.y - aside:g}" width="{place.width:g}" '
        f'height="{place.height:g}" rx="{radius}" fill="{fill}" stroke="{frame}" '
        f'stroke-width="{width:g}"/>'
    )


def _texts(lines: Sequence[str], x: float, y: float, step: float, style: str) -> Iterator[str]:
    fill = "" if "fill=" in style else f' fill="{INK}"'
    for at, line in enumerate(lines):
        yield f'<text x="{x:g}" y="{y + at * step:g}" {style}{fill}>{_safe(line)}</text>'


def _font(size: int, *, bold: bool = False) -> str:
    return f'font-size="{size}"' + (' font-weight="bold"' if bold else "")


def _safe(text: str) -> str:
    return escape(visible(text))
