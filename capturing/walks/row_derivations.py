"""Keep the associations behind a few rows in memory, and find source rows that act together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I64, Bools, minus, union, unique
from provhouse.model.associations import NONE

from .cursor_ids import Position
from .cursor_places import SOURCES, CursorPlace
from .flow import CapturedFlow
from .tap_links import TapLink

MOST = 1 << 22
"""The largest number of associations to keep in memory."""
_EMPTY = np.empty(0, np.int64)
Placed = Mapping[CursorPlace, I64]
"""The sorted ids at each place."""


@dataclass(frozen=True)
class _Table:
    """Associations of a link.

    Each row or group in ``keys`` derives from the ids at the same position in each column.
    """

    keys: I64
    columns: tuple[tuple[CursorPlace, I64], ...]
    """The place of each column's ids, and the ids, which may be ``NONE``.

    A slot whose ids belong to two places has two columns.
    """

    def rows(self, at: Bools) -> "_Table":
        """Return the associations that the mask ``at`` selects."""
        return _Table(self.keys[at], tuple((place, ids[at]) for place, ids in self.columns))

    def ids(self) -> Iterator[tuple[CursorPlace, I64]]:
        """Yield the place of each column, and the column's distinct ids."""
        for place, ids in self.columns:
            yield place, unique(ids[ids != NONE])


class RowDerivations:
    """The associations from some rows back to the source rows."""

    def __init__(
        self, start: Placed, known: Placed, tables: Mapping[CursorPlace, list[_Table]]
    ) -> None:
        self._start, self._known, self._tables = start, known, tables
        self.sources = known.get(SOURCES, _EMPTY)
        """The ids of all source rows behind the start rows."""

    @classmethod
    def of(cls, flow: CapturedFlow, position: Position) -> "RowDerivations | None":
        """Return the associations behind a few rows, or None if they are too many or not recorded.

        They are not recorded for windows that use only parts of their partitions.
        """
        start = {place: ids.held for place, ids in position.items() if ids.held is not None}
        tables = defaultdict[CursorPlace, list[_Table]](list)
        known, wanted, left = dict[CursorPlace, I64](), start, MOST
        while wanted:
            reached = defaultdict[CursorPlace, I64](lambda: _EMPTY)
            for place, ids in wanted.items():
                known[place] = union(known.get(place, _EMPTY), ids)
                for link in flow.back(place):
                    table = _read(link, ids, left)
                    if table is None:
                        return None
                    left -= len(table.keys)
                    tables[place].append(table)
                    for at, more in table.ids():
                        reached[at] = union(reached[at], more)
            new = {at: minus(ids, known.get(at, _EMPTY)) for at, ids in reached.items()}
            wanted = {at: ids for at, ids in new.items() if len(ids)}
        return cls(start, known, tables)

    def closed(self, rows: I64) -> I64:
        """Return the ``rows`` from which a start row derives, supposing no other source rows."""
        whole = self._whole(rows)
        used, wanted = {SOURCES: _EMPTY}, self._start
        while wanted:
            reached = defaultdict[CursorPlace, I64](lambda: _EMPTY)
            for place, ids in wanted.items():
                used[place] = union(used.get(place, _EMPTY), ids)
                for table in whole.get(place, ()):
                    for at, more in table.rows(np.isin(table.keys, ids)).ids():
                        reached[at] = union(reached[at], more)
            new = {at: minus(ids, used.get(at, _EMPTY)) for at, ids in reached.items()}
            wanted = {at: ids for at, ids in new.items() if len(ids)}
        return used[SOURCES]

    def _whole(self, rows: I64) -> dict[CursorPlace, list[_Table]]:
        """Return the associations that do not need source rows other than ``rows``."""
        found = dict[CursorPlace, list[_Table]]()
        there = dict[CursorPlace, I64]({SOURCES: rows})

        def ids(place: CursorPlace) -> I64:
            if place not in there:
                tables = self._tables.get(place)
                if not tables:
                    return self._known.get(place, _EMPTY)
                found[place] = [table.rows(holds(table)) for table in tables]
                there[place] = unique(np.concatenate([each.keys for each in found[place]]))
            return there[place]

        def holds(table: _Table) -> Bools:
            every = np.ones(len(table.keys), bool)
            for place, values in table.columns:
                every &= (values == NONE) | np.isin(values, ids(place))
            return every

        for place in self._start:
            ids(place)
        return found


def _read(link: TapLink, ids: I64, most: int) -> _Table | None:
    """Return the associations of ``ids``, or None if they are unknown or more than ``most``."""
    if not link.slots:
        return _Table(ids, ())
    rows = link.scan_rows(ids)
    if rows is None:
        return None
    parts, count = list[I64](), 0
    for part in rows:
        parts.append(part)
        count += part.shape[1]
        if count > most:
            return None
    values = np.concatenate([np.empty((1 + len(link.slots), 0), np.int64), *parts], 1)
    return _Table(values[0], tuple(_columns(link, values[1:])))


def _columns(link: TapLink, values: I64) -> Iterator[tuple[CursorPlace, I64]]:
    for slot, column in zip(link.slots, values, strict=True):
        ids = slot.of_rows(column)
        if len(slot.places) == 1:
            yield slot.places[0], ids
            continue
        for place in slot.places:
            first, end = link.bounds_of(place)
            yield place, np.where((ids >= first) & (ids < end), ids, NONE)
