"""Names are data: what they would do to a terminal is shown instead of done."""

import re
import unicodedata
from typing import TextIO

# Joiners are letters to Persian and to Indic scripts, and harmless.
_JOINERS = "\u200c\u200d"
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LIVE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def shown(text: str, longest: int = 400) -> str:
    """The text with controls, bidi overrides and invisible characters escaped, on one line.

    Backslashes stay as they are: this is for reading, JSON is exact. Text beyond ``longest``
    characters loses its middle.
    """
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}…{text[-half:]}"
    return _line(text)


def in_json(text: str) -> str:
    """JSON text with the characters escaped that JSON leaves alone and a terminal would obey.

    They can only stand inside JSON's strings, where an escape means the same.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _LIVE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class OnTerminal:
    """Takes exact text, such as CSV, for a terminal; what it would obey is shown, but \\n."""

    def __init__(self, handle: TextIO) -> None:
        self._handle = handle

    def write(self, text: str) -> int:
        """Write it, escaped."""
        return self._handle.write("\n".join(map(_line, text.split("\n"))))


def _line(text: str) -> str:
    return text if text.isascii() and text.isprintable() else "".join(map(_character, text))


def _character(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN or character in _JOINERS:
        return character
    if character in _SHORT:
        return _SHORT[character]
    return character.encode("ascii", "backslashreplace").decode() if ord(character) > 127 else (
        f"\\x{ord(character):02x}"
    )  # fmt: skip
