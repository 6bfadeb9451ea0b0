"""Find a smallest set of rows with which a program fails: it gives a wrong result or an error.

The search is delta debugging (Zeller and Hildebrandt, TSE 2002) by bisection. It orders the rows,
and finds the shortest prefix of this order with which the program fails. It keeps the last row of
this prefix, and searches for the other rows of the smallest set among the rows before it. Finding
each row takes about log n runs of the program, where n is the number of rows; the original delta
debugging algorithm takes up to n squared runs in total. As in BigSift (Gulzar et al., SoCC 2017),
the search starts with only the rows in the lineage.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np

from provhouse.model.arrays import I64, minus, union

Fails = Callable[[I64], bool]
"""A function that returns whether the program fails on the given sorted row ids."""
Closed = Callable[[I64], I64]
"""A function that returns the given rows except rows that cannot contribute to a result."""

_GROWTH = 16
"""The factor by which the tested prefix grows at each step, until the program fails.

Bisection follows.
"""


class Remembered:
    """A program that runs at most once on each set of rows, and counts its runs."""

    def __init__(self, fails: Fails) -> None:
        self._fails = fails
        self._known: dict[bytes, bool] = {}

    @property
    def runs(self) -> int:
        """The number of runs so far."""
        return len(self._known)

    def __call__(self, rows: I64) -> bool:
        digest = blake2b(rows.tobytes()).digest()
        if digest not in self._known:
            self._known[digest] = self._fails(rows)
        return self._known[digest]


def smallest(tables: Sequence[I64], fails: Fails, closed: Closed) -> I64:
    """Return rows with which a program fails, and none of which can be left out.

    ``tables`` has the rows of each table, the most suspicious first; with all rows together, the
    program fails. While the search tries rows of one table, ``closed`` drops rows of other tables
    that cannot matter. The search may call ``fails`` several times with the same rows: see
    ``Remembered``.
    """
    kept = np.sort(np.concatenate(tables)) if tables else np.empty(0, np.int64)
    for table in tables:
        part = table[np.isin(table, kept)]
        others = minus(kept, part)

        def together(some: I64, others: I64 = others) -> I64:
            return closed(union(some, others))

        found = _part(part, lambda some, together=together: fails(together(some)))  # type: ignore[misc]
        kept = together(found)
    return _without_each(kept, fails)


def _part(rows: I64, fails: Fails) -> I64:
    """Return a subset of ``rows`` with which the program still fails."""
    needed = np.empty(0, np.int64)
    while True:
        end = _first(len(rows), lambda count: fails(np.append(needed, rows[:count])))  # noqa: B023
        if end == 0:
            return needed
        needed, rows = np.append(needed, rows[end - 1]), rows[: end - 1]


def _first(end: int, fails: Callable[[int], bool]) -> int:
    """Return a number for which ``fails`` is true, although it is false for the number before.

    Returns 0 if ``fails`` is true for 0. The caller guarantees that ``fails`` is true for ``end``.
    """
    low, high = -1, min(0, end)
    while high < end and not fails(high):
        low, high = high, min(max(1, high * _GROWTH), end)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fails(middle) else (middle, high)
    return high


def _without_each(rows: I64, fails: Fails) -> I64:
    """Return ``rows`` without the rows that are not needed for the program to fail."""
    at = kept = 0  # ``kept`` counts the rows that were needed since the last row was left out
    while kept < len(rows):
        less = np.delete(rows, at % len(rows))
        if fails(less):
            rows, kept = less, 0
        else:
            at, kept = at % len(rows) + 1, kept + 1
    return rows
