"""Sort rows by several columns of numbers, packed into fewer columns for speed."""

from collections.abc import Sequence

import numpy as np

from provhouse.model.arrays import I64

_BITS = 63
"""The number of bits in a packed number, not counting the sign bit."""


def sorted_by(keys: Sequence[I64]) -> I64:
    """Return the order that sorts rows by the last key, then by earlier keys (``np.lexsort``)."""
    if len(keys) == 1:
        return np.argsort(keys[0], kind="stable")
    return np.lexsort(tuple(keys))


def packed(keys: Sequence[I64]) -> list[I64]:
    """Return fewer keys, which order and distinguish rows in the same way as ``keys``.

    A key with the same value in all rows is left out. Neighbouring keys are joined as long as they
    fit in a 64-bit number: most columns of a trace have only a few values, or item numbers far
    below 2^63.
    """
    found: list[I64] = []
    bits = _BITS + 1
    for key in reversed(keys):  # the last key decides first
        low, span = _range(key)
        if not span:
            continue
        more = span.bit_length()
        if bits + more > _BITS:
            found.append(key)
            bits = more
            if more <= _BITS:
                found[-1] = key - low
        else:
            found[-1] = (found[-1] << more) | (key - low)
            bits += more
    return found[::-1] or [np.zeros(len(keys[0]), np.int64)]


def _range(key: I64) -> tuple[int, int]:
    """Return the lowest value, and the difference between the highest and the lowest value."""
    if not len(key):
        return 0, 0
    low = int(key.min())
    return low, int(key.max()) - low
