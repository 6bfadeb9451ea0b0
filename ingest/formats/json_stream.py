"""Walk a JSON document piece by piece: only the value that is being read is in memory.

The caller enters objects with ``members`` and lists with ``elements``. For each member or element,
it calls ``members``, ``elements``, ``value`` or ``skip`` before it continues with the next one.
"""

import codecs
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from provhouse.model.errors import BadInput

from . import limits
from .compression import check_encoding, opened
from .source import unreadable

CHUNK = 1 << 20
"""The number of bytes to read at once."""
_SPACE = " \t\r\n"
_UNFINISHED = 12
"""The distance, in characters, from the end of the read text within which an error may vanish.

An error so close to the end may only mean that the value is incomplete, and that more of the
document must be read.
"""


class JsonStream:
    """A JSON document that is read one value at a time."""

    def __init__(
        self, path: str, stream: pa.NativeFile, raw: pa.OSFile, report: Callable[[int], None]
    ) -> None:
        self._path = path
        self._stream, self._raw, self._report = stream, raw, report
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text, self._at, self._line = "", 0, 1
        self._ended = False

    @property
    def place(self) -> str:
        """The file and the line of the next character."""
        return f"{self._path}, line {self._line + self._text.count(chr(10), 0, self._at):,}"

    def refused(self, problem: str, found: str) -> BadInput:
        """Return the error for an unsupported construct at the current position."""
        return BadInput(
            f"{self.place}: {problem}",
            found,
            "Nothing was ingested; remove it, or see docs/formats.md",
        )

    def members(self) -> Iterator[str]:
        """Enter an object, and yield each key when the key's value is the next value."""
        self._expect("{")
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise ValueError("A key is not text")
            self._expect(":")
            yield key
            if self._expect(",}") == "}":
                return

    def elements(self) -> Iterator[int]:
        """Enter a list, and yield the position of each element when it is the next value."""
        self._expect("[")
        if self._peek() == "]":
            self._at += 1
            return
        number = 0
        while True:
            yield number
            number += 1
            if self._expect(",]") == "]":
                return

    def value(self) -> object:
        """Read the next value, which must fit into ``limits.BLOCK`` characters."""
        self._peek()
        while True:
            try:
                found, end = _decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                whole = error.pos < len(self._text) - _UNFINISHED
                if (whole and "Unterminated" not in error.msg) or not self._more():
                    self._at = error.pos
                    raise
            else:
                goes_on = isinstance(found, int | float) and _goes_on(self._text, end)
                if not goes_on or not self._more():
                    self._check_text(end)
                    self._at = end
                    return found

    def object(self) -> "dict[str, object]":
        """Read the next value, which must be an object."""
        found = self.value()
        if not isinstance(found, dict):
            raise ValueError("The value is not an object in braces")
        return found

    def skip(self) -> None:
        """Skip the next value, whatever its size."""
        kind = self._peek()
        if kind == "{":
            for _ in self.members():
                self.skip()
        elif kind == "[":
            for _ in self.elements():
                self.skip()
        else:
            self.value()

    def is_list(self) -> bool:
        """Return whether the next value is a list."""
        return self._peek() == "["

    def finish(self) -> None:
        """Raise ValueError if anything follows the document."""
        if self._peek():
            raise ValueError("Text follows after the end of the document")

    def _check_text(self, end: int) -> None:
        part = self._text[self._at : end]
        if "\\u" in part:
            json.dumps(json.loads(part), ensure_ascii=False).encode()  # half a surrogate pair

    def _expect(self, characters: str) -> str:
        found = self._peek()
        if not found or found not in characters:
            shown = f"It is {found!r}" if found else "The file ends"
            raise ValueError(f"Expected {' or '.join(characters)}. {shown}")
        self._at += 1
        return found

    def _peek(self) -> str:
        """Return the next character that is not white space, or an empty string at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Read more text; return False at the end of the file."""
        if self._ended:
            return False
        self._line += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :], 0
        if len(self._text) > limits.BLOCK:
            raise ValueError(f"A value is longer than {limits.BLOCK:,} characters")
        piece = self._stream.read(max(CHUNK, len(self._text)))
        self._ended = not piece
        self._text += self._decode(piece, final=self._ended)
        self._report(self._raw.tell())
        return not self._ended


def _goes_on(text: str, end: int) -> bool:
    """Return whether a number that ends at ``end`` may continue in text that is not yet read."""
    return not text[end : end + _UNFINISHED].strip("0123456789.eE+-") and len(text) < end + 3


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("A key is repeated")
    return made


_decoder = json.JSONDecoder(object_pairs_hook=_once)


@contextmanager
def json_stream(path: str, report: Callable[[int], None] = lambda _: None) -> Iterator[JsonStream]:
    """Open a JSON document; errors in it are raised as BadInput with the file and the line."""
    check_encoding(path)
    raw, json_text = opened(path)[::-1]
    stream = JsonStream(path, json_text, raw, report)
    with json_text:
        try:
            yield stream
        except json.JSONDecodeError as error:
            raise unreadable(stream.place, "JSON", ValueError(error.msg)) from error
        except (pa.ArrowException, OSError, EOFError, ValueError, RecursionError) as error:
            raise unreadable(stream.place, "JSON", error) from error
        except (KeyError, TypeError, AttributeError) as error:  # a reader's access to a value
            missing = f"The key {error.args[0]!r} is missing" if isinstance(error, KeyError) else ""
            found = missing or "A value has another type than the format says"
            raise stream.refused("the document has an unexpected form", found) from error


def texts(value: object) -> list[str]:
    """Return a string, or a list of strings, as a list; null becomes an empty list.

    Raises ValueError for any other value.
    """
    found: list[object] = value if isinstance(value, list) else [] if value is None else [value]
    made = [each for each in found if isinstance(each, str)]
    if len(made) < len(found):
        raise ValueError(f"The value is not text: {json.dumps(value):.100}")
    return made
