"""JSON lines: an object a line, whose keys are the columns; each row may have others.

Python's own decoder reads each line. Arrow's reader takes whole columns for one type: it refuses a
key that is a number here and a text there or that only comes in a later block, rounds whole numbers
of more than 64 bits, and makes times of texts that look like one.
"""

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa

from ..attributes import as_object
from . import limits
from .header import KNOWN, check_columns, unreadable
from .opening import opened
from .source import Batch, Source

CHUNK = 4 << 20
"""Bytes of text that become one batch."""

_NONE = pa.schema([(name, pa.string()) for name in KNOWN]).empty_table()
Numbered = list[tuple[int, dict[str, object]]]


def check(source: Source) -> None:
    """Raise BadInput if the first lines are no objects, or none of them has src and dst."""
    any(_objects(source.path))  # up to the first chunk that has one


def batches(source: Source) -> Iterator[Batch]:
    """The rows; empty lines are no rows."""
    row = 1
    for objects in _objects(source.path):
        yield _batch(source.path, row, objects)
        row += len(objects)


def _objects(path: str) -> Iterator[Numbered]:
    """The objects of a file with the numbers of their lines, a chunk's worth at a time."""
    number, unchecked = 1, True
    for lines in _chunks(path):
        objects = _parsed(path, number, lines)
        number += len(lines)
        if objects and unchecked:
            check_columns(f"{path}, in one of the first {number - 1:,} lines,", _keys(objects))
            unchecked = False
        yield objects


def _keys(objects: Numbered) -> list[str]:
    return list(dict.fromkeys(key for _, row in objects for key in row))


def _chunks(path: str) -> Iterator[list[bytes]]:
    """The lines of a file, as many as come in one piece."""
    number, rest = 1, b""
    try:
        with opened(path) as stream:
            while chunk := stream.read(CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                if number == 1 and lines:
                    lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
                yield lines
                number += len(lines)
                if len(rest) > limits.BLOCK:
                    raise ValueError(f"It takes more than {limits.BLOCK:,} bytes")
    except (pa.ArrowException, OSError, EOFError, ValueError) as error:
        raise unreadable(f"{path}, line {number},", "JSON", error) from error
    if rest:
        yield [rest]


def _parsed(path: str, first: int, lines: Sequence[bytes]) -> Numbered:
    objects: Numbered = []
    for number, line in enumerate(lines, first):
        if line and not line.isspace():
            try:
                objects.append((number, _object(line)))
            except (ValueError, RecursionError) as error:
                raise unreadable(f"{path}, line {number},", "JSON", error) from error
    return objects


def _object(line: bytes) -> dict[str, object]:
    value = _decode(line.decode())
    if not isinstance(value, dict):
        raise ValueError("A row should be an object, in braces")
    if b"\\u" in line:
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair cannot be
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("It names a key twice")
    return made


_decode = json.JSONDecoder(object_pairs_hook=_once).decode


def _batch(path: str, row: int, objects: Numbered) -> Batch:
    known: list[list[str | None]] = []
    attributes: list[str] = []
    for number, given in objects:
        try:
            known.append([_name(name, given.pop(name, None)) for name in KNOWN])
            attributes.append(as_object(given))
        except (ValueError, RecursionError) as error:  # an object for a name, too deep a list
            raise unreadable(f"{path}, line {number},", "JSON", error) from error
    columns = [pa.array(texts, pa.string()) for texts in zip(*known, strict=True)]
    rows = pa.table(columns, KNOWN) if known else _NONE
    return Batch(row, rows, pa.array(attributes, pa.string()))


def _name(column: str, value: object) -> str | None:
    """A value of src, dst, op or a table, as it comes from a Parquet column of its type."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(pa.scalar(value).cast(pa.string()).as_py())
    raise ValueError(f"{column} should be a text or a number")
