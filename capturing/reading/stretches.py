"""Divide runs of consecutive rows into stretches, which many runs share.

The runs of a running total over n rows have about n * n / 2 rows in all. So rows are also put into
stretches of 8, 16, 32 rows and so on, which begin at multiples of their length, as the nodes of a
segment tree do. A run of n rows is at most 2 * log2(n) stretches, and fewer than 8 rows at each
end.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.associations import ROW_BITS

LEAST_BITS = 3
"""The number of bits of the smallest stretch's length: shorter stretches would save nothing."""

Runs = tuple[I64, I64, I64]
"""Runs: what each belongs to, its first position, and the position after its last one."""


def bounds(stretches: I64) -> tuple[I64, I64]:
    """Return the first position of each stretch, and the position after its last one.

    A stretch may go beyond the end of its partition.
    """
    start = stretches & ((1 << ROW_BITS) - 1)
    return start, start + (1 << (stretches >> ROW_BITS))


def merged(runs: Sequence[tuple[I64, I64]]) -> Iterator[Runs]:
    """Yield disjoint runs with the same positions; each element of ``runs`` has a run per row."""
    starts, ends = (np.stack(each) for each in zip(*runs, strict=True))
    order = np.argsort(starts, axis=0)
    starts, ends = (np.take_along_axis(each, order, 0) for each in (starts, ends))
    start, end = starts[0], ends[0]
    for next_start, next_end in zip(starts[1:], ends[1:], strict=True):
        apart = next_start > end
        yield _not_empty(np.flatnonzero(apart), start[apart], end[apart])
        start = np.where(apart, next_start, start)
        end = np.where(apart, next_end, np.maximum(end, next_end))
    yield _not_empty(np.arange(len(start)), start, end)


def _not_empty(at: I64, start: I64, end: I64) -> Runs:
    kept = start < end
    return at[kept], start[kept], end[kept]


def divided(runs: Runs, first: I64, last: I64) -> tuple[list[Runs], list[tuple[I64, I64]]]:
    """Divide runs into shorter runs and stretches.

    ``first`` and ``last`` bound the partition of each run, as the run's own positions do. Returns
    the shorter runs, and pairs: what a run belongs to, and a stretch. A run to the end of its
    partition has a stretch that goes beyond the end instead of rows at its end.
    """
    at, start, end = runs
    low = -(-(start - first) >> LEAST_BITS)
    high = np.where(end == last, _units(last - first), (end - first) >> LEAST_BITS)
    whole = (low < high) & (first + (low << LEAST_BITS) < end)
    head = np.where(whole, first + (low << LEAST_BITS), end)
    tail = np.where(whole, np.minimum(first + (high << LEAST_BITS), end), end)
    return (
        [_not_empty(at, start, head), _not_empty(at, tail, end)],
        [*_climbed(at[whole], low[whole], high[whole], first[whole], last[whole])],
    )


def _units(length: I64) -> I64:
    """Return the number of smallest stretches in the shortest stretch of at least a length."""
    most = int(length.max(initial=1))
    powers = 1 << np.arange(max((most - 1).bit_length() - LEAST_BITS, 0) + 1)
    return powers[np.searchsorted(powers << LEAST_BITS, length)]


def _climbed(at: I64, low: I64, high: I64, first: I64, last: I64) -> Iterator[tuple[I64, I64]]:
    """Yield what runs belong to, with their stretches; runs go from ``low`` to below ``high``."""
    bits = LEAST_BITS
    while len(at):
        left, right = (low & 1) == 1, (high & 1) == 1
        for here, number in ((left, low), (right & (low + left < high), high - 1)):
            start = first + (number << bits)
            here = here & (start < last)
            yield at[here], (bits << ROW_BITS) + start[here]
        low, high, bits = (low + left) >> 1, high >> 1, bits + 1
        kept = low < high
        at, low, high, first, last = (each[kept] for each in (at, low, high, first, last))
