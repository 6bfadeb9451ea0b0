"""Links: for each row of a step's result, the rows of an input frame from which it derives.

There is a class for each kind of step, which stores no more than this kind needs. All of them look
up many rows at once, with NumPy.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from provhouse.model.arrays import expand_ranges, unique

Rows = NDArray[np.int64]
"""Positions of rows, counted from 0."""


class FrameLink(Protocol):
    """The lineage of one step: from the rows of its result to the rows of one input."""

    def expand(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs of a position in ``rows`` and an input row from which that row derives.

        The result is two arrays of equal length.
        """

    def forward(self, rids: Rows) -> Rows:
        """Return the distinct rows of the result that derive from the input rows ``rids``."""


class Ride:
    """A link from each row to at most one row of an input; -1 means no row."""

    def __init__(self, rids: NDArray[Any], number: int) -> None:
        self._rids = rids
        self._number = number

    def expand(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs; see ``FrameLink``."""
        rids = self._rids[rows]
        at = np.flatnonzero(rids >= 0)
        return at, rids[at]

    def forward(self, rids: Rows) -> Rows:
        """Return rows of the result; see ``FrameLink``."""
        chosen = np.zeros(self._number + 1, np.bool_)  # the last one is that of -1
        chosen[rids] = True
        return np.flatnonzero(chosen[self._rids])


class LinkPart:
    """A one-to-one link from consecutive rows, from ``start`` on, to all rows of an input."""

    def __init__(self, start: int, number: int) -> None:
        self._start, self._number = start, number

    def expand(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs; see ``FrameLink``."""
        rids = rows - self._start
        at = np.flatnonzero((rids >= 0) & (rids < self._number))
        return at, rids[at]

    def forward(self, rids: Rows) -> Rows:
        """Return rows of the result; see ``FrameLink``."""
        return rids + self._start


class LinkGroups:
    """A link from each group to all its rows, as CSR arrays that are computed on first use."""

    def __init__(self, codes: NDArray[Any], groups: int) -> None:
        self._codes = codes
        """The group number of each input row; -1 for a row without a group."""
        self._groups = groups

    @cached_property
    def _csr(self) -> tuple[Rows, Rows]:
        kind = np.int16 if self._groups < 1 << 15 else np.int64  # NumPy sorts int16 by radix
        order = np.argsort(self._codes.astype(kind), kind="stable")
        sizes = np.bincount(self._codes + 1, minlength=self._groups + 1)
        return np.cumsum(sizes), order

    def expand(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs; see ``FrameLink``."""
        ends, order = self._csr
        starts, counts = ends[rows], ends[rows + 1] - ends[rows]
        return np.repeat(np.arange(rows.size), counts), order[expand_ranges(starts, counts)]

    def forward(self, rids: Rows) -> Rows:
        """Return rows of the result; see ``FrameLink``."""
        found = unique(self._codes[rids])
        return found[found >= 0]


class Listed:
    """A link from each row to a list of input rows, stored as CSR arrays."""

    def __init__(self, sizes: Rows, rids: Rows, number: int) -> None:
        self._ends = np.concatenate([[0], np.cumsum(sizes)])
        self._rids = rids
        self._number = number

    def expand(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs; see ``FrameLink``."""
        starts, counts = self._ends[rows], self._ends[rows + 1] - self._ends[rows]
        return np.repeat(np.arange(rows.size), counts), self._rids[expand_ranges(starts, counts)]

    def forward(self, rids: Rows) -> Rows:
        """Return rows of the result; see ``FrameLink``."""
        chosen = np.zeros(self._number, np.bool_)
        chosen[rids] = True
        found = np.flatnonzero(chosen[self._rids])
        return unique(np.searchsorted(self._ends, found, "right") - 1)


class Every:
    """A link from each of ``rows`` rows to all rows of an input."""

    def __init__(self, rows: int, number: int) -> None:
        self._rows, self._number = rows, number

    def expand(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs; see ``FrameLink``."""
        at = np.repeat(np.arange(rows.size), self._number)
        return at, np.tile(np.arange(self._number), rows.size)

    def forward(self, rids: Rows) -> Rows:
        """Return rows of the result; see ``FrameLink``."""
        return np.arange(self._rows if rids.size else 0)


class Windows:
    """A link from each row to consecutive rows of an input, in the given ``order``."""

    def __init__(self, starts: Rows, ends: Rows, order: Rows) -> None:
        self._starts = starts
        self._ends = np.maximum(starts, ends)
        self._order = order
        """The input rows in the order in which each window consists of consecutive rows."""

    def expand(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs; see ``FrameLink``."""
        starts, counts = self._starts[rows], (self._ends - self._starts)[rows]
        at = np.repeat(np.arange(rows.size), counts)
        return at, self._order[expand_ranges(starts, counts)]

    def forward(self, rids: Rows) -> Rows:
        """Return rows of the result; see ``FrameLink``."""
        chosen = np.zeros(self._order.size, np.int64)
        chosen[rids] = 1
        before = np.concatenate([[0], np.cumsum(chosen[self._order])])
        return np.flatnonzero(before[self._ends] > before[self._starts])


class Later:
    """A link that is created when a question first needs it."""

    def __init__(self, make: Callable[[], FrameLink]) -> None:
        self._make: Callable[[], FrameLink] | None = make

    @cached_property
    def _made(self) -> FrameLink:
        assert self._make is not None
        link, self._make = self._make(), None  # the frames that it was made from can be freed
        return link

    def expand(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs; see ``FrameLink``."""
        return self._made.expand(rows)

    def forward(self, rids: Rows) -> Rows:
        """Return rows of the result; see ``FrameLink``."""
        return self._made.forward(rids)


def own_rows(number: int) -> Rows:
    """Return the positions of all rows in order."""
    return np.arange(number, dtype=np.int64)
