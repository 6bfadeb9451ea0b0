"""Find the rows that each row of a window used: a part of its partition."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I64

from .id_pairs import Pairs, PairSet
from .spread import Spread
from .tap_files import PIECE, alike, check_checks, count_rows, tap_pieces
from .tap_table import TapPart, TapTable

MOST_PER_ROW = 16
"""Up to this average number of used rows per row, the used rows are listed one by one."""
MARK_BITS = 16
FEW_KEYS = 1 << (MARK_BITS - 4)
"""The largest number of keys whose marks exclude at least 15 of 16 random values."""


@dataclass(frozen=True)
class _Found:
    """Rows with wanted keys, and the rows that they used, as positions in ``slots``."""

    at: I64
    """The position of each row's key among the wanted keys."""
    partition: I64
    runs: tuple[tuple[I64, I64], ...]
    """For each part of the window, the first used row, and the row after the last used row."""
    slots: I64

    @property
    def counts(self) -> list[I64]:
        """The numbers of used rows, for each part of the window."""
        return [np.maximum(end - start, 0) for start, end in self.runs]


class TapPartitions:
    """The partitions of a window, and the rows in them that rows with the given keys used.

    A whole partition is in memory at a time, as in a Spark task.
    """

    def __init__(self, table: TapTable, keys: I64, aside: Path) -> None:
        """Read a tap. Raises BadInput if two rows, or two partitions, have the same key."""
        self._table, self._keys, self._aside = table, keys, aside
        self.rows = count_rows(table.folder)
        """The total number of rows in all partitions."""
        width = table.first_slot + len(table.slots)
        self._spread = Spread(width, self.rows, aside)
        checks = Spread(2, self.rows, aside) if table.checked else None
        for piece in tap_pieces(table.folder, width):
            self._spread.add(piece[1], list(piece))
            if checks:
                checks.add(piece[1], [piece[1], piece[2]])
        if checks:
            check_checks(checks, table.by)
        self.count = 0
        """The total number of rows that the rows with the given keys used."""
        self.filled = np.zeros(len(keys), bool)
        """For each key, whether any row has this key."""
        for found in self._found():
            self.filled[found.at] = True
            self.count += sum(int(counts.sum()) for counts in found.counts)

    def whole(self) -> PairSet:
        """Return pairs: a key's position, and the partition of the row with this key."""
        pairs = PairSet(len(self._keys), self._aside)
        for found in self._found():
            pairs.add(Pairs(found.at, found.partition))
        return pairs.seal(len(self._keys))

    def pieces(self) -> Iterator[tuple[I64, I64]]:
        """Yield positions of keys, each with the slots of a used row."""
        for found in self._found():
            for (start, _), counts in zip(found.runs, found.counts, strict=True):
                ends = np.cumsum(counts)
                cuts = np.searchsorted(ends, np.arange(PIECE, ends[-1] if len(ends) else 0, PIECE))
                for first, last in pairwise([0, *cuts.tolist(), len(ends)]):
                    some = counts[first:last]
                    rows = np.repeat(start[first:last] - np.cumsum(some) + some, some)
                    rows += np.arange(len(rows))
                    yield np.repeat(found.at[first:last], some), found.slots[:, rows]

    def _found(self) -> Iterator[_Found]:
        first = 2 + self._table.checked
        for part in self._spread.parts():
            rows = part[:, np.lexsort((part[first], part[1]))]
            key, partition, place = rows[0], rows[1], rows[first]
            number = np.cumsum(np.diff(partition, prepend=partition[:1]) != 0)
            span = int(place.max(initial=0)) + 2  # above all row numbers, so partitions stay apart
            places = number * span + place
            _check_keys(key, places, self._table)
            at, row = position(key, self._keys)
            at, once = np.unique(at, return_index=True)
            row = row[once]
            counted = rows[first : self._table.first_slot, row]
            runs = []
            for used in self._table.parts:
                low, high = (np.clip(each, 0, span - 1) for each in _bounds(used, counted, span))
                start = np.searchsorted(places, number[row] * span + np.maximum(low, 1))
                runs.append((start, np.searchsorted(places, number[row] * span + high, "right")))
            yield _Found(at, partition[row], tuple(runs), rows[self._table.first_slot :])


def _bounds(part: TapPart, counted: I64, span: int) -> tuple[I64, I64]:
    """Return the numbers of a part's first and last row, which may be outside of the partition."""
    place = counted[0]
    if part.last is not None:
        last = counted[part.last] - part.less
        first = last - counted[part.count] + 1 if part.count is not None else np.ones_like(last)
        return first, last
    low = np.ones_like(place) if part.low is None else place + part.low
    high = np.full_like(place, span) if part.high is None else place + part.high
    return low, high


def _check_keys(keys: I64, places: I64, table: TapTable) -> None:
    order = np.argsort(keys, kind="stable")
    keys, places = keys[order], places[order]
    if ((keys[1:] == keys[:-1]) & (places[1:] != places[:-1])).any():
        raise alike(table.by)


def position(values: I64, keys: I64) -> tuple[I64, I64]:
    """Find the values that occur in ``keys``, which are sorted.

    Return the positions of these values in ``keys``, and their positions in ``values``.
    """
    if not len(keys):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if len(keys) > FEW_KEYS:
        at = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
        kept = np.flatnonzero(keys[at] == values)
        return at[kept], kept
    near = np.zeros(1 << MARK_BITS, bool)
    near[_mark(keys)] = True
    some = np.flatnonzero(near[_mark(values)])
    at = np.minimum(np.searchsorted(keys, values[some]), len(keys) - 1)
    kept = keys[at] == values[some]
    return at[kept], some[kept]


def _mark(values: I64) -> I64:
    """Return a small number for each value, so that most values are excluded without a search."""
    return (values ^ (values >> MARK_BITS)) & ((1 << MARK_BITS) - 1)
