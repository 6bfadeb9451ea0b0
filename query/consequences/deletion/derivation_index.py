"""Index the derivations of triples for what-if questions.

A derivation is one way to make an item. The kind of a derivation determines how its triples act
together. The index numbers items without gaps; such a number is called a *place*.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32, I64, Bools, ItemNumbers, distinct, union
from provhouse.model.compiled import compiled
from provhouse.model.derivations import KINDS

I8 = npt.NDArray[np.int8]

UNKNOWN: Final = -1
ALL: Final = KINDS["all"]
ANY: Final = KINDS["any"]
AGGREGATE: Final = KINDS["aggregate"]
FUNCTION: Final = KINDS["function"]
EXCEPT: Final = KINDS["except"]
COPY: Final = 100
"""The kind of a triple from a group to an item; the item has the same derivation as the group."""
ALONE: Final = -1
"""The value of ``way`` for a row that was stored without a derivation."""

_POOLED, _ALTERNATIVES, _NAMED = 0, 1, 2
SPARSE = 2
"""The limit for the range of item numbers, as a multiple of the number of triples.

Within this limit, a place is an item's number minus the first item's number. In a wider range, the
items are numbered again without gaps, which takes longer.
"""


@dataclass(frozen=True)
class DerivationRows:
    """Triples and the known facts about their derivations, as parallel arrays.

    ``kind`` is a code from ``KINDS``, ``UNKNOWN`` or ``COPY``. ``way`` distinguishes the stored
    derivations of one dst. ``joint`` distinguishes rows without a way: rows of one dst with the
    same number act together, unless their kind is ``any`` or unknown. ``kind``, ``way`` and
    ``joint`` are None if nothing is known about any row. ``conditional`` marks the rows of
    derivations that may fail if the value of an input changes; it is None if there are no such
    rows.
    """

    src: I64
    dst: I64
    kind: I8 | None = None
    way: I64 | None = None
    joint: I64 | None = None
    conditional: Bools | None = None

    def __len__(self) -> int:
        return len(self.src)


class TripleIndex(NamedTuple):
    """The arrays of ``Derivations`` that compiled loops read."""

    at: I64
    rows: I32
    targets: I32
    ends: I32
    first: I32
    dst: I32
    kind: I8
    size: I32
    src: I32


class Derivations:
    """An index of triples by src, and by derivation.

    The derivations of the place ``p`` are ``first[p]`` to ``first[p + 1] - 1``. The triples from
    ``p`` are at the positions ``at[p]`` to ``at[p + 1] - 1`` of three arrays: ``rows`` has the row
    of each triple, ``targets`` its derivation, and ``ends`` the place of its dst.

    If rows of a dst are alternatives, they share one derivation of the kind ``any``. If nothing is
    known about rows of a dst, they share one derivation of the kind ``UNKNOWN``.
    """

    def __init__(self, rows: DerivationRows) -> None:
        src, dst = self._placed(rows.src, rows.dst)
        self.of: I32
        """The derivation of each row."""
        key, width = (dst, 1) if rows.kind is None else _keys(rows, dst)
        ordered, of = distinct(key)
        self.of = of.astype(np.int32)
        self.dst = (ordered // width).astype(np.int32)
        self.kind: I8 = np.full(len(ordered), UNKNOWN, np.int8)
        if rows.kind is not None:
            self.kind[self.of] = rows.kind
        self.conditional: Bools = np.zeros(len(ordered), bool)
        """For each derivation, whether it may fail because an input gets another value."""
        if rows.conditional is not None:
            self.conditional[self.of[rows.conditional]] = True
        self.size: I32 = np.bincount(self.of, minlength=len(self.dst)).astype(np.int32)
        counts = np.bincount(self.dst, minlength=self.places)
        self.first: I32 = np.append(0, np.cumsum(counts)).astype(np.int32)
        self.at: I64 = np.zeros(self.places + 2, np.int64)
        self.rows: I32 = np.empty(len(rows), np.int32)
        self.targets: I32 = np.empty(len(rows), np.int32)
        self.ends: I32 = np.empty(len(rows), np.int32)
        _index(src, dst, self.of, self.at, self.rows, self.targets, self.ends)
        self.src: I32 = src.astype(np.int32)
        """The place of the src of each row."""
        self.index = TripleIndex(
            self.at, self.rows, self.targets, self.ends, self.first, self.dst, self.kind, self.size,
            self.src,
        )  # fmt: skip

    @cached_property
    def by_derivation(self) -> tuple[I64, I64]:
        """The rows, ordered by derivation, and the position of each derivation's first row."""
        return np.argsort(self.of, kind="stable"), np.append(0, np.cumsum(self.size))

    def rows_of(self, derivation: int) -> I64:
        """Return the rows of a derivation."""
        rows, first = self.by_derivation
        return rows[first[derivation] : first[derivation + 1]]

    def _placed(self, src: I64, dst: I64) -> tuple[I64, I64]:
        """Assign places to the items, and return the places of ``src`` and of ``dst``."""
        self._known: I64 | None = None
        ends = [one for one in (src, dst) if len(one)]
        self._first = min((int(one.min()) for one in ends), default=0)
        self.places = max((int(one.max()) for one in ends), default=-1) - self._first + 1
        if self.places > SPARSE * len(src):
            self._known = union(src, dst)
            self._first, self.places = 0, len(self._known)
            return np.searchsorted(self._known, src), np.searchsorted(self._known, dst)
        return src - self._first, dst - self._first

    def place(self, items: ItemNumbers) -> I32:
        """Return the places of the items that have triples."""
        places = self.find(items)
        return places[places >= 0]

    def find(self, items: ItemNumbers) -> I32:
        """Return the place of each item, or -1 for an item without a triple."""
        if self._known is not None:
            at = np.searchsorted(self._known, items)
            at = np.minimum(at, max(len(self._known) - 1, 0))
            inside = self._known[at] == items if len(self._known) else np.zeros(len(items), bool)
            return np.where(inside, at, -1).astype(np.int32)
        places = np.asarray(items) - self._first
        return np.where((places >= 0) & (places < self.places), places, -1).astype(np.int32)

    def items(self, places: I32) -> ItemNumbers:
        """Return the item number of each place."""
        if self._known is not None:
            return ItemNumbers(self._known[places])
        return ItemNumbers(places.astype(np.int64) + self._first)


