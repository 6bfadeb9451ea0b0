"""Find which origins assert a triple.

A triple lives as long as at least one origin asserts it. The first origin of a triple is stored
with the triple. Assertions by other origins, and retractions by any origin, are rows of the table
``assertions``. If an origin has several rows about a triple, the last row counts.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, PartitionNumbers, RowPlaces, unique
from provhouse.model.columns import HOLDS, INGEST, ORIGIN
from provhouse.runtime.room import MEMORY, Growing, Room, slices

from .ranges import Ranges, range_rows

_HALF = 32


class Assertions:
    """The assertions and retractions of each origin, in order of ingest.

    ``pieces`` are the visible rows of the table ``assertions``, in order of ingest. In all methods,
    ``places`` contains the places (partition and row) of triples, and ``first`` contains, for each
    of these triples, the origin that is stored with it.
    """

    def __init__(self, pieces: Iterable[pa.Table], room: Room = MEMORY) -> None:
        self._history: defaultdict[int, list[tuple[bool, Ranges]]] = defaultdict(list)
        runs = (run for rows in pieces for run in _runs(rows))
        for (_, origin, holds), same in groupby(runs, itemgetter(0)):
            said = Ranges.read((rows for _, rows in same), room)
            self._history[origin].append((holds, said))

    def partitions(self, origin: int) -> PartitionNumbers:
        """Return, in order, the partitions in which an origin has asserted or retracted triples."""
        spoken = [ranges.partitions for _, ranges in self._history.get(origin, ())]
        return PartitionNumbers(unique(np.concatenate([np.empty(0, np.int64), *spoken])))

    def holds(self, origin: int, places: RowPlaces, first: I64) -> Bools:
        """Return, for each of the given triples, whether the given origin asserts it."""
        said: Bools = first == origin
        for holds, ranges in self._history.get(origin, ()):
            said[ranges.has(places)] = holds
        return said

    def standing(self, places: RowPlaces, first: I64) -> tuple[I64, I64]:
        """Return the valid assertions of the given triples, as two parallel arrays.

        The first array contains positions in ``places``. The second array contains, for each of
        these positions, an origin that asserts the triple.
        """
        at = [np.flatnonzero(~np.isin(first, [*self._history]))]
        origins = [first[at[0]]]
        for origin in self._history:
            at.append(np.flatnonzero(self.holds(origin, places, first)))
            origins.append(np.full(len(at[-1]), origin))
        return np.concatenate(at), np.concatenate(origins)

    def others_hold(self, excluded: Collection[int], places: RowPlaces, first: I64) -> Bools:
        """Return, for each triple, whether any origin outside of ``excluded`` asserts it."""
        asserted = self._history.keys() - set(excluded)
        others: Bools = ~np.isin(first, [*excluded, *asserted])
        for origin in asserted:
            others |= self.holds(origin, places, first)
        return others


class NewAssertions:
    """Assertions or retractions, collected in any order. Rows are returned origin by origin."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._origins = Growing(room, np.int64)
        self._starts, self._ends = Growing(room, np.int64), Growing(room, np.int64)

    def add(self, origin: int, ranges: Ranges) -> None:
        """Add triples that one origin asserts and that were not added for this origin before."""
        self._origins.add(np.full(len(ranges.starts), origin))
        self._starts.add(ranges.starts)
        self._ends.add(ranges.ends)

    def __bool__(self) -> bool:
        """Return whether anything was added."""
        return bool(len(self._origins))

    def rows(self, *, holds: bool) -> Iterator[pa.Table]:
        """Yield the rows for the table ``assertions``, without the column ``ingest``.

        Call it once.
        """
        origins, starts, ends = (
            growing.array() for growing in (self._origins, self._starts, self._ends)
        )
        order = self._room.empty(len(origins), np.int64)
        for rows in slices(len(origins)):
            order[rows] = origins[rows] << _HALF | np.arange(rows.start, rows.stop)
        order.sort()  # by origin, then in the order in which they were added
        for rows in slices(len(order)):
            at = order[rows] & ((1 << _HALF) - 1)
            said = range_rows(RowPlaces(starts[at]), RowPlaces(ends[at]))
            said = said.append_column(ORIGIN, pa.array(order[rows] >> _HALF, pa.int32()))
            yield said.append_column(HOLDS, pa.repeat(holds, said.num_rows))


def _runs(rows: pa.Table) -> Iterator[tuple[tuple[int, int, bool], pa.Table]]:
    """Yield the rows in runs of neighbours with the same ingest, origin and value of ``holds``."""
    keys = [np.asarray(rows[name]) for name in (INGEST, ORIGIN, HOLDS)]
    changes = np.zeros(max(rows.num_rows - 1, 0), bool)
    for key in keys:
        changes |= key[1:] != key[:-1]
    bounds = [0, *(np.flatnonzero(changes) + 1).tolist(), rows.num_rows]
    for start, end in pairwise(bounds if rows.num_rows else []):
        ingest, origin, holds = (key[start].item() for key in keys)
        yield (ingest, origin, holds), rows.slice(start, end - start)
