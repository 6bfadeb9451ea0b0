"""Find triples of an ingest that the warehouse already stores.

Only triples between two stored items can be stored. They are looked for in the partitions that
contain the set of their dst, so that the work grows with the number of sets that the ingest touches
and not with the size of the warehouse.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import (
    I64,
    ItemNumbers,
    PartitionNumber,
    RowPlaces,
    SetIds,
    matching_rows,
)
from provhouse.model.columns import DST, ORIGIN, SRC, TRIPLE
from provhouse.store.tables.partitions import UNKNOWN_ORIGIN, partition_path, read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot

_ASKED = "asked"
_PLACE = "place"
_ITEMS = 1 << 40
"""A number above every item number."""


@dataclass(frozen=True)
class Stored:
    """Each triple's row place (-1 if the triple is not stored or has ended) and first origin."""

    places: RowPlaces
    origins: I64


def find_stored(snapshot: Snapshot, rows: pa.Table, first_new: int) -> Stored:
    """Find the stored triples that equal the rows (src, dst, op, attributes).

    The rows are ordered by dst. Items from the number ``first_new`` on are new.
    """
    count = rows.num_rows
    stored = Stored(RowPlaces(np.full(count, -1)), np.full(count, UNKNOWN_ORIGIN, np.int64))
    src, dst = ItemNumbers(np.asarray(rows[SRC])), ItemNumbers(np.asarray(rows[DST]))
    candidates = np.flatnonzero((src < first_new) & (dst < first_new))
    if not len(candidates):
        return stored
    wanted = rows.select(list(TRIPLE)).take(pa.array(candidates))
    wanted = wanted.append_column(_ASKED, pa.array(candidates))
    src, dst = ItemNumbers(src[candidates]), ItemNumbers(dst[candidates])
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    for partition, items in _by_partition(snapshot, dst):
        path = partition_path(folder, partition)
        low, high = np.searchsorted(dst, [items[0], items[-1] + 1])  # rows are ordered by dst
        same = _between(read_partition(path, (SRC, DST)), src[low:high], dst[low:high])
        same = same[~snapshot.deaths.has(places(partition, same))]
        if not len(same):
            continue
        stored_rows = read_partition(path, (*TRIPLE, ORIGIN)).take(pa.array(same))
        stored_rows = stored_rows.append_column(_PLACE, pa.array(places(partition, same)))
        both = wanted.slice(low, high - low).join(
            stored_rows, list(TRIPLE), join_type="inner", use_threads=False
        )
        asked = np.asarray(both[_ASKED])
        stored.places[asked] = both[_PLACE]
        stored.origins[asked] = both[ORIGIN]
    return stored


def _between(stored_rows: pa.Table, src: I64, dst: I64) -> I64:
    """Return the rows with one of these pairs (src, dst); rows and pairs are ordered by dst."""
    ends, items = np.asarray(stored_rows[DST]), np.unique(dst)
    rows, item = matching_rows(ends, items)
    pairs = item * _ITEMS + np.asarray(stored_rows[SRC])[rows]
    found: I64 = rows[np.isin(pairs, np.searchsorted(items, dst) * _ITEMS + src)]
    return found


def _by_partition(
    snapshot: Snapshot, items: ItemNumbers
) -> list[tuple[PartitionNumber, ItemNumbers]]:
    """Return each partition that may contain triples with one of these dst, and these items."""
    distinct = ItemNumbers(np.unique(items))
    sets = snapshot.ids_of(snapshot.set_rows(distinct))
    places = snapshot.placements_of(SetIds(np.unique(sets)))
    rows, owner = places.rows(sets)
    partitions = places.partitions[rows]
    order = np.argsort(partitions, kind="stable")
    cuts = np.flatnonzero(np.diff(partitions[order])) + 1
    return [
        (PartitionNumber(int(partitions[same[0]])), ItemNumbers(distinct[owner[same]]))
        for same in np.split(order, cuts)
        if len(same)
    ]
