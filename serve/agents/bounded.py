"""Answers of a bounded size: lists and texts are cut, and say how much more there is."""

import json
from collections.abc import Iterable
from typing import Any

MOST_BYTES = 8 << 20
"""The size of the largest answer that is read, in bytes."""
MOST_CHARACTERS = 40_000
"""The size of the largest answer that an agent receives, in characters."""
MOST_ROWS = (100, 50, 25, 12, 6, 3, 1)
"""The numbers of rows that lists are cut to; the first for which the answer is small enough."""
LONGEST = 500
"""The largest number of characters of a text."""


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
    """Return an answer as JSON of at most ``MOST_CHARACTERS``, or None if it cannot be cut so far.

    A list that is cut ends with a sentence that says how many more rows there are; ``narrower`` is
    its end.
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
