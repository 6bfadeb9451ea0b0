"""Rid indexes: from the rows of a result, or of a query block, to the rows they derive from.

A link is a CSR (compressed sparse rows): the rids of row i are at the positions from ``offsets[i]``
to ``offsets[i + 1]``. If each row has exactly one rid, the link has no offsets and is a single
array.
"""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provhouse.model.arrays import unique

from . import kernels
from .kernels import Offsets, Rids

Rows = NDArray[Any]
"""Distinct row numbers in ascending order, as int32 or int64. The array is often read-only."""
BLOW_UP = 2
"""Two links are composed unless the result has more than this many times the rids of both."""
SMALL = 1024


@dataclass
class Link:
    """One step of lineage. ``number`` is the size of the table or block to which rids refer.

    The rids of each row are in ascending order without repeats.
    """

    offsets: Offsets | None
    rids: Rids
    number: int
    codes: Rids | None = field(default=None, repr=False)
    """The only row of each rid, or ``rows`` if it has no row. Only a GROUP BY sets this."""
    _inverse: "Link | None" = field(default=None, repr=False)
    spilled: bool = False
    """Whether the arrays are in a file."""

    @property
    def rows(self) -> int:
        """The number of rows from which the link leads."""
        return self.rids.size if self.offsets is None else self.offsets.size - 1

    @property
    def size(self) -> int:
        """The size of the link in bytes, including its inverse if that was computed."""
        return self._own + (self._inverse.size if self._inverse else 0)

    @property
    def resident(self) -> int:
        """The number of bytes of ``size`` that are in memory, not in files."""
        own = 0 if self.spilled else self._own
        return own + (self._inverse.resident if self._inverse else 0)

    @property
    def _own(self) -> int:
        arrays = (self.rids, self.offsets, self.codes)
        return sum(each.nbytes for each in arrays if each is not None)

    def csr(self) -> tuple[Offsets, Rids]:
        """Return offsets and rids, also for a link without stored offsets."""
        if self.offsets is None:
            return np.arange(self.rids.size + 1, dtype=np.int64), self.rids
        return self.offsets, self.rids

    def backward(self, rows: Rows) -> Rows:
        """Return the distinct rids of the given rows; for a single row, without copying."""
        if self.offsets is None:
            return distinct(self.rids[rows], self.number)
        if rows.size == 1:
            found = self.rids[self.offsets[rows[0]] : self.offsets[rows[0] + 1]]
            found.flags.writeable = False
            return found
        rows = rows.astype(np.int64, copy=False)
        return distinct(kernels.gather(self.offsets, self.rids, rows), self.number)

    def forward(self, rids: Rows) -> Rows:
        """Return the distinct rows to which the given rids belong."""
        if self.codes is None:
            return self.inverse().backward(rids)
        rows = self.codes[rids]
        return distinct(rows[rows != self.rows], self.rows)

    def inverse(self) -> "Link":
        """Return the inverse link, from rids to rows. It is computed once and cached."""
        if self._inverse is None:
            offsets, rids = kernels.invert(*self.csr(), self.number)
            self._inverse = Link(offsets, rids, self.rows)
        return self._inverse

    def spill(self, folder: Path) -> None:
        """Move the arrays to Arrow files in a folder, and use them memory-mapped."""
        if not self.spilled:
            self.rids = mapped(self.rids, folder)
            self.offsets = None if self.offsets is None else mapped(self.offsets, folder)
            self.codes = None if self.codes is None else mapped(self.codes, folder)
        if self._inverse is not None:
            self._inverse.spill(folder)
        self.spilled = True


def mapped(array: NDArray[Any], folder: Path) -> NDArray[Any]:
    """Write an array to an Arrow file, and return the file's contents as a memory-mapped array."""
    column = pa.array(array)
    schema = pa.schema([("values", column.type)])
    handle, name = tempfile.mkstemp(dir=folder, suffix=".arrow")
    os.close(handle)
    with pa.OSFile(name, "wb") as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(pa.record_batch([column], schema=schema))
    with pa.memory_map(name) as source:
        return pa.ipc.open_file(source).get_batch(0).column(0).to_numpy()  # type: ignore[no-any-return]


MARKED = 64
"""If at least one in this many possible rids occurs, rids are sorted by marking an array."""


def distinct(rids: Rids, number: int = 0) -> Rows:
    """Return rids in ascending order without repeats. All are less than ``number`` if it is given.

    The result may be ``rids`` itself.
    """
    if rids.size < 2 or bool((rids[1:] > rids[:-1]).all()):
        return rids
    if not number or rids.size * MARKED < number or rids.size <= FEW:
        return unique(rids)
    marks = np.zeros(number, np.bool_)
    kernels.mark(rids, marks)
    return np.flatnonzero(marks)


def together(parts: Sequence[Rows]) -> Rows:
    """Return the distinct rids of several arrays."""
    return parts[0] if len(parts) == 1 else distinct(np.concatenate([np.empty(0, int), *parts]))


