"""Text that is safe to print: characters that would control a terminal are escaped."""

import re
from typing import TextIO

from provhouse.model.visible import visible

_LIVE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def shown(text: str, longest: int = 400) -> str:
    """Return text on one line, with control, bidi and invisible characters escaped.

    The result is only for reading: backslashes are not escaped, so the original text cannot always
    be recovered from it. If the text has more than ``longest`` characters, its middle is left out.
    """
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}…{text[-half:]}"
    return visible(text)


def in_json(text: str) -> str:
    """Return JSON text without characters that can control a terminal.

    JSON allows such characters only inside strings, where an escape means the same character. So
    the meaning of the JSON does not change.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _LIVE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class OnTerminal:
    """A handle that writes text with newlines, such as CSV, to a terminal.

    All control and invisible characters except newlines are escaped.
    """

    def __init__(self, handle: TextIO) -> None:
        self._handle = handle

    def write(self, text: str) -> int:
        """Write text with its control characters escaped."""
        return self._handle.write("\n".join(map(visible, text.split("\n"))))
