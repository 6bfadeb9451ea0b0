"""Print row ids as the names of their items, and find row ids among names.

A row id is a 64-bit integer. Together with the pattern of its table, it forms a name, such as
``orders/17``. A name counts as a row id only if it is exactly what this module prints:
``orders/017`` is the name of another item.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from provhouse.model.arrays import I32, I64, U64
from provhouse.model.compiled import compiled
from provhouse.model.patterns import Pattern

from .hashing import digest

Bytes = npt.NDArray[np.uint8]
DIGITS = 20
"""The maximum number of characters of a 64-bit integer, including its sign."""
_MOST = 1 << 31
"""The size in bytes that an array of the type string must not reach."""


def printed(pattern: Pattern, ids: I64) -> pa.Array:
    """Return the name of each row id of a table. The type is string, or large_string above 2 GB."""
    return printed_rows([pattern], np.zeros(len(ids), np.int32), ids)


def printed_rows(patterns: Sequence[Pattern], codes: I32, ids: I64) -> pa.Array:
    """Return the name of each row id. ``codes`` contains the position of each row id's pattern.

    Names for the code -1 are empty. The type is string, or large_string above 2 GB.
    """
    before, before_at = _joined([pattern.before for pattern in patterns])
    after, after_at = _joined([pattern.after for pattern in patterns])
    around = np.diff(before_at) + np.diff(after_at)
    ends = np.append(0, np.cumsum(_lengths(codes, ids, around)))
    data = np.empty(int(ends[-1]), np.uint8)
    _print(before, before_at, after, after_at, codes, ids, ends, data)
    small = ends[-1] < _MOST
    kind = pa.StringArray if small else pa.LargeStringArray
    offsets = ends.astype(np.int32 if small else np.int64)
    return kind.from_buffers(len(ids), pa.py_buffer(offsets), pa.py_buffer(data))


def printed_hashes(pattern: Pattern, ids: I64, seed: int = 0) -> U64:
    """Return the XXH64 of each row id's name; compute it without making the names."""
    result: U64 = _hash(_bytes(pattern.before), _bytes(pattern.after), ids, np.uint64(seed))
    return result


def parsed(names: pa.Array, patterns: Sequence[Pattern]) -> tuple[I32, I64]:
    """Return each name's pattern, as a position, and the id in the name; -1 if no pattern fits.

    No two patterns may produce the same name.
    """
    if not len(names):
        return np.empty(0, np.int32), np.empty(0, np.int64)
    large = pa.types.is_large_string(names.type)
    _, offsets, data = names.buffers()
    at = np.frombuffer(offsets, np.int64 if large else np.int32)
    places: I64 = at[names.offset : names.offset + len(names) + 1].astype(np.int64)
    text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    before, before_at = _joined([pattern.before for pattern in patterns])
    after, after_at = _joined([pattern.after for pattern in patterns])
    result: tuple[I32, I64] = _parse(text, places, before, before_at, after, after_at)
    return result


def _bytes(text: str) -> Bytes:
    return np.frombuffer(text.encode(), np.uint8)


def _joined(texts: Sequence[str]) -> tuple[Bytes, I64]:
    parts = [text.encode() for text in texts]
    ends = np.append(0, np.cumsum([len(part) for part in parts])).astype(np.int64)
    return np.frombuffer(b"".join(parts), np.uint8), ends


@compiled(inline=True)
def _magnitude(number: np.int64) -> np.uint64:
    # Unsigned, since the magnitude of the least 64-bit integer does not fit into an int64.
    return np.uint64(number) if number >= 0 else np.uint64(0) - np.uint64(number)


@compiled()
def _lengths(codes: I32, ids: I64, around: I64) -> I64:
    """Return the number of bytes of each name; a name with a negative code is empty."""
    out = np.zeros(len(ids), np.int64)
    for row in range(len(ids)):
        if codes[row] < 0:
            continue
        left, length = _magnitude(ids[row]) // np.uint64(10), 1
        while left > 0:
            left //= np.uint64(10)
            length += 1
        out[row] = length + (ids[row] < 0) + around[codes[row]]
    return out


