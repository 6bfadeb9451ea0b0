"""The formats of pictures, and the endings of their files."""

from enum import StrEnum


class Picture(StrEnum):
    """The values of ``--format`` for pictures."""

    svg = "svg"
    dot = "dot"
    mermaid = "mermaid"
    html = "html"


PICTURE_ENDINGS = {
    ".svg": Picture.svg,
    ".dot": Picture.dot,
    ".gv": Picture.dot,
    ".mmd": Picture.mermaid,
    ".mermaid": Picture.mermaid,
    ".html": Picture.html,
    ".htm": Picture.html,
}
