"""Find the derivations that have lost a row, and describe stored derivations as strings.

A derivation is identified by a dst and a way, that is, its number among the derivations of this
dst.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import (
    I64,
    Bools,
    ItemNumbers,
    PartitionNumbers,
    RowPlaces,
    SetPositions,
    unique,
)
from provhouse.model.columns import (
    DERIVATION,
    DST,
    EXECUTION,
    INVOCATION,
    KIND,
    MODULE,
    OP,
    OP_KIND,
    ROLE,
    SRC,
    TIMES,
    VALUE,
    WAY,
)
from provhouse.model.derivations import INPUT, KINDS, ROLES, UNKNOWN

from .operations import kind_codes, operations_of
from .partitions import read_partition
from .ranges import Ranges, places
from .snapshot import Snapshot
from .touching import partitions_touching, touching

WayNumbers = I64
"""Pairs of a dst and a way, as an array of two rows in which each column is a pair."""
NO_WAYS: WayNumbers = np.empty((2, 0), np.int64)


def in_ways(rows: pa.Table, ways: WayNumbers) -> Bools:
    """Return, for each row, whether it is part of one of the given derivations.

    ``rows`` must have the columns dst and way.
    """
    if not ways.shape[1]:
        return np.zeros(rows.num_rows, bool)
    mine = np.stack([np.asarray(rows[DST], np.int64), _way(rows)])
    codes = np.unique(np.concatenate([ways, mine], axis=1), axis=1, return_inverse=True)[1]
    codes = codes.reshape(-1)
    found: Bools = np.isin(codes[ways.shape[1] :], codes[: ways.shape[1]])
    return found


def broken_ways(snapshot: Snapshot, erased: ItemNumbers) -> WayNumbers:
    """Return the derivations that have a row from or to an erased item."""
    if not (snapshot.derived and len(erased)):
        return NO_WAYS
    found = [NO_WAYS]
    for partition in partitions_touching(snapshot, erased).tolist():
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST, WAY))
        found.append(ways_of(rows.filter(pa.array(touching(rows, erased)))))
    return np.unique(np.concatenate(found, axis=1), axis=1)


def with_whole_derivations(snapshot: Snapshot, deaths: Ranges) -> Ranges:
    """Return the given deaths, and the deaths of other rows that follow from them.

    If a row of a derivation of the kind ``all`` dies, all other live rows of the derivation die
    too, because this kind of derivation needs every input. A derivation of another kind only
    becomes smaller. A row without a kind has the kind of its op.
    """
    if not (snapshot.derived and len(deaths)):
        return deaths
    operations = operations_of(snapshot)
    lost = [NO_WAYS]
    for partition in deaths.partitions.tolist():
        rows = read_partition(snapshot.partition_path(partition), (DST, OP, WAY, KIND))
        dies = deaths.has(places(partition, np.arange(rows.num_rows)))
        joint = kind_codes(rows, operations) == KINDS["all"]
        lost.append(ways_of(rows.filter(pa.array(dies & joint))))
    ways = np.unique(np.concatenate(lost, axis=1), axis=1)
    if not ways.shape[1]:
        return deaths

    def more() -> Iterator[Ranges]:
        for partition in _partitions_of(snapshot, ItemNumbers(unique(ways[0]))).tolist():
            rows = read_partition(snapshot.partition_path(partition), (DST, WAY))
            place = places(partition, np.flatnonzero(in_ways(rows, ways)))
            living = ~(deaths.has(place) | snapshot.deaths.has(place))
            yield Ranges.of(RowPlaces(place[living]))

    return Ranges.joined(chain([deaths], more()), snapshot.room)


def _partitions_of(snapshot: Snapshot, dsts: ItemNumbers) -> PartitionNumbers:
    """Return the partitions that may contain triples with one of the given dst."""
    sets = SetPositions(unique(snapshot.set_rows(dsts)))
    placed = snapshot.placements
    rows, _ = placed.rows(snapshot.ids_of(sets))
    return PartitionNumbers(unique(placed.partitions[rows]))


def ways_of(rows: pa.Table) -> WayNumbers:
    """Return the derivations that have at least one of the given rows.

    ``rows`` must have the columns dst and way.
    """
    pairs = np.stack([np.asarray(rows[DST], np.int64), _way(rows)])
    return np.unique(pairs[:, pairs[1] >= 0], axis=1)


def _way(rows: pa.Table) -> I64:
    return np.asarray(rows[WAY].fill_null(-1), np.int64)


def description_texts(rows: pa.Table, broken: Bools, operations: pa.Table) -> dict[str, pa.Array]:
    """Return the columns that describe derivations, with the names and strings used in traces.

    The mask ``broken`` is true for rows of derivations that have lost a row. The kind of these rows
    becomes ``unknown``, because the remaining rows are not the entire derivation. If the table
    ``operations`` contains a kind for the op of such a row, the row's kind becomes ``function``
    instead, which means the same. The kind ``any`` is kept, because one input is enough.
    """
    kind = rows[KIND].combine_chunks()
    unsure = pa.array(broken & (kind_codes(rows, operations) != KINDS["any"]))
    usual = rows.set_column(rows.column_names.index(KIND), KIND, pa.nulls(len(rows), pa.int8()))
    known = pa.array(kind_codes(usual, operations) >= 0)
    lost = pc.if_else(known, pa.scalar(KINDS["function"], pa.int8()), None)
    return {
        DERIVATION: rows[WAY].combine_chunks().cast(pa.string()),
        OP_KIND: _texts(pc.if_else(unsure, lost, kind), KINDS, UNKNOWN),
        ROLE: _texts(rows[ROLE].combine_chunks(), ROLES, INPUT),
        **{name: rows[name].combine_chunks() for name in _UNCHANGED},
    }


_UNCHANGED = (VALUE, TIMES, MODULE, INVOCATION, EXECUTION)


def _texts(codes: pa.Array, known: dict[str, int], usual: str) -> pa.Array:
    """Return the string for each code, and the string ``usual`` for each null."""
    return pa.array([*known, usual]).take(codes.fill_null(len(known)))