def ascending(offsets: Offsets, rids: Rids, number: int) -> tuple[Offsets, Rids]:
    """Return a CSR with the rids of each row in ascending order without repeats."""
    if kernels.increasing(offsets, rids):
        return offsets, rids
    # the other methods read an entry for each rid of the table, so a few rids are sorted
    few = rids.size < number // 8
    if few or rids.size < kernels.SHORT * (offsets.size - 1):
        return kernels.sort_rows(offsets, rids)
    codes = np.full(number, offsets.size - 1, np.int32)
    if kernels.only_rows(offsets, rids, codes):
        kernels.place_rids(offsets, codes, out := np.empty_like(rids))
        return offsets, out
    return kernels.merge_rows(*kernels.invert(offsets, rids, number), rids[:0], offsets.size - 1)


FEW = 1 << 12
"""Up to this many rids, NumPy is used: a compiled loop takes a second to load when first called."""


def _sorted_pairs(keys: Rids, values: Rids, rows: int) -> tuple[Offsets, Rids]:
    """Return a CSR with ascending rids from (row, rid) pairs; drop pairs with a negative rid.

    Intended for few pairs.
    """
    pairs = np.unique(np.stack([keys, values], axis=1)[values >= 0].astype(np.int64), axis=0)
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(np.bincount(pairs[:, 0], minlength=rows), out=offsets[1:])
    return offsets, pairs[:, 1].astype(values.dtype)


def from_pairs(keys: Rids, values: Rids, rows: int, number: int) -> Link:
    """Build a link from (row, rid) pairs; drop pairs with a negative rid."""
    kind = np.int32 if number < 2**31 else np.int64
    values = values.astype(kind, copy=False)
    one_each = keys.size == rows and bool((keys == np.arange(rows)).all())
    if one_each and (values.size == 0 or int(values.min()) >= 0):
        return Link(None, values, number)
    if rows == 1 and bool((values[1:] > values[:-1]).all()):
        kept = values[np.searchsorted(values, 0) :]
        return Link(np.array([0, kept.size], np.int64), kept, number)
    if values.size <= FEW:
        return Link(*_sorted_pairs(keys, values, rows), number)
    return Link(*ascending(*kernels.sort_pairs(keys, values, rows), number), number)


@dataclass
class Chain:
    """Successive links from a result to a table. Links with a small composition are composed."""

    links: list[Link]

    @property
    def size(self) -> int:
        """The size of all links in bytes."""
        return sum(link.size for link in self.links)

    @property
    def resident(self) -> int:
        """The number of bytes of ``size`` that are in memory, not in files."""
        return sum(link.resident for link in self.links)

    def backward(self, rows: Rows) -> Rows:
        """Return the rids from which the given rows of the result derive."""
        for link in self.links:
            rows = link.backward(rows)
        return rows

    def forward(self, rids: Rows) -> Rows:
        """Return the rows of the result that derive from the given rids."""
        for link in reversed(self.links):
            rids = link.forward(rids)
        return rids


def chained(links: Sequence[Link]) -> Chain:
    """Return a chain of the given links; compose adjacent links unless the result is too large."""
    done = [links[0]]
    for link in links[1:]:
        joined = _composed(done[-1], link)
        done[-1:] = [joined] if joined else [done[-1], link]
    return Chain(done)


def reordered(chain: Chain, order: Rows) -> Chain:
    """Return a chain for the same rows in another order.

    ``order`` contains the former position of each row.
    """
    return chained([Link(None, order, order.size), *chain.links])


def _composed(outer: Link, inner: Link) -> Link | None:
    if outer.offsets is None and outer.rows == inner.rows and _is_order(outer.rids):
        return inner
    if inner.offsets is None:
        return _gathered(outer, inner)
    offsets, middle = outer.csr()
    size = kernels.composed_size(offsets, middle, inner.offsets)
    if size > BLOW_UP * (middle.size + inner.rids.size) + SMALL:
        return None
    offsets, rids = kernels.compose(offsets, middle, inner.offsets, inner.rids, size)
    return Link(*ascending(offsets, rids, inner.number), inner.number)


def _is_order(rids: Rids) -> bool:
    return bool((rids == np.arange(rids.size)).all())


def _gathered(outer: Link, inner: Link) -> Link:
    rids = inner.rids[outer.rids]
    if outer.offsets is None:
        return Link(None, rids, inner.number)
    return Link(*ascending(outer.offsets, rids, inner.number), inner.number)


def merged(chains: Sequence[Chain]) -> list[Chain]:
    """Merge chains from the same rows to the same table, if each consists of one link."""
    if len(chains) < 2 or any(len(chain.links) > 1 for chain in chains):
        return list(chains)
    links = [chain.links[0] for chain in chains]
    rows, number = links[0].rows, links[0].number
    counted = [link.csr() for link in links]
    keys = [np.repeat(np.arange(rows), np.diff(offsets)) for offsets, _ in counted]
    values = np.concatenate([rids for _, rids in counted])
    return [Chain([from_pairs(np.concatenate(keys), values, rows, number)])]


def flattened(links: Sequence[Link]) -> Link:
    """Compose successive links into one link, however large it becomes."""
    one = links[0]
    for link in links[1:]:
        (offsets, middle), (inner, rids) = one.csr(), link.csr()
        size = kernels.composed_size(offsets, middle, inner)
        found = kernels.compose(offsets, middle, inner, rids, size)
        keys = np.repeat(np.arange(one.rows), np.diff(found[0]))
        one = from_pairs(keys, found[1], one.rows, link.number)
    return one
