"""Find the stored triples that the input of an ingest contains again, and their new origins.

The triples are not stored again; their new origins become assertions.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, PartitionNumber, PartitionNumbers, RowPlaces, unique
from provhouse.model.columns import ORIGIN, PARTITION, ROW
from provhouse.runtime.room import Room
from provhouse.runtime.storage import read_stream
from provhouse.store.tables.assertions import NewAssertions
from provhouse.store.tables.ranges import Ranges, places
from provhouse.store.tables.snapshot import Snapshot

from ..staging import Staging
from .place_duplicates import MoreOrigins
from .place_stored import Stored

PLACE = "place"
FIRST_ORIGIN = "first"


def repeats(stored: Stored, origins: I64, further: MoreOrigins) -> pa.Table:
    """Return the stored triples that the input contains again, ordered by their row places.

    A row place is one number that stands for a partition and a row in the partition. The columns
    are the row place, the origin that contains the triple in this ingest, and the triple's first
    origin.
    """
    repeated = stored.places >= 0
    mine = repeated[further.rows]
    rows = np.concatenate([np.flatnonzero(repeated), further.rows[mine]])
    brings = np.concatenate([origins[repeated], further.origins[mine]])
    order = np.argsort(stored.places[rows], kind="stable")
    rows = rows[order]
    return pa.table(
        {PLACE: stored.places[rows], ORIGIN: brings[order], FIRST_ORIGIN: stored.origins[rows]}
    )


def new_assertions(snapshot: Snapshot, brought: pa.Table) -> pa.Table:
    """Return the rows of ``brought`` with origins that did not assert the triple before."""
    place, origin, first = (np.asarray(column) for column in brought.columns)
    stands = np.zeros(len(place), bool)
    for one in unique(origin).tolist():
        mine = np.flatnonzero(origin == one)
        stands[mine] = snapshot.assertions.holds(one, RowPlaces(place[mine]), first[mine])
    return brought.select([PLACE, ORIGIN]).filter(pa.array(~stands))


def assertions(
    staging: Staging, partitions: Sequence[int], first_partition: int, room: Room
) -> Iterator[pa.Table]:
    """Yield the rows to add to the Delta table of assertions, origin by origin.

    ``partitions`` has the number of new partitions in each range. Only the assertions of one range
    at a time are read into memory.
    """
    asserted = NewAssertions(room)

    def assert_all(place: RowPlaces, origin: I64) -> None:
        for one in unique(origin).tolist():
            asserted.add(one, Ranges.of(RowPlaces(np.sort(place[origin == one]))))

    for path in staging.new_assertions.all():
        rows = read_stream(path)
        assert_all(RowPlaces(np.asarray(rows[PLACE])), np.asarray(rows[ORIGIN]))
    firsts = first_partition + np.cumsum([0, *partitions])
    for first, path in zip(firsts.tolist(), staging.more_origins.all(), strict=False):
        rows = read_stream(path)
        partition = PartitionNumbers(np.asarray(rows[PARTITION]) + first)
        assert_all(places(partition, np.asarray(rows[ROW])), np.asarray(rows[ORIGIN]))
    yield from asserted.rows(holds=True)


class Repeats:
    """The stored triples that the input of an ingest contains again.

    They are read from staged files, one partition at a time.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._ranges = [tuple(map(_mapped, read_stream(path).columns[:2])) for path in paths]

    def at(self, partition: PartitionNumber) -> tuple[RowPlaces, I64]:
        """Return the places and origins of a partition's triples that the input contains again."""
        ends = places(PartitionNumbers(np.array([partition, partition + 1])), np.zeros(2, np.int64))
        place, origin = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for all_places, all_origins in self._ranges:
            low, high = np.searchsorted(all_places, ends)
            place.append(all_places[low:high])
            origin.append(all_origins[low:high])
        return RowPlaces(np.concatenate(place)), np.concatenate(origin)


def _mapped(column: pa.ChunkedArray) -> I64:
    """Return a column of a memory-mapped staged file as an array, without copying it."""
    values: I64 = column.combine_chunks().to_numpy()
    return values
