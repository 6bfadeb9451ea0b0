"""JSON and JSON lines for programs, as ``output/schemas`` describes them."""

from collections.abc import Iterator, Mapping
from json import JSONEncoder
from typing import TextIO

from .escape import in_json
from .shown_result import Json, JsonRows, ShownResult

_text = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class JsonWriter:
    """A writer of JSON, with one line for each value.

    A value with many rows is written in pieces, while the rows are read.
    """

    def __init__(self, handle: TextIO) -> None:
        self._handle = handle

    def write(self, result: ShownResult) -> None:
        """Write each value of a result on a line of its own.

        If the result is ``listed``, the lines together are one JSON list. Otherwise, each line is a
        separate JSON text, and is flushed as soon as it is complete.
        """
        if result.listed:
            self._list(result.json())
            return
        for value in result.json():
            self._value(value)
            self._handle.flush()

    def _list(self, values: Iterator[Json]) -> None:
        self._put("[\n")
        for number, value in enumerate(values):
            self._put(f",\n{_text(value)}" if number else _text(value))
        self._put("\n]\n")

    def _value(self, value: Json) -> None:
        for piece in _pieces(value):
            self._put(piece)
        self._put("\n")

    def _put(self, text: str) -> None:
        self._handle.write(in_json(text))


class JsonLinesWriter(JsonWriter):
    """A writer of JSON lines, for programs that read a large answer row by row.

    An answer is a line ``{"answer": …}`` with everything except its rows, then a line for each row.
    A value without rows is one line, as in JSON.
    """

    def _list(self, values: Iterator[Json]) -> None:
        for value in values:
            self._put(f"{_text(value)}\n")

    def _value(self, value: Json) -> None:
        lists = [part for part in value.values() if isinstance(part, JsonRows)]
        if not lists:
            super()._value(value)
            return
        rest = {name: part for name, part in value.items() if not isinstance(part, JsonRows)}
        self._put(f"{_text({'answer': rest})}\n")
        for rows in lists:
            for piece in rows.pieces("\n"):
                self._put(f"{piece}\n")


def _pieces(value: Json) -> Iterator[str]:
    """Yield the JSON text of an object in pieces; rows are read only when they are needed."""
    before = "{"
    for name, part in value.items():
        yield f"{before}{_text(name)}:"
        before = ","
        if isinstance(part, JsonRows):
            yield from _listed(part)
        elif isinstance(part, Mapping) and any(isinstance(one, JsonRows) for one in part.values()):
            yield from _pieces(part)
        else:
            yield _text(part)
    yield "}"


def _listed(rows: JsonRows) -> Iterator[str]:
    yield "["
    for number, piece in enumerate(rows.pieces(",")):
        yield f",{piece}" if number else piece
    yield "]"
