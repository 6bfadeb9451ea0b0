"""Distinct pairs of a position in a list and a 64-bit number. Many pairs are kept on disk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I64, Bools, unique
from provhouse.model.associations import ROW_BITS

from .spread import Spread

_NEAR = 16
"""Row ids that differ only in this many low bits are in one part, as they occur together."""


@dataclass(frozen=True)
class Pairs:
    """Distinct pairs, in order: a position in a list of keys, and the id of a source row."""

    at: I64
    row: I64


class PairSet:
    """Distinct pairs in parts, each part in order. Call ``add`` for all pairs, then ``seal``."""

    def __init__(self, most: int, aside: Path) -> None:
        self.most = most
        self._spread = Spread(2, most, aside)
        self.count = 0
        self.sizes: I64 = np.empty(0, np.int64)
        """The number of pairs for each position."""

    def add(self, pairs: Pairs) -> None:
        """Add pairs, which may repeat."""
        self._spread.add(part_of(pairs.row), [pairs.at, pairs.row])

    def seal(self, positions: int) -> "PairSet":
        """Remove repeated pairs; ``positions`` is the length of the list."""
        self.sizes = np.zeros(positions, np.int64)
        for number, part in enumerate(self._spread.parts()):
            kept = distinct([Pairs(*part)])
            self._spread.replace(number, [kept.at, kept.row])
            self.count += len(kept.at)
            self.sizes += np.bincount(kept.at, minlength=positions)
        return self

    def parts(self) -> Iterator[Pairs]:
        """Yield the parts. A position may be in several parts, but each pair is in one part."""
        for part in self._spread.parts():
            yield Pairs(*part)

    def rows(self) -> I64:
        """Return the distinct row ids of all pairs, in order."""
        parts = [unique(part.row) for part in self.parts()]
        return unique(np.concatenate(parts))


def part_of(row: I64) -> I64:
    """Return, for each row id, a number that determines its part."""
    return row >> _NEAR


def distinct(parts: Sequence[Pairs]) -> Pairs:
    """Return the distinct pairs of all given parts, in order."""
    empty = np.empty(0, np.int64)
    at = np.concatenate([empty, *(part.at for part in parts)])
    row = np.concatenate([empty, *(part.row for part in parts)])
    if not len(at):
        return Pairs(at, row)
    file, index = row >> ROW_BITS, row & ((1 << ROW_BITS) - 1)
    least, files = int(file.min()), int(file.max()) - int(file.min()) + 1
    rows = int(index.max()) + 1
    if (int(at.max()) + 1) * files * rows < 1 << 63:  # a pair fits into one number
        packed = (at * files + (file - least)) * rows + index
        if not (packed[1:] > packed[:-1]).all():
            packed.sort()
            packed = packed[_new(packed)]
        rest, index = np.divmod(packed, rows)
        at, file = np.divmod(rest, files)
        return Pairs(at, ((file + least) << ROW_BITS) + index)
    order = np.lexsort((row, at))
    at, row = at[order], row[order]
    new = _new(at) | _new(row)
    return Pairs(at[new], row[new])


def _new(ordered: I64) -> Bools:
    """Return, for each number, whether it differs from the number before it."""
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return new


def through(pairs: Pairs, at: I64, values: I64) -> Pairs:
    """Replace each lower group in ``pairs`` with its values; return pairs of a group and a value.

    Each pair has a group, ``pairs.at``, and the position of a lower group, ``pairs.row``. The lower
    group at position ``at[i]`` has the value ``values[i]``; ``at`` is in ascending order.
    """
    first = np.searchsorted(at, pairs.row, "left")
    count = np.searchsorted(at, pairs.row, "right") - first
    starts = np.repeat(first - (np.cumsum(count) - count), count)
    return Pairs(np.repeat(pairs.at, count), values[starts + np.arange(len(starts))])
