"""The values of key columns as strings: one string for each value, whatever type stores it.

=====================  ==============================================================
integers, text, dates  as they are: ``17``, ``EWR``, ``2024-01-05``
booleans               ``true``, ``false``
decimals               without trailing zeros: ``12.5`` for 12.50, ``17`` for 17.000
floats                 the shortest number that reads back as the same float, written as in
                       canonical JSON (RFC 8785): ``0.1``, ``17``, ``1e-7``, ``1e+21``
instants               in UTC: ``2024-01-05T10:00:00Z``, and a fraction if it is not zero
times without a zone   ``2024-01-05T10:00:00``
UUIDs                  in lower case: ``0b5cf3b2-8f2d-4c5c-9d7e-2f6a1f0e9b11``
=====================  ==============================================================

So a row has the same name in a CSV file, in a Parquet file and in a table of a database.
``KeyName.java`` writes the same strings within Spark; a test compares both.
"""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

KINDS = "integers, text, dates, times, booleans, decimals, floats or UUIDs"
"""The types that keys may have, for error messages."""

_EXACT = {4: 2**24, 8: 2**53}
"""Up to this number, a float of that size stores all integers exactly."""


def can_be_key(kind: pa.DataType) -> bool:
    """Return whether columns of a type can be keys."""
    return is_text(kind) or any(
        fits(kind)
        for fits in (
            pa.types.is_integer,
            pa.types.is_date,
            pa.types.is_boolean,
            pa.types.is_decimal,
            pa.types.is_float32,
            pa.types.is_float64,
            pa.types.is_timestamp,
            _is_uuid,
        )
    )


def _is_uuid(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.UuidType)


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type stores strings."""
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def key_text(values: pa.Array) -> pa.Array:
    """Return values as strings, in the form of the table above; NULL stays NULL."""
    kind = values.type
    if pa.types.is_decimal(kind):
        return _decimals(values)
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return _floats(values)
    if pa.types.is_timestamp(kind):
        return _times(values)
    if _is_uuid(kind):
        return pa.array([value and str(value) for value in values.to_pylist()], pa.string())
    return values.cast(pa.string())


def name_text(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return values of any type as strings: those that can be keys in the form of ``key_text``."""
    found = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return key_text(found) if can_be_key(found.type) else found.cast(pa.string())


def _times(values: pa.Array) -> pa.Array:
    zone = values.type.tz
    exact = values.cast(pa.timestamp("us"), safe=False)  # from an instant, this is its UTC time
    texts = pc.strftime(exact, "%Y-%m-%dT%H:%M:%S")
    ended = pc.replace_substring_regex(texts, r"\.?0+$", "", max_replacements=1)
    return pc.binary_join_element_wise(ended, "Z", "") if zone else ended


def _decimals(values: pa.Array) -> pa.Array:
    if not 0 <= values.type.scale <= 6:  # Arrow writes very small and very large ones as 1E-7
        return pa.array(map(_plain, values.to_pylist()), pa.string())
    texts = values.cast(pa.string())
    if not values.type.scale:
        return texts
    return pc.replace_substring_regex(texts, r"\.?0+$", "", max_replacements=1)


def _plain(value: Decimal | None) -> str | None:
    if value is None:
        return None
    return f"{value.normalize():f}" if value else "0"


def _floats(values: pa.Array) -> pa.Array:
    found = pc.fill_null(values, 0).to_numpy(zero_copy_only=False)
    whole = np.isfinite(found) & (np.abs(found) < _EXACT[found.itemsize])
    whole &= np.where(whole, found, 0.5) == np.floor(np.where(whole, found, 0.5))
    texts = pa.array(np.where(whole, found, 0).astype(np.int64)).cast(pa.string())
    rest = np.flatnonzero(~whole)
    if len(rest):
        others = pa.array([_shortest(each) for each in found[rest]], pa.string())
        texts = pc.replace_with_mask(texts, pa.array(~whole), others)
    return pc.if_else(values.is_null(), None, texts)


def _shortest(value: np.floating) -> str:
    """Return the number with the fewest digits that reads back as the same float.

    If there are several, it is the closest one.
    """
    if not np.isfinite(value):
        return "NaN" if np.isnan(value) else "-Infinity" if value < 0 else "Infinity"
    return _as_json(Decimal(np.format_float_scientific(value)))


def _as_json(value: Decimal) -> str:
    """Return a number as JavaScript and RFC 8785 write it."""
    exponent = value.adjusted()
    if -7 < exponent < 21:
        return _plain(value) or ""
    sign, digits, _ = value.normalize().as_tuple()
    fraction = "." + "".join(map(str, digits[1:])) if digits[1:] else ""
    return f"{'-' * sign}{digits[0]}{fraction}e{exponent:+d}"
