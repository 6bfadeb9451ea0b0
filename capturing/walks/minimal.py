"""Find a smallest set of rows with which a program still goes wrong.

The search is delta debugging (Zeller and Hildebrandt, TSE 2002) by bisection: of rows in some
order, it finds the shortest beginning that goes wrong, keeps its last row, and looks for the rest
before it. That takes about log n runs for each row that is found, where halving in all directions
takes up to n squared. BigSift (Gulzar et al., SoCC 2017) begins with lineage, too.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np

from provhouse.model.arrays import I64, minus, union

Fails = Callable[[I64], bool]
"""Says whether the program goes wrong on some rows, which are sorted."""
Closed = Callable[[I64], I64]
"""Returns those of some rows that can act together with the others of them."""

_GROWTH = 16
"""Each longer beginning has this many times as many rows, as long as none goes wrong."""


class Remembered:
    """Runs a program at most once on each set of rows, and counts the runs."""

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
    """Return rows with which a program goes wrong, and without any one of them does not.

    ``tables`` has the rows of each table, the most suspicious first; with all of them, it goes
    wrong. While rows of one table are tried, ``closed`` drops those of others that cannot matter.
    ``fails`` is called repeatedly with the same rows: see ``Remembered``.
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
    """Return some of the rows with which the program goes wrong, as it does with all."""
    needed = np.empty(0, np.int64)
    while True:
        end = _first(len(rows), lambda count: fails(np.append(needed, rows[:count])))  # noqa: B023
        if end == 0:
            return needed
        needed, rows = np.append(needed, rows[end - 1]), rows[: end - 1]


def _first(end: int, fails: Callable[[int], bool]) -> int:
    """Return a number up to ``end`` that fails, while the one before it does not, or 0.

    ``end`` itself is known to fail.
    """
    low, high = -1, min(0, end)
    while high < end and not fails(high):
        low, high = high, min(max(1, high * _GROWTH), end)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fails(middle) else (middle, high)
    return high


def _without_each(rows: I64, fails: Fails) -> I64:
    """Return the rows without any that can be left out."""
    at = kept = 0
    while kept < len(rows):
        less = np.delete(rows, at % len(rows))
        if fails(less):
            rows, kept = less, 0
        else:
            at, kept = at % len(rows) + 1, kept + 1
    return rows
