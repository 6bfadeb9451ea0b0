"""Triples that come again: who brings them now, and who did not stand for them before."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.columns import HOLDS, ORIGIN, PARTITION, ROW
from provhouse.store.ranges import Ranges, places
from provhouse.store.snapshot import Snapshot

from .duplicates import Further
from .held import Held
from .stage import read_stream

PLACE = "place"
FIRST_ORIGIN = "first"
ASSERTED, BROUGHT, FURTHER = "asserted", "brought", "further"
"""What a range stages: new assertions of held triples, all that came again, those of new ones."""


def again(held: Held, origins: I64, further: Further) -> pa.Table:
    """Held triples that came again: place, origin that brings it, and who brought it first."""
    there = held.places >= 0
    mine = there[further.rows]
    rows = np.concatenate([np.flatnonzero(there), further.rows[mine]])
    return pa.table(
        {
            PLACE: held.places[rows],
            ORIGIN: np.concatenate([origins[there], further.origins[mine]]),
            FIRST_ORIGIN: held.origins[rows],
        }
    )


def unheard(snapshot: Snapshot, brought: pa.Table) -> pa.Table:
    """Those that the origin did not stand for: place and origin."""
    place, origin, first = (np.asarray(column) for column in brought.columns)
    stands = np.zeros(len(place), bool)
    for one in np.unique(origin).tolist():
        mine = np.flatnonzero(origin == one)
        stands[mine] = snapshot.assertions.holds(one, place[mine], first[mine])
    return brought.select([PLACE, ORIGIN]).filter(pa.array(~stands))


def said(origin: int, ranges: Ranges, *, holds: bool) -> pa.Table:
    """Rows of the table of assertions, without the ingest: an origin stands for them, or not."""
    rows = ranges.table()
    rows = rows.append_column(ORIGIN, pa.repeat(pa.scalar(origin, pa.int32()), rows.num_rows))
    return rows.append_column(HOLDS, pa.repeat(holds, rows.num_rows))


def assertions(folder: Path, partitions: Sequence[int], first_partition: int) -> Iterator[pa.Table]:
    """The assertions that were staged; ``partitions`` says how many each range has."""
    place, origin = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for path in sorted((folder / ASSERTED).glob("*")):
        rows = read_stream(path)
        place.append(np.asarray(rows[PLACE]))
        origin.append(np.asarray(rows[ORIGIN]))
    firsts = first_partition + np.cumsum([0, *partitions])
    for first, path in zip(firsts.tolist(), sorted((folder / FURTHER).glob("*")), strict=False):
        rows = read_stream(path)
        place.append(places(np.asarray(rows[PARTITION]) + first, np.asarray(rows[ROW])))
        origin.append(np.asarray(rows[ORIGIN]))
    all_places, all_origins = np.concatenate(place), np.concatenate(origin)
    for one in np.unique(all_origins).tolist():
        yield said(one, Ranges.of(np.sort(all_places[all_origins == one])), holds=True)
