"""Find which origins assert a triple. A triple lives as long as at least one origin asserts it.

The first origin is stored with the triple. Assertions by other origins, and retractions by any
origin, are rows of the table ``assertions``. If an origin has several rows about a triple,
the last row counts.
"""

from collections import defaultdict
from collections.abc import Collection

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, PartitionNumbers, RowPlaces
from provhouse.model.columns import HOLDS, INGEST, ORIGIN

from .ranges import Ranges


class Assertions:
    """The assertions and retractions of each origin, in order of ingest.

    ``rows`` are the visible rows of the table ``assertions``. In all methods, ``places`` are the
    places of some triples (partition and row), and ``first`` has the origin stored with each of
    these triples.
    """

    def __init__(self, rows: pa.Table) -> None:
        self._history: defaultdict[int, list[tuple[bool, Ranges]]] = defaultdict(list)
        keys = rows.select([INGEST, ORIGIN, HOLDS]).group_by([INGEST, ORIGIN, HOLDS]).aggregate([])
        said = [np.asarray(rows[name]) for name in (INGEST, ORIGIN, HOLDS)]
        for key in keys.sort_by(INGEST).select([INGEST, ORIGIN, HOLDS]).to_pylist():
            ingest, origin, holds = key.values()
            same = (said[0] == ingest) & (said[1] == origin) & (said[2] == holds)
            self._history[origin].append((holds, Ranges.read(rows.filter(pa.array(same)))))

    def partitions(self, origin: int) -> PartitionNumbers:
        """Return the partitions where an origin has asserted or retracted triples, in order."""
        spoken = [ranges.partitions for _, ranges in self._history.get(origin, ())]
        return PartitionNumbers(np.unique(np.concatenate([np.empty(0, np.int64), *spoken])))

    def holds(self, origin: int, places: RowPlaces, first: I64) -> Bools:
        """Return, for each of the given triples, whether the given origin asserts it."""
        said: Bools = first == origin
        for holds, ranges in self._history.get(origin, ()):
            said[ranges.has(places)] = holds
        return said

    def standing(self, places: RowPlaces, first: I64) -> tuple[I64, I64]:
        """Return all assertions of some triples, as parallel arrays.

        The first array has positions in ``places``. The second array has, for each of these
        positions, an origin that asserts the triple.
        """
        at = [np.flatnonzero(~np.isin(first, [*self._history]))]
        origins = [first[at[0]]]
        for origin in self._history:
            at.append(np.flatnonzero(self.holds(origin, places, first)))
            origins.append(np.full(len(at[-1]), origin))
        return np.concatenate(at), np.concatenate(origins)

    def others_hold(self, excluded: Collection[int], places: RowPlaces, first: I64) -> Bools:
        """Return, for each of some triples, whether an origin that is not excluded asserts it."""
        asserted = self._history.keys() - set(excluded)
        others: Bools = ~np.isin(first, [*excluded, *asserted])
        for origin in asserted:
            others |= self.holds(origin, places, first)
        return others


def assertion_rows(origin: int, ranges: Ranges, *, holds: bool) -> pa.Table:
    """Return one origin's rows of the table ``assertions``, without the column ``ingest``."""
    rows = ranges.table()
    rows = rows.append_column(ORIGIN, pa.repeat(pa.scalar(origin, pa.int32()), rows.num_rows))
    return rows.append_column(HOLDS, pa.repeat(holds, rows.num_rows))
