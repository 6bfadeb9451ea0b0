"""Find triples of an ingest that the warehouse already stores.

Only a triple between stored items can be stored already. The search reads the partitions that
contain the set of the triple's dst, so the work grows with the number of sets that the ingest
touches, not with the size of the warehouse.
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
    among,
    matching_rows,
    unique,
)
from provhouse.model.columns import DST, ORIGIN, SRC, TRIPLE, WAY
from provhouse.store.tables.partitions import UNKNOWN_ORIGIN, partition_path, read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot

from .place_derivations import (
    ALONE,
    IDENTIFYING,
    NO_WAYS,
    SAID,
    NextWays,
    dense,
    plain,
    row_contents,
    same_contents,
)
from .place_duplicates import DistinctRows
from .place_texts import decoded

_ASKED = "asked"
_PLACE = "place"
_ITEMS = 1 << 40
"""A number above every item number."""


@dataclass(frozen=True)
class Stored:
    """The places of triples in the warehouse, and the triples' first origins.

    A place is one number that stands for a partition and a row in the partition. It is -1 for a
    triple that is not stored or has ended.
    """

    places: RowPlaces
    origins: I64
    following: NextWays
    """The next free way of each dst that has derivations."""


def find_stored(snapshot: Snapshot, found: DistinctRows, first_new: int) -> Stored:
    """Find the stored triples that equal the given triples.

    Items numbered ``first_new`` or higher are new.
    """
    rows = found.rows
    count = rows.num_rows
    places, origins = RowPlaces(np.full(count, -1)), np.full(count, UNKNOWN_ORIGIN, np.int64)
    src, dst = ItemNumbers(np.asarray(rows[SRC])), ItemNumbers(np.asarray(rows[DST]))
    described = ~plain(rows) | (found.derivations >= 0)
    candidates = np.flatnonzero((src < first_new) & (dst < first_new) & ~described)
    _find_plain(snapshot, rows, candidates, places, origins)
    following = NO_WAYS
    if described.any():
        candidates = np.flatnonzero((dst < first_new) & described)
        following = _find_described(snapshot, found, candidates, places, origins)
    return Stored(places, origins, following)


def _find_plain(
    snapshot: Snapshot, rows: pa.Table, candidates: I64, found: RowPlaces, origins: I64
) -> None:
    """Set the places and origins of those candidates that are stored as plain triples.

    ``candidates`` has indexes of plain rows, ordered by dst.
    """
    if not len(candidates):
        return
    wanted = decoded(rows.select(list(TRIPLE)).take(pa.array(candidates)))
    wanted = wanted.append_column(_ASKED, pa.array(candidates))
    src, dst = (np.asarray(wanted[end]) for end in (SRC, DST))
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    for partition, items in _by_partition(snapshot, ItemNumbers(dst)):
        path = partition_path(folder, partition)
        low, high = np.searchsorted(dst, [items[0], items[-1] + 1])  # rows are ordered by dst
        same = _between(read_partition(path, (SRC, DST)), src[low:high], dst[low:high])
        same = same[~snapshot.deaths.has(places(partition, same))]
        if not len(same):
            continue
        stored_rows = read_partition(path, (*TRIPLE, ORIGIN, *IDENTIFYING)).take(pa.array(same))
        stored_rows = stored_rows.append_column(_PLACE, pa.array(places(partition, same)))
        stored_rows = stored_rows.filter(pa.array(plain(stored_rows)))
        both = wanted.slice(low, high - low).join(
            stored_rows.select([*TRIPLE, ORIGIN, _PLACE]),
            list(TRIPLE),
            join_type="inner",
            use_threads=False,
        )
        asked = np.asarray(both[_ASKED])
        found[asked] = both[_PLACE]
        origins[asked] = both[ORIGIN]


def _find_described(
    snapshot: Snapshot, new: DistinctRows, candidates: I64, found: RowPlaces, origins: I64
) -> NextWays:
    """Set the places and origins of the candidates whose derivations are stored.

    ``candidates`` has the indexes of all rows that are not plain and have a stored dst. All rows of
    a derivation have the same dst, so complete derivations can be compared. Returns the next free
    way of each dst.
    """
    asked = decoded(new.rows.take(pa.array(candidates)))
    dsts = ItemNumbers(unique(np.asarray(asked[DST])))
    stored, following = _described_rows(snapshot, dsts)
    if not stored.num_rows:
        return following
    both = pa.concat_tables(
        [_of_triples(asked), _of_triples(stored)], promote_options="default"
    ).combine_chunks()
    content = row_contents(both)
    mine = len(candidates)
    way = np.asarray(stored[WAY].fill_null(ALONE), np.int64)
    ends = np.asarray(stored[DST])
    group = new.derivations[candidates]
    others = np.where(way < 0, ALONE, dense([way, ends]) + group.max() + 1)
    group = np.concatenate([group, others])
    key = dense([same_contents(group, content), content])
    order = np.lexsort([way, key[mine:]])  # equal stored derivations: first
    ordered = key[mine:][order]
    at = np.minimum(np.searchsorted(ordered, key[:mine]), len(ordered) - 1)
    same = np.flatnonzero(ordered[at] == key[:mine])
    rows = order[at[same]]
    found[candidates[same]] = np.asarray(stored[_PLACE])[rows]
    origins[candidates[same]] = np.asarray(stored[ORIGIN])[rows]
    return following


def _of_triples(rows: pa.Table) -> pa.Table:
    return rows.select([name for name in (*TRIPLE, *SAID) if name in rows.column_names])


def _described_rows(snapshot: Snapshot, dsts: ItemNumbers) -> tuple[pa.Table, NextWays]:
    """Return the live stored rows whose dst are given, and the next free way of each dst.

    Plain rows are left out.
    """
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    columns = (*TRIPLE, ORIGIN, *IDENTIFYING)
    parts = []
    following = np.zeros(len(dsts), np.int64)
    for partition, items in _by_partition(snapshot, dsts):
        rows = read_partition(partition_path(folder, partition), columns)
        at = np.flatnonzero(~plain(rows) & among(np.asarray(rows[DST]), items))
        if not len(at):
            continue
        rows = rows.take(pa.array(at))
        owner = np.searchsorted(dsts, np.asarray(rows[DST]))
        np.maximum.at(following, owner, np.asarray(rows[WAY].fill_null(ALONE), np.int64) + 1)
        place = places(partition, at)
        rows = rows.append_column(_PLACE, pa.array(place))
        parts.append(rows.filter(pa.array(~snapshot.deaths.has(place))))
    none = pa.table({_PLACE: pa.array([], pa.int64())})
    return pa.concat_tables(parts) if parts else none, NextWays(np.asarray(dsts), following)


def _between(stored_rows: pa.Table, src: I64, dst: I64) -> I64:
    """Return the indexes of the stored rows whose src and dst are one of the given pairs.

    The stored rows and the pairs are ordered by dst.
    """
    ends, items = np.asarray(stored_rows[DST]), unique(dst)
    rows, item = matching_rows(ends, items)
    pairs = item * _ITEMS + np.asarray(stored_rows[SRC])[rows]
    found: I64 = rows[np.isin(pairs, np.searchsorted(items, dst) * _ITEMS + src)]
    return found


def _by_partition(
    snapshot: Snapshot, items: ItemNumbers
) -> list[tuple[PartitionNumber, ItemNumbers]]:
    """Return the partitions that may have triples with the given items as dst.

    Each partition is returned with the items whose triples it may have.
    """
    distinct = ItemNumbers(unique(items))
    sets = snapshot.ids_of(snapshot.set_rows(distinct))
    places = snapshot.placements_of(SetIds(unique(sets)))
    rows, owner = places.rows(sets)
    partitions = places.partitions[rows]
    order = np.argsort(partitions, kind="stable")
    cuts = np.flatnonzero(np.diff(partitions[order])) + 1
    return [
        (PartitionNumber(int(partitions[same[0]])), ItemNumbers(distinct[owner[same]]))
        for same in np.split(order, cuts)
        if len(same)
    ]
