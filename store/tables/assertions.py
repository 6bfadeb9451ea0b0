"""Which origins say of a triple that it is so; it lives while one of them does.

The first one to say it stands in the triple itself. What others say, and what any of them takes
back, stands in the table ``assertions``, where the last word of an origin counts.
"""

from collections import defaultdict
from collections.abc import Collection

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, PartitionNumbers
from provhouse.model.columns import HOLDS, INGEST, ORIGIN

from .ranges import Ranges


class Assertions:
    """What origins said and took back, in the order in which they did; ``rows`` are those shown."""

    def __init__(self, rows: pa.Table) -> None:
        self._history: defaultdict[int, list[tuple[bool, Ranges]]] = defaultdict(list)
        keys = rows.select([INGEST, ORIGIN, HOLDS]).group_by([INGEST, ORIGIN, HOLDS]).aggregate([])
        said = [np.asarray(rows[name]) for name in (INGEST, ORIGIN, HOLDS)]
        for key in keys.sort_by(INGEST).select([INGEST, ORIGIN, HOLDS]).to_pylist():
            ingest, origin, holds = key.values()
            same = (said[0] == ingest) & (said[1] == origin) & (said[2] == holds)
            self._history[origin].append((holds, Ranges.read(rows.filter(pa.array(same)))))

    def partitions(self, origin: int) -> PartitionNumbers:
        """The partitions of whose triples an origin has said something, in order."""
        spoken = [ranges.partitions for _, ranges in self._history.get(origin, ())]
        return PartitionNumbers(np.unique(np.concatenate([np.empty(0, np.int64), *spoken])))

    def holds(self, origin: int, places: I64, first: I64) -> Bools:
        """Whether an origin stands for each of some places, where ``first`` was the first."""
        said: Bools = first == origin
        for holds, ranges in self._history.get(origin, ()):
            said[ranges.has(places)] = holds
        return said

    def standing(self, places: I64, first: I64) -> tuple[I64, I64]:
        """Who stands for some places: a position among them and an origin, for each that does."""
        at = [np.flatnonzero(~np.isin(first, [*self._history]))]
        origins = [first[at[0]]]
        for origin in self._history:
            at.append(np.flatnonzero(self.holds(origin, places, first)))
            origins.append(np.full(len(at[-1]), origin))
        return np.concatenate(at), np.concatenate(origins)

    def others_hold(self, excluded: Collection[int], places: I64, first: I64) -> Bools:
        """Whether any origin but these stands for each of some places."""
        asserted = self._history.keys() - set(excluded)
        others: Bools = ~np.isin(first, [*excluded, *asserted])
        for origin in asserted:
            others |= self.holds(origin, places, first)
        return others


def assertion_rows(origin: int, ranges: Ranges, *, holds: bool) -> pa.Table:
    """Rows of the table of assertions, without the ingest: an origin stands for them, or not."""
    rows = ranges.table()
    rows = rows.append_column(ORIGIN, pa.repeat(pa.scalar(origin, pa.int32()), rows.num_rows))
    return rows.append_column(HOLDS, pa.repeat(holds, rows.num_rows))
