"""Split PROV-N into tokens, and number their lines: https://www.w3.org/TR/prov-n."""

import codecs
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pyarrow as pa

from . import limits

CHUNK = 1 << 20
"""The number of bytes to read at once."""
_TOKEN = re.compile(
    r"""
      (?P<space>(?:[ \t\r\n]+|//[^\n]*(?:\n|\Z)|/\*.*?\*/)+)
    | (?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
    | (?P<text>\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|"(?:[^"\\\n\r]|\\.)*")
    | (?P<lang>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    | (?P<quoted>'[^'\n]*(?:\\'[^'\n]*)*')
    | (?P<typed>%%)
    | (?P<number>-[0-9]+)
    | (?P<name>(?:[\w/~&+*?\#$!:]|%[0-9A-Fa-f]{2}|\\[=''(),\-:;"\[\].])
               (?:[\w/@~&+*?\#$!:.\-\u00b7]|%[0-9A-Fa-f]{2}|\\[=''(),\-:;"\[\].])*)
    | (?P<mark>[()\[\],;=-])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class NoToken(ValueError):
    """The error for text that does not form a token."""


class Token(NamedTuple):
    """A token: its kind, its text, and its line. The kind is the name of a group in ``_TOKEN``."""

    kind: str
    text: str
    line: int


def tokens(stream: pa.NativeFile, report: Callable[[], None], lines: list[int]) -> Iterator[Token]:
    """Yield the tokens of a document, and then a token of the kind ``mark`` with empty text.

    ``lines`` has a single number, which is updated to the current line. Raises NoToken for text
    that does not form a token.
    """
    decode = codecs.getincrementaldecoder("utf-8-sig")().decode
    text, at, ended = "", 0, False
    while True:
        found = _TOKEN.match(text, at)
        if (found is None or found.end() == len(text)) and not ended:
            if len(text) - at > limits.BLOCK:
                raise NoToken(f"A value is longer than {limits.BLOCK:,} characters")
            piece = stream.read(max(CHUNK, len(text) - at))
            ended = not piece
            text, at = text[at:] + decode(piece, final=ended), 0
            report()
            continue
        if found is None:
            if at == len(text):
                yield Token("mark", "", lines[0])
                return
            raise NoToken(f"{text[at : at + 30].split(chr(10))[0]!r} is not PROV-N")
        kind, value = found.lastgroup or "", found.group()
        if kind != "space":
            yield Token(kind, value, lines[0])
        lines[0] += value.count("\n")
        at = found.end()


def text_of(literal: str) -> str:
    """Return the string that a quoted literal stands for."""
    size = 3 if literal.startswith('"""') else 1
    return re.sub(
        r"\\(.)",
        lambda found: _ESCAPES.get(found[1], found[1]),
        literal[size:-size],
        flags=re.DOTALL,
    )


def name_of(token: str) -> str:
    """Return the qualified name that a token stands for, with its escapes resolved."""
    return re.sub(r"\\(.)", r"\1", token)
