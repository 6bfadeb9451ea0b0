"""Find the rows that each row of a window used: parts of ordered partitions."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I64

from .id_pairs import Pairs, PairSet
from .spread import Spread
from .stretches import Runs, bounds, divided, merged
from .tap_files import PIECE, alike, check_checks, count_rows, tap_pieces
from .tap_table import TapPart, TapTable

MOST_PER_ROW = 16
"""Up to this average number of used rows per row, the used rows are listed one by one."""
MARK_BITS = 16
FEW_KEYS = 1 << (MARK_BITS - 4)
"""The largest number of keys whose marks exclude at least 15 of 16 random values."""


@dataclass(frozen=True)
class OrderedPartitions:
    """Whole partitions: their rows in order, with positions counted over all rows of the tap."""

    first: int
    """The position of the first row."""
    rows: I64
    number: I64
    """The number of each row's partition, from 0."""
    ends: I64
    """The position after the last row of each partition."""
    first_slot: int

    def last(self, at: I64) -> I64:
        """Return the position after the last row of the partitions that contain positions."""
        found: I64 = self.ends[self.number[at - self.first]]
        return found

    def start(self, at: I64) -> I64:
        """Return the position of the first row of the partitions that contain positions."""
        number = self.number[at - self.first]
        return np.where(number > 0, self.ends[number - 1], self.first)

    def listed(self, runs: Runs) -> Iterator[tuple[I64, I64]]:
        """Yield what each run belongs to, with the slots of each of its rows."""
        at, start, end = runs
        counts = end - start
        ends = np.cumsum(counts)
        cuts = np.searchsorted(ends, np.arange(PIECE, ends[-1] if len(ends) else 0, PIECE))
        for low, high in pairwise([0, *cuts.tolist(), len(ends)]):
            some = counts[low:high]
            rows = np.repeat(start[low:high] - self.first - np.cumsum(some) + some, some)
            rows += np.arange(len(rows))
            yield np.repeat(at[low:high], some), self.rows[self.first_slot :, rows]


class TapPartitions:
    """The partitions of a window or a semi join, with their rows in order.

    A whole partition is in memory at a time, as in a Spark task.
    """

    def __init__(self, table: TapTable, aside: Path) -> None:
        """Read a tap. Raises BadInput if two partitions have the same key."""
        self.table = table
        self.rows = count_rows(table.folder)
        """The total number of rows in all partitions."""
        width, by = table.first_slot + len(table.slots), table.partition
        self._spread = Spread(width, self.rows, aside)
        checks = Spread(2, self.rows, aside) if table.checked else None
        for piece in tap_pieces(table.folder, width):
            self._spread.add(piece[by], list(piece))
            if checks:
                checks.add(piece[by], [piece[by], piece[by + 1]])
        if checks:
            check_checks(checks, table.by)

    def ordered(self) -> Iterator[OrderedPartitions]:
        """Yield the partitions in parts. Every call yields the same rows in the same order."""
        first, by = 0, self.table.partition
        for part in self._spread.parts():
            rows = part[:, np.lexsort((part[self.table.order], part[by]))]
            number = np.cumsum(np.diff(rows[by], prepend=rows[by, :1]) != 0)
            ends = first + np.cumsum(np.bincount(number))
            yield OrderedPartitions(first, rows, number, ends, self.table.first_slot)
            first += len(number)

    def rows_in(self, stretches: I64) -> Iterator[tuple[I64, I64]]:
        """Yield the positions of stretches among the given ones, each with the slots of a row."""
        start, end = bounds(stretches)
        for part in self.ordered():
            at = np.flatnonzero((start >= part.first) & (start < part.first + len(part.number)))
            yield from part.listed((at, start[at], np.minimum(end[at], part.last(start[at]))))


@dataclass(frozen=True)
class KeyRuns:
    """Wanted keys, and the rows that they stand for, as runs of positions."""

    at: I64
    """The positions of the keys among the wanted keys."""
    runs: tuple[tuple[I64, I64], ...]
    """Runs of each key: its first row, and the row after its last one. Runs may overlap."""
    part: OrderedPartitions

    @property
    def used(self) -> Iterator[Runs]:
        """The rows of each key, as disjoint runs."""
        for row, start, end in merged(self.runs):
            yield self.at[row], start, end


class UsedRows(ABC):
    """The rows of partitions for which the given keys stand."""

    def __init__(self, held: TapPartitions, keys: I64) -> None:
        """Count the rows. Raises BadInput if a key stands for two different groups."""
        self._held, self._keys = held, keys
        self.count = 0
        """The total number of rows of all keys."""
        self.filled = np.zeros(len(keys), bool)
        """For each key, whether it has been found."""
        for found in self._found():
            self.filled[found.at] = True
            self.count += sum(int((end - start).sum()) for _, start, end in found.used)

    @abstractmethod
    def _found(self) -> Iterator[KeyRuns]:
        """Yield the runs of the keys."""

    def pieces(self) -> Iterator[tuple[I64, I64]]:
        """Yield positions of keys, each with the slots of one of its rows."""
        for found in self._found():
            for runs in found.used:
                yield from found.part.listed(runs)

    def divided(self, stretches: PairSet) -> Iterator[tuple[I64, I64]]:
        """Add pairs to ``stretches``: a key's position, and a stretch of its rows.

        Yields the other rows, as ``pieces`` does.
        """
        for found in self._found():
            for runs in found.used:
                part = found.part
                short, long = divided(runs, part.start(runs[1]), part.last(runs[1]))
                for at, stretch in long:
                    stretches.add(Pairs(at, stretch))
                for each in short:
                    yield from part.listed(each)

    def whole(self, aside: Path) -> PairSet:
        """Return pairs: a key's position, and the stretch with the whole partition of its rows."""
        pairs = PairSet(len(self._keys) * 2, aside)
        for found in self._found():
            for at, start, _ in found.used:
                first, last = found.part.start(start), found.part.last(start)
                for each in divided((at, first, last), first, last)[1]:
                    pairs.add(Pairs(*each))
        return pairs


class FrameRows(UsedRows):
    """The rows that rows of a window used."""

    def _found(self) -> Iterator[KeyRuns]:
        table = self._held.table
        first = table.order
        for part in self._held.ordered():
            key, place = part.rows[0], part.rows[first]
            span = int(place.max(initial=0)) + 2  # above all row numbers, so partitions stay apart
            places = part.number * span + place
            _check_keys(key, places, table)
            at, row = position(key, self._keys)
            at, once = np.unique(at, return_index=True)
            row = row[once]
            counted = part.rows[first : table.first_slot, row]
            lowest = part.number[row] * span
            runs = []
            for used in table.parts:
                low, high = (np.clip(each, 0, span - 1) for each in _bounds(used, counted, span))
                start = np.searchsorted(places, lowest + np.maximum(low, 1))
                end = np.searchsorted(places, lowest + high, "right")
                runs.append((part.first + start, part.first + np.maximum(start, end)))
            yield KeyRuns(at, tuple(runs), part)


def _bounds(part: TapPart, counted: I64, span: int) -> tuple[I64, I64]:
    """Return the numbers of a part's first and last row, which may be outside of the partition."""
    place = counted[0]
    if part.found is not None:
        found = counted[part.found]
        last = place if part.last is None else counted[part.last]
        return np.minimum(place, found), np.maximum(last, found)
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