@compiled(inline=True)
def _write_backwards(data: Bytes, end: int, number: np.int64) -> int:
    """Write the digits of a number so that they end before ``end``; return the first position."""
    left, at = _magnitude(number), end
    while True:
        rest = left // np.uint64(10)
        at -= 1
        data[at] = np.uint8(np.uint64(48) + left - rest * np.uint64(10))
        left = rest
        if left == 0:
            break
    if number < 0:
        at -= 1
        data[at] = np.uint8(45)
    return at


@compiled()
def _print(
    before: Bytes,
    before_at: I64,
    after: Bytes,
    after_at: I64,
    codes: I32,
    ids: I64,
    ends: I64,
    data: Bytes,
) -> None:
    """Write each name so that it ends at ``ends``: its prefix, its id, its suffix."""
    for row in range(len(ids)):
        code = codes[row]
        if code < 0:
            continue
        start, last = after_at[code], after_at[code + 1] - after_at[code]
        at, end = ends[row], ends[row + 1] - last
        for i in range(before_at[code], before_at[code + 1]):
            data[at] = before[i]
            at += 1
        _write_backwards(data, end, ids[row])
        for i in range(last):
            data[end + i] = after[start + i]


@compiled()
def _hash(before: Bytes, after: Bytes, ids: I64, seed: np.uint64) -> U64:
    """Return the hash of each name without storing the names."""
    out = np.empty(len(ids), np.uint64)
    text = np.empty(len(before) + DIGITS + len(after), np.uint8)
    digits = len(before) + DIGITS
    text[digits:] = after
    for row in range(len(ids)):
        at = _write_backwards(text, digits, ids[row])
        for i in range(len(before)):
            text[at - len(before) + i] = before[i]
        out[row] = digest(text, at - len(before), len(text), seed)
    return out


@compiled()
def _parse(
    text: Bytes, offsets: I64, before: Bytes, before_at: I64, after: Bytes, after_at: I64
) -> tuple[I32, I64]:
    """Return the code and the id of each string; the code is -1 if no table prints such a name."""
    code = np.full(len(offsets) - 1, -1, np.int32)
    ids = np.zeros(len(offsets) - 1, np.int64)
    for row in range(len(code)):
        for number in range(len(before_at) - 1):
            start = offsets[row] + before_at[number + 1] - before_at[number]
            end = offsets[row + 1] - (after_at[number + 1] - after_at[number])
            if end - start < 1 or end - start > DIGITS:
                continue
            if not _same(text, offsets[row], start, before, before_at[number]):
                continue
            if not _same(text, end, offsets[row + 1], after, after_at[number]):
                continue
            valid, key = _integer(text, start, end)
            if valid:
                code[row], ids[row] = number, key
                break
    return code, ids


@compiled()
def _same(text: Bytes, start: int, end: int, other: Bytes, at: int) -> bool:
    """Return whether the bytes from ``start`` to ``end`` equal the bytes of ``other`` at ``at``."""
    alike = 0
    while alike < end - start and text[start + alike] == other[at + alike]:
        alike += 1
    return alike == end - start


@compiled()
def _integer(text: Bytes, start: int, end: int) -> tuple[bool, np.int64]:
    """Return whether a string is an integer exactly as this module prints it, and its value."""
    negative = text[start] == 45
    at = start + 1 if negative else start
    # Neither leading zeros nor -0 are printed.
    if at == end or (text[at] == 48 and (negative or end - at > 1)):
        return False, np.int64(0)
    most = np.uint64(1 << 63) if negative else np.uint64((1 << 63) - 1)
    total = np.uint64(0)
    while at < end:
        digit = np.uint64(text[at]) - np.uint64(48)  # bytes below "0" wrap to large numbers
        if digit > 9 or total > (most - digit) // np.uint64(10):
            return False, np.int64(0)
        total = total * np.uint64(10) + digit
        at += 1
    return True, np.int64(np.uint64(0) - total) if negative else np.int64(total)
