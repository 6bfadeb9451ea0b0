"""Mermaid flowcharts, a text format that code hosts and wikis show as drawings."""

import re
from collections.abc import Iterator

from provhouse.model.visible import visible

from .captions import captions, tone
from .picture_graph import Boxes
from .svg import FILLS, INK, ROOM, TONES
from .trunks import label_of

_ESCAPES = {ord(each): f"#{ord(each)};" for each in '"#&<>`\\[](){}|;:@%*_~$'}
"""Characters with a special meaning in labels, and their entities with decimal codes in Mermaid."""
_LATE = re.compile(r"\\(?=n)|\$(?=\$)|\bfa\w?:(?=fa)")
"""Strings that Mermaid reads as a line break, a formula or an icon even if written as entities."""
_NOTHING = "\u200b"


def mermaid(picture: Boxes) -> str:
    """Return a picture as a Mermaid flowchart."""
    return "\n".join(("flowchart LR", *(f"  {line}" for line in _lines(picture)), ""))


def _lines(picture: Boxes) -> Iterator[str]:
    for note in (picture.title, *picture.notes):
        yield f"%% {_comment(note)}"
    texts = captions(picture.boxes, ROOM)
    for at, caption in enumerate(texts):
        words = "<br/>".join(map(_escaped, (*caption.title, *caption.below)))
        yield f'n{at}["{words}"]'
    for line in picture.lines:
        words = _escaped(label_of(visible(line.op) or "(no op)", line.counts))
        yield f'n{line.source} -->|"{words}"| n{line.target}'
    for at, box in enumerate(picture.boxes):
        fill, frame = TONES.get(tone(box)) or FILLS[box.kind]
        edge = f"stroke:{INK},stroke-width:3px" if box.asked else f"stroke:{frame}"
        yield f"style n{at} fill:{fill},{edge},color:{INK}"


def _escaped(text: str) -> str:
    return _LATE.sub(rf"\g<0>{_NOTHING}", visible(text)).translate(_ESCAPES)


def _comment(text: str) -> str:
    """Return text for a comment, without braces, because braces would begin a directive."""
    return visible(text).translate({ord("{"): "(", ord("}"): ")"})
