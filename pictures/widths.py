"""The widths of texts, and functions that shorten or wrap texts to fit.

Fonts are not measured: the widths are those of DejaVu Sans, one of the widest common fonts, so that
a text fits in any other common font too.
"""

import unicodedata
from collections.abc import Iterator

TITLE, SMALL = 13, 11
"""The font sizes of titles and of smaller text, in pixels."""
BOLD = 1.13
"""The width of bold text, relative to plain text."""
_WIDTHS = {
    **dict.fromkeys("ijl|'.,:;! ", 318),
    **dict.fromkeys('frt()[]{}/\\-"`·', 400),
    **dict.fromkeys("mwMWQO@%…\N{MULTIPLICATION SIGN}→", 960),
    **dict.fromkeys("ABCDEFGHKNPRSUVXYZ&#+<>=~", 730),
}
_OTHER, _WIDE = 625, 1000


def breadth(text: str, size: int, bold: bool = False) -> float:
    """Return the width of a text in pixels."""
    units = sum(map(_units, text))
    return units * size / 1000 * (BOLD if bold else 1)


def _units(character: str) -> int:
    if character in _WIDTHS:
        return _WIDTHS[character]
    if unicodedata.combining(character):
        return 0
    wide = ord(character) > 0x1100 and unicodedata.east_asian_width(character) in "WF"
    return _WIDE if wide or ord(character) > 0xFFFF else _OTHER


def cut(text: str, room: float, size: int, bold: bool = False) -> str:
    """Return a text that is not wider than ``room``, with its middle left out if necessary."""
    if breadth(text, size, bold) <= room:
        return text
    keep = len(text) - 1
    while keep > 1:
        tail = keep // 2
        short = f"{text[: keep - tail]}…{text[len(text) - tail :]}"
        over = breadth(short, size, bold) - room
        if over <= 0:
            return short
        keep -= max(1, int(over / size))
    return f"{text[:1]}…"


def broken(text: str, room: float, size: int, bold: bool = False) -> tuple[str, ...]:
    """Split a text into lines that are not wider than ``room``. Nothing is left out."""
    lines, line = [], ""
    for word in _words(text):
        for part in _parts(word, room, size, bold):
            if line and breadth(line + part, size, bold) > room:
                lines.append(line)
                line = ""
            line += part
    return (*lines, line) if line or not lines else tuple(lines)


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, each with the separators after it."""
    begin = 0
    for at, character in enumerate(text, 1):
        if character in " /:._-,":
            yield text[begin:at]
            begin = at
    yield text[begin:]


def _parts(word: str, room: float, size: int, bold: bool) -> Iterator[str]:
    part = ""
    for character in word:
        if part and breadth(part + character, size, bold) > room:
            yield part
            part = ""
        part += character
    yield part
