"""Limit the size of answers: cut long lists and strings, and state how much was left out."""

import json
from collections.abc import Iterable
from typing import Any

MOST_BYTES = 8 << 20
"""The size of the largest answer that is read, in bytes."""
MOST_CHARACTERS = 40_000
"""The size of the largest answer that an agent receives, in characters."""
MOST_ROWS = (100, 50, 25, 12, 6, 3, 1)
"""The lengths to which lists are cut, tried in this order until the answer is small enough."""
LONGEST = 500
"""Strings with more characters than this are cut."""


def read_bounded(pieces: Iterable[bytes]) -> bytes | None:
    """Return the bytes of an answer, or None if it has more than ``MOST_BYTES``."""
    parts, size = [], 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            return None
    return b"".join(parts)


def bounded(answer: object, narrower: str) -> str | None:
    """Return an answer as JSON, cut to ``MOST_CHARACTERS``; None if it cannot be cut that far.

    The last element of a list that was cut is a string: the number of rows left out, then
    ``narrower``.
    """
    for most in MOST_ROWS:
        text = json.dumps(_cut(answer, most, narrower), ensure_ascii=False)
        if len(text) <= MOST_CHARACTERS:
            return text
    return None


def _cut(value: Any, most: int, narrower: str) -> Any:
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:LONGEST]}… ({len(value) - LONGEST:,} more characters)"
    if isinstance(value, dict):
        return {name: _cut(each, most, narrower) for name, each in value.items()}
    if isinstance(value, list):
        rows = [_cut(each, most, narrower) for each in value[:most]]
        more = len(value) - len(rows)
        return [*rows, f"{more:,} more: {narrower}"] if more else rows
    return value
