"""Rid indexes: from the rows of a result, or of a block in a query, to the rows they come from.

A link is a CSR (compressed sparse rows): ``offsets[i]`` to ``offsets[i + 1]`` are the positions of
row i's rids. A link in which each row has one rid has no offsets: it is one array.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .kernels import Offsets, Rids

Rows = NDArray[np.int64]
"""Distinct row numbers in ascending order."""
BLOW_UP = 2
"""Links are composed if the composition has at most this many times the rids of both."""
SMALL = 1024


@dataclass
class Link:
    """One step of lineage. ``number`` is the number of rows that rids point into."""

    offsets: Offsets | None
    rids: Rids
    number: int
    _inverse: "Link | None" = field(default=None, repr=False)

    @property
    def rows(self) -> int:
        """The number of rows that the link starts from."""
        return self.rids.size if self.offsets is None else self.offsets.size - 1

    @property
    def size(self) -> int:
        """The size of the link in bytes, and of its inverse if that exists."""
        own = self.rids.nbytes + (0 if self.offsets is None else self.offsets.nbytes)
        return own + (self._inverse.size if self._inverse else 0)

    def csr(self) -> tuple[Offsets, Rids]:
        """Return offsets and rids, also of a link that is one array."""
        if self.offsets is None:
            return np.arange(self.rids.size + 1, dtype=np.int64), self.rids
        return self.offsets, self.rids

    def backward(self, rows: Rows) -> Rows:
        """Return the distinct rids of some rows."""
        if self.offsets is None:
            return distinct(self.rids[rows])
        return distinct(kernels.gather(self.offsets, self.rids, rows))

    def inverse(self) -> "Link":
        """Return the link of the other direction, which is kept."""
        if self._inverse is None:
            offsets, rids = kernels.invert(*self.csr(), self.number)
            self._inverse = Link(offsets, rids, self.rows)
        return self._inverse


def distinct(rids: Rids) -> Rows:
    """Return rids in ascending order without repeats."""
    if rids.size > 1 and not bool((rids[1:] > rids[:-1]).all()):
        rids = np.unique(rids)
    return rids.astype(np.int64, copy=False)


def from_pairs(keys: Rids, values: Rids, rows: int, number: int) -> Link:
    """Return the link of pairs of a row and a rid; pairs with a negative rid are dropped."""
    kind = np.int32 if number < 2**31 else np.int64
    values = values.astype(kind, copy=False)
    one_each = keys.size == rows and bool((keys == np.arange(rows)).all())
    if one_each and (values.size == 0 or int(values.min()) >= 0):
        return Link(None, values, number)
    offsets, rids = kernels.sort_pairs(keys, values, rows)
    if not kernels.increasing(offsets, rids):
        offsets, rids = kernels.without_repeats(offsets, rids, number)
    return Link(offsets, rids, number)


@dataclass
class Chain:
    """Links one after the other, from a result to a table. Few are composed into one."""

    links: list[Link]

    @property
    def size(self) -> int:
        """The size of all links in bytes."""
        return sum(link.size for link in self.links)

    def backward(self, rows: Rows) -> Rows:
        """Return the rids that rows of the result come from."""
        for link in self.links:
            rows = link.backward(rows)
        return rows

    def forward(self, rids: Rows) -> Rows:
        """Return the rows of the result that come from rids."""
        for link in reversed(self.links):
            rids = link.inverse().backward(rids)
        return rids


def chained(links: Sequence[Link]) -> Chain:
    """Return the chain of links, with neighbours composed where that does not blow up."""
    done = [links[0]]
    for link in links[1:]:
        joined = _composed(done[-1], link)
        done[-1:] = [joined] if joined else [done[-1], link]
    return Chain(done)


def _composed(outer: Link, inner: Link) -> Link | None:
    if inner.offsets is None:
        return _gathered(outer, inner)
    offsets, middle = outer.csr()
    size = kernels.composed_size(offsets, middle, inner.offsets)
    if size > BLOW_UP * (middle.size + inner.rids.size) + SMALL:
        return None
    offsets, rids = kernels.compose(offsets, middle, inner.offsets, inner.rids, size)
    if not kernels.increasing(offsets, rids):
        offsets, rids = kernels.without_repeats(offsets, rids, inner.number)
    return Link(offsets, rids, inner.number)


def _gathered(outer: Link, inner: Link) -> Link:
    rids = inner.rids[outer.rids]
    if outer.offsets is None:
        return Link(None, rids, inner.number)
    offsets = outer.offsets
    if not kernels.increasing(offsets, rids):
        offsets, rids = kernels.without_repeats(offsets, rids, inner.number)
    return Link(offsets, rids, inner.number)