def _keys(rows: DerivationRows, dst: I64) -> tuple[I64, int]:
    """Return a key for each row, and the range of keys per dst.

    Rows of the same derivation have the same key.
    """
    assert rows.kind is not None
    count = len(rows)
    code = np.full(count, _POOLED, np.int64)
    code[rows.kind == ANY] = _ALTERNATIVES
    used = _NAMED
    alone: Bools = np.ones(count, bool)
    if rows.way is not None:
        named = rows.way >= 0
        code[named] = rows.way[named] + used
        used += int(rows.way.max(initial=ALONE)) + 1
        alone = ~named
    if rows.joint is not None:
        joint = alone & (rows.kind >= 0) & (rows.kind != ANY)
        code[joint] = rows.joint[joint] + used
        used += int(rows.joint[joint].max(initial=-1)) + 1
    return dst * used + code, used


@compiled(nogil=True)
def _index(src: I64, dst: I64, of: I32, at: I64, rows: I32, targets: I32, ends: I32) -> None:
    """Sort the rows by src: ``rows[at[p] : at[p + 1]]`` are then the rows with src ``p``."""
    # The counts start two entries ahead. So at[p + 1] is where p begins after the sums are taken,
    # and where p ends after the rows are filled in.
    for row in range(len(src)):
        at[src[row] + 2] += 1
    for place in range(2, len(at)):
        at[place] += at[place - 1]
    for row in range(len(src)):
        place = src[row] + 1
        rows[at[place]] = row
        targets[at[place]] = of[row]
        ends[at[place]] = dst[row]
        at[place] += 1
