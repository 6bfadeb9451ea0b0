"""Sort pairs of a key and a value into arrays in files, with only some pairs in memory at once.

A sample of the keys determines ranges of keys. Pairs are first moved to their ranges, then each
range is sorted.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from provhouse.model.arrays import unique
from provhouse.runtime.storage import Array

Pairs = Callable[[], Iterable[tuple[Array, Array]]]
"""A function that returns all pairs in parts, each an array of keys and an array of values.

The function is called several times.
"""
RANGE = 1 << 22
"""The approximate number of pairs that are sorted at once."""
SAMPLE = 256
"""The sampling interval: one of every ``SAMPLE`` keys is in the sample."""


def count(pairs: Pairs) -> int:
    """Return the number of pairs."""
    return sum(len(keys) for keys, _ in pairs())


def sort_pairs(pairs: Pairs, keys: Array, values: Array) -> None:
    """Fill two arrays with all pairs, ordered by key, then value.

    The arrays have the length that ``count`` returns. All pairs with the same key are sorted in
    memory together, no matter how many there are.
    """
    bounds = _bounds(pairs, len(keys))
    sizes = np.zeros(len(bounds) + 1, np.int64)
    for some, _ in pairs():
        sizes += np.bincount(np.searchsorted(bounds, some, "right"), minlength=len(sizes))
    starts = np.append(0, np.cumsum(sizes))
    free = starts[:-1].copy()
    for some, of_some in pairs():
        range_of = np.searchsorted(bounds, some, "right")
        order = np.argsort(range_of, kind="stable")
        ends = np.cumsum(np.bincount(range_of, minlength=len(sizes)))
        for number, (start, end) in enumerate(pairwise([0, *ends.tolist()])):
            rows, place = order[start:end], slice(free[number], free[number] + end - start)
            keys[place], values[place] = some[rows], of_some[rows]
            free[number] += end - start
    for start, end in pairwise(starts.tolist()):
        order = np.lexsort((values[start:end], keys[start:end]))
        keys[start:end] = keys[start:end][order]
        values[start:end] = values[start:end][order]


def _bounds(pairs: Pairs, total: int) -> Array:
    """Return keys that divide the pairs into ranges of about ``RANGE`` pairs."""
    ranges = -(-total // RANGE)
    sample = np.sort(np.concatenate([keys[::SAMPLE] for keys, _ in pairs()]))
    return unique(sample[np.arange(1, ranges) * len(sample) // max(ranges, 1)])
