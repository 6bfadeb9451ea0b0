"""Triples that come again: who brings them now, and who did not stand for them before."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.columns import ORIGIN, PARTITION, ROW
from provhouse.store.tables.assertions import said
from provhouse.store.tables.ranges import Ranges, places
from provhouse.store.tables.snapshot import Snapshot

from ..staging import Staging, read_stream
from .place_duplicates import MoreOrigins
from .place_stored import Stored

PLACE = "place"
FIRST_ORIGIN = "first"


def repeats(stored: Stored, origins: I64, further: MoreOrigins) -> pa.Table:
    """Held triples that came again: place, origin that brings it, and who brought it first.

    They are in the order of places.
    """
    there = stored.places >= 0
    mine = there[further.rows]
    rows = np.concatenate([np.flatnonzero(there), further.rows[mine]])
    brings = np.concatenate([origins[there], further.origins[mine]])
    order = np.argsort(stored.places[rows], kind="stable")
    rows = rows[order]
    return pa.table(
        {PLACE: stored.places[rows], ORIGIN: brings[order], FIRST_ORIGIN: stored.origins[rows]}
    )


def new_assertions(snapshot: Snapshot, brought: pa.Table) -> pa.Table:
    """Those that the origin did not stand for: place and origin."""
    place, origin, first = (np.asarray(column) for column in brought.columns)
    stands = np.zeros(len(place), bool)
    for one in np.unique(origin).tolist():
        mine = np.flatnonzero(origin == one)
        stands[mine] = snapshot.assertions.holds(one, place[mine], first[mine])
    return brought.select([PLACE, ORIGIN]).filter(pa.array(~stands))


def assertions(
    staging: Staging, partitions: Sequence[int], first_partition: int
) -> Iterator[pa.Table]:
    """The assertions that were staged; ``partitions`` says how many each range has."""
    asserted: defaultdict[int, list[Ranges]] = defaultdict(list)

    def assert_all(place: I64, origin: I64) -> None:
        for one in np.unique(origin).tolist():
            asserted[one].append(Ranges.of(np.sort(place[origin == one])))

    for path in staging.new_assertions.all():
        rows = read_stream(path)
        assert_all(np.asarray(rows[PLACE]), np.asarray(rows[ORIGIN]))
    firsts = first_partition + np.cumsum([0, *partitions])
    for first, path in zip(firsts.tolist(), staging.more_origins.all(), strict=False):
        rows = read_stream(path)
        place = places(np.asarray(rows[PARTITION]) + first, np.asarray(rows[ROW]))
        assert_all(place, np.asarray(rows[ORIGIN]))
    for one in sorted(asserted):
        yield said(one, Ranges.joined(asserted[one]), holds=True)


class Repeats:
    """What came again in this ingest, of which one partition at a time is looked at."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._ranges = [tuple(map(_mapped, read_stream(path).columns[:2])) for path in paths]

    def at(self, partition: int) -> tuple[I64, I64]:
        """The places there, and for each the origin that brought it."""
        ends = places(np.array([partition, partition + 1]), np.zeros(2, np.int64))
        place, origin = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for all_places, all_origins in self._ranges:
            low, high = np.searchsorted(all_places, ends)
            place.append(all_places[low:high])
            origin.append(all_origins[low:high])
        return np.concatenate(place), np.concatenate(origin)


def _mapped(column: pa.ChunkedArray) -> I64:
    """A column of a staged file, which stays there until it is looked at."""
    values: I64 = column.combine_chunks().to_numpy()
    return values
