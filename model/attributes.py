"""The canonical format of an operation's attributes: a JSON object as a string.

All values are strings. Numbers and times have the same format, whatever file they come from:
integers without a plus sign or leading zeros, fractions in the shortest form that reads back as the
same number, times in ISO 8601 with a ``T`` and without trailing zeros. A null is left out; an empty
string is a value. Text from a CSV file is kept unchanged, except for times: ``2013-01-01 05:00:00``
becomes the same string as the equal timestamp in a Parquet file.
"""

import json
import re
from collections.abc import Callable, Container, Mapping
from datetime import date, time
from decimal import Decimal
from functools import reduce
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]00:?00)?")
_LIKE_A_TIME = r"^.{4}-..-..[ T]..:..:.."
_TO_ESCAPE = r'[\x00-\x1f"\\]'


def canonical(columns: pa.Table) -> pa.Array:
    """Return a JSON object with sorted keys for each row; an empty string if it has none."""
    names = sorted(columns.column_names)
    if not names:
        return pa.repeat(pa.scalar("", pa.string()), columns.num_rows)
    pairs = [_pairs(name, columns[name].combine_chunks()) for name in names]
    empty = reduce(pc.and_, map(pc.is_null, pairs))
    pairs[0] = pc.if_else(empty, "", pairs[0])  # Arrow 26.0 drops rows that have only nulls
    joined = pc.binary_join_element_wise(*pairs, ",", null_handling="skip")
    return pc.if_else(empty, "", _between("{", joined, "}"))


def as_object(values: Mapping[str, object], without: Container[str] = ()) -> str:
    """Return one row of Python values as canonical JSON; leave out the keys in ``without``."""
    given = [
        (name, value)
        for name, value in sorted(values.items(), key=itemgetter(0))
        if value is not None and name not in without
    ]
    pairs = [f"{_encode(name)}:{_encode(as_text(value))}" for name, value in given]
    return "{" + ",".join(pairs) + "}" if pairs else ""


_encode = json.JSONEncoder(ensure_ascii=False).encode


def texts(column: pa.Array) -> pa.Array:
    """Return each value of a column in its canonical format, without quotes."""
    encoded = _texts_of(column).dictionary_encode()
    return _as_texts(encoded.dictionary).take(encoded.indices)


def _pairs(name: str, column: pa.Array) -> pa.Array:
    """Return ``"name":"value"`` for each row; null where the value is null."""
    encoded = _texts_of(column).dictionary_encode()
    values = quoted(_as_texts(encoded.dictionary))
    return _between(f"{_encode(name)}:", values, "").take(encoded.indices)


def quoted(texts: pa.Array) -> pa.Array:
    """Return each string as a JSON string, in quotes."""
    escaped = pc.match_substring_regex(texts, _TO_ESCAPE)
    return _replaced(_between('"', texts, '"'), escaped, texts, _encode)


def _between(before: str, texts: pa.Array, after: str) -> pa.Array:
    return pc.binary_join_element_wise(before, texts, after, "")


def _as_texts(values: pa.Array) -> pa.Array:
    """Return values in their canonical format; Arrow converts integers and booleans itself."""
    if pa.types.is_integer(values.type) or pa.types.is_boolean(values.type):
        return values.cast(pa.string())
    if not pa.types.is_string(values.type):
        return pa.array([as_text(v) for v in values.to_pylist()], pa.string())
    times = pc.match_substring_regex(values, _LIKE_A_TIME)
    return _replaced(values, times, values, _time_text)


def _replaced(texts: pa.Array, where: pa.Array, of: pa.Array, by: Callable[[str], str]) -> pa.Array:
    """Return a copy of ``texts`` with new strings in the rows where the mask ``where`` is true.

    A row's new string is the result of the function ``by`` for the row's value in ``of``.
    """
    if not pc.any(where).as_py():
        return texts
    made = pa.array(map(by, of.filter(where).to_pylist()), pa.string())
    return pc.replace_with_mask(texts, where, made)


def _texts_of(column: pa.Array) -> pa.Array:
    """Return a column, as strings if Python would round or refuse values of its type."""
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
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        return column.cast(pa.string())
    return column


def as_text(value: object) -> str:
    """Return a value in its canonical format."""
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
