"""Read JSON lines: one object per line, whose keys are the columns.

The keys may differ from row to row. Python's own decoder reads each line, because Arrow's reader is
not suitable. Arrow gives each column one type, so it refuses a key that is a number in one row and
a string in another, or that first appears in a later block. It also rounds integers of more than 64
bits, and converts strings that look like times to times.

A row with a number that is too large for double precision, such as ``1e400``, is rejected: all such
numbers would become infinity, and so the same item. NaN, which Python writes for a missing number,
is read as null.
"""

import json
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from provhouse.model.attributes import as_object, as_text
from provhouse.model.errors import BadInput

from . import limits
from .column_mapping import ColumnNames
from .compression import check_encoding, opened
from .source import REJECTED, Batch, ReportBytes, Source, unreadable

CHUNK = 4 << 20
"""The approximate size in bytes of the JSON text of a batch."""

Numbered = list[tuple[int, "dict[str, object] | Unbounded"]]
"""The rows of a chunk, each with its line number."""


@dataclass(frozen=True)
class Unbounded:
    """A row with a number that is not finite. In ``row``, such numbers are strings."""

    number: str
    row: dict[str, object]


class _NotFinite(ValueError):
    """The error for a number that is not finite. The error's argument is the number as a string."""


def check(source: Source) -> list[str]:
    """Return the keys of the first objects; raise BadInput if src or dst is missing."""
    check_encoding(source.path)
    return _keys(next(filter(None, _objects(source, lambda _: None)), []))


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the rows in batches. Empty lines are skipped, but they count in line numbers."""
    row = 1
    for objects in _objects(source, report):
        if row == 1:
            source = replace(source, columns=source.columns.of(_keys(objects)))
        yield _batch(source, row, objects)
        row += len(objects)


def _objects(source: Source, report: ReportBytes) -> Iterator[Numbered]:
    """Yield the objects with their line numbers, one chunk of the file at a time."""
    number, unchecked = 1, True
    for lines in chunks(source.path, report):
        objects = _parsed(source.path, number, lines)
        number += len(lines)
        if objects and unchecked:
            place = f"{source.path}, lines 1 to {number - 1:,}"
            source.columns.check(place, _keys(objects))
            unchecked = False
        yield objects


def _keys(objects: Numbered) -> list[str]:
    rows = (row.row if isinstance(row, Unbounded) else row for _, row in objects)
    return list(dict.fromkeys(key for row in rows for key in row))


def chunks(path: str, report: ReportBytes) -> Iterator[list[bytes]]:
    """Yield the lines of a file, one chunk at a time."""
    number, rest = 1, b""
    try:
        stream, raw = opened(path)
        with stream:
            chunk = stream.read(CHUNK).removeprefix(b"\xef\xbb\xbf")
            while chunk:
                *lines, rest = (rest + chunk).split(b"\n")
                number += len(lines)
                if len(rest) > limits.BLOCK:
                    raise ValueError(f"A row is longer than {limits.BLOCK:,} bytes")
                chunk = stream.read(CHUNK)
                report(raw.tell())
                yield [*lines, rest] if rest and not chunk else lines
    except (pa.ArrowException, OSError, EOFError, ValueError) as error:
        raise unreadable(f"{path}, line {number}", "JSON", error) from error


def _parsed(path: str, first: int, lines: Sequence[bytes]) -> Numbered:
    objects: Numbered = []
    for number, line in enumerate(lines, first):
        if line and not line.isspace():
            try:
                objects.append((number, _object(line)))
            except (ValueError, RecursionError) as error:
                raise unreadable(f"{path}, line {number}", "JSON", error) from error
    return objects


def _object(line: bytes) -> dict[str, object] | Unbounded:
    text, number = line.decode(), ""
    try:
        value = _decode(text)
    except _NotFinite as error:
        value, number = _decode_texts(text), str(error)
    if not isinstance(value, dict):
        raise ValueError("The row is not an object in braces")
    if b"\\u" in line:
        json.dumps(value, ensure_ascii=False).encode()  # raises for half a surrogate pair
    return Unbounded(number, value) if number else value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("A key is repeated")
    return made


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _NotFinite(text)
    return number


def _finite_or_text(text: str) -> float | str:
    number = float(text)
    return text if math.isinf(number) else number


_decode, _decode_texts = (
    json.JSONDecoder(object_pairs_hook=_once, parse_float=read, parse_constant=read).decode
    for read in (_finite, _finite_or_text)
)


def _batch(source: Source, row: int, objects: Numbered) -> Batch:
    names: list[list[str | None]] = []
    attributes: list[str] = []
    scopes: list[str | None] = []
    columns, read_for = source.columns, [column for _, column in source.columns.read_for]
    late = frozenset[str]() if columns.describes else columns.marks
    kept = list[int]()
    for at, (number, given) in enumerate(objects):
        if isinstance(given, Unbounded):
            continue
        kept.append(row + at)
        if columns.nulls:
            given = {key: _unless(value, columns.nulls) for key, value in given.items()}
        if not columns.reserved.isdisjoint(given):
            columns.check_free(f"{source.path}, line {number}", given)
        if not late.isdisjoint(given):
            raise _late(f"{source.path}, line {number}")
        try:
            names.append([_name(column, given.get(column)) for column in read_for])
            attributes.append(as_object(given, columns.taken))
            scopes.append(_scope(columns, given))
        except (ValueError, RecursionError) as error:
            # Possible causes: a name is an object, or lists are nested too deep.
            raise unreadable(f"{source.path}, line {number}", "JSON", error) from error
    known = {
        name: pa.array([row[at] for row in names], pa.string())
        for at, (name, _) in enumerate(columns.read_for)
    }
    scope = pa.array(scopes, pa.string()) if columns.scope else None
    made = Batch(row, pa.table(known), pa.array(attributes, pa.string()), scope)
    if len(kept) == len(objects):
        return made
    return replace(
        made, numbers=np.array(kept, np.int64), rejected=_rejected(columns, row, objects)
    )


def _rejected(columns: ColumnNames, row: int, objects: Numbered) -> pa.Table:
    """Return rejections for rows with a number that is not finite. Columns get known names."""
    known = {column: name for name, column in columns.read_for}
    rows = [
        {
            "row": row + at,
            "reason": f"the number {given.number} is not finite in double precision",
            "content": json.dumps(
                {known.get(key, key): _text(value) for key, value in given.row.items()},
                ensure_ascii=False,
            ),
        }
        for at, (_, given) in enumerate(objects)
        if isinstance(given, Unbounded)
    ]
    return pa.Table.from_pylist(rows, REJECTED)


def _text(value: object) -> str | None:
    """Return a value as a string, formatted like the names of items."""
    return as_text(value) if isinstance(value, dict | list) else _name("", value)


def _late(place: str) -> BadInput:
    return BadInput(
        f"{place}: derivations occur only late in the file",
        f"None of the first {CHUNK >> 20} MB has the key derivation or op_kind",
        "Add these keys to the first line, with the value null; nothing was ingested",
    )


def _scope(columns: ColumnNames, given: dict[str, object]) -> str | None:
    value = given.get(columns.scope) if columns.scope else None
    return None if value is None or _is_nan(value) else as_text(value)


def _unless(value: object, nulls: Collection[str]) -> object:
    """Return ``value``, or None if it is in ``nulls``, the strings for a missing value."""
    return None if isinstance(value, str) and value in nulls else value


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _name(column: str, value: object) -> str | None:
    """Return a src, dst, op or table as the string that would be read from a Parquet file."""
    if value is None or _is_nan(value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(pa.scalar(value).cast(pa.string()).as_py())
    raise ValueError(f"the value of {column} is neither text nor a number")
