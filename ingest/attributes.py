"""The attributes of an operation: one canonical map, as JSON text.

Values are text. Numbers and times have one form whatever file they come from: whole numbers without
sign or zeros in front, fractions in the shortest form that reads back the same, times as ISO 8601
with a ``T`` and no idle zeros. A null is an absent key; an empty text is a value. A text that a CSV
holds is kept as it is, but for a time: ``2013-01-01 05:00:00`` becomes what Parquet's timestamp is.
"""

import json
import re
from datetime import date, time
from decimal import Decimal

import numpy as np
import pyarrow as pa

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]00:?00)?")


def canonical(columns: pa.Table) -> pa.Array:
    """One JSON object a row, keys in order of name; empty text where a row has no attribute."""
    count = columns.num_rows
    if not columns.num_columns:
        return pa.array([""], pa.string()).take(pa.array([0] * count, pa.int32()))
    names = sorted(columns.column_names)
    encoded = [_texts_of(columns[name].combine_chunks()).dictionary_encode() for name in names]
    pairs = [_pairs(name, column.dictionary) for name, column in zip(names, encoded, strict=True)]
    rows = zip(*(column.indices.to_pylist() for column in encoded), strict=True)
    made: dict[tuple[int | None, ...], str] = {}  # rows of one run share their attributes
    texts = [made.get(row) or made.setdefault(row, _joined(row, pairs)) for row in rows]
    return pa.array(texts, pa.string())


def _pairs(name: str, values: pa.Array) -> list[str]:
    key = json.dumps(name, ensure_ascii=False)
    return [f"{key}:{json.dumps(as_text(v), ensure_ascii=False)}" for v in values.to_pylist()]


def _joined(row: tuple[int | None, ...], pairs: list[list[str]]) -> str:
    given = [pairs[column][code] for column, code in enumerate(row) if code is not None]
    return "{" + ",".join(given) + "}" if given else ""


def _texts_of(column: pa.Array) -> pa.Array:
    """The column, with the types turned into text that Python would round or refuse."""
    if pa.types.is_timestamp(column.type):
        utc = pa.timestamp(column.type.unit, "UTC" if column.type.tz else None)
        return column.cast(utc).cast(pa.string())
    if pa.types.is_float16(column.type) or pa.types.is_float32(column.type):
        shortest = [None if v is None else str(np.float32(v)) for v in column.to_pylist()]
        return pa.array(shortest, pa.string())
    if pa.types.is_nested(column.type):
        texts = [None if v is None else as_text(v) for v in column.to_pylist()]
        return pa.array(texts, pa.string())
    if pa.types.is_dictionary(column.type):
        return _texts_of(column.dictionary_decode())
    return column


def as_text(value: object) -> str:
    """A value in its one form."""
    match value:
        case str():
            return _time_text(value)
        case bool():
            return "true" if value else "false"
        case date() | time():
            return value.isoformat()
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.hex()
        case dict() | list():
            return json.dumps(value, ensure_ascii=False, sort_keys=True, default=as_text)
        case _:
            return str(value)


def _time_text(text: str) -> str:
    found = _TIME.fullmatch(text)
    if not found:
        return text
    day, clock, fraction, zone = found.groups()
    fraction = (fraction or "").rstrip("0")
    return f"{day}T{clock}{'.' + fraction if fraction else ''}{'Z' if zone else ''}"
