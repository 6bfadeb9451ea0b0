"""Pictures in DOT, the language of Graphviz: a directed graph from left to right."""

from collections.abc import Iterator

from provhouse.model.visible import visible

from .captions import captions, tone
from .picture_graph import Boxes
from .svg import FILLS, INK, ROOM, TONES
from .trunks import label_of


def dot(picture: Boxes) -> str:
    """Return a picture as a DOT file."""
    return "\n".join(("digraph provhouse {", *(f"  {line}" for line in _lines(picture)), "}\n"))


def _lines(picture: Boxes) -> Iterator[str]:
    yield "rankdir=LR;"
    label = "\\n".join(map(_escaped, (picture.title, *picture.notes)))
    yield f'label="{label}"; labelloc=t; fontname="Helvetica";'
    yield 'node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize=12];'
    yield f'edge [fontname="Helvetica", fontsize=11, color="{INK}"];'
    texts = captions(picture.boxes, ROOM)
    for at, (box, caption) in enumerate(zip(picture.boxes, texts, strict=True)):
        fill, frame = TONES.get(tone(box)) or FILLS[box.kind]
        words = "\\n".join(map(_escaped, (*caption.title, *caption.below)))
        mark = f'color="{INK}", penwidth=3' if box.asked else f'color="{frame}"'
        yield f'n{at} [label="{words}", fillcolor="{fill}", {mark}];'
    for line in picture.lines:
        name = visible(line.op) or "(no op)"
        words = label_of(name, line.counts)
        yield f'n{line.source} -> n{line.target} [label="{_escaped(words)}"];'


def _escaped(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"', '\\"')
