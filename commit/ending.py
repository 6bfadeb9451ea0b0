"""Find the triples that end when origins or items are retracted.

A triple stays alive if another origin also asserts it. In this case, the table ``assertions``
records that the retracted origin no longer asserts the triple.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import (
    I64,
    ItemNumbers,
    PartitionNumber,
    RowPlaces,
    among,
    minus,
    unique,
)
from provhouse.model.columns import DIED, DST, INGEST, ORIGIN, SRC
from provhouse.store.tables.assertions import NewAssertions
from provhouse.store.tables.group_counts import Brought, partitions_into, with_ended_groups
from provhouse.store.tables.lost_derivations import with_whole_derivations
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.ranges import Ranges, places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import partitions_touching, touching

from .numbered_origins import Origin, origin_rows

_NONE = RowPlaces(np.empty(0, np.int64))


@dataclass(frozen=True)
class Ended:
    """The triples that die, and the triples that lose an origin but stay alive."""

    deaths: Ranges
    taken_back: NewAssertions | None = None
    kept: int = 0
    """The number of triples that stay alive because other origins assert them."""

    def __bool__(self) -> bool:
        return bool(len(self.deaths) or self.taken_back)

    def death_rows(self, generation: int) -> Iterator[pa.Table]:
        """Yield the rows for the table ``deaths``, without the column ``ingest``."""
        for rows in self.deaths.tables():
            died = pa.repeat(pa.scalar(generation, pa.int32()), rows.num_rows)
            yield rows.append_column(DIED, died)

    def assertion_rows(self) -> Iterator[pa.Table]:
        """Yield the rows for the table ``assertions``, without the column ``ingest``.

        Call it once.
        """
        if self.taken_back is not None:
            yield from self.taken_back.rows(holds=False)


@dataclass(frozen=True)
class _EndedInPartition:
    """The triples of one partition that die, or that lose an origin but stay alive.

    ``Ended`` explains the fields.
    """

    deaths: Ranges
    taken_back: tuple[tuple[int, Ranges], ...]
    kept: int


NOTHING_ENDS = Ended(Ranges(_NONE, _NONE))


class Repeated(Protocol):
    """The stored triples that an ingest contains again."""

    def at(self, partition: PartitionNumber) -> tuple[RowPlaces, I64]:
        """Return the places of a partition's repeated triples, and the origins that repeat them."""


class _Nothing:
    def at(self, partition: PartitionNumber) -> tuple[RowPlaces, I64]:
        return _NONE, _NONE


_NOTHING = _Nothing()


def end_of_origins(
    snapshot: Snapshot, origins: Collection[int], repeated: Repeated = _NOTHING
) -> Ended:
    """Return the triples that end when these origins are retracted.

    ``repeated`` has the triples that the ingest contains again, in these or other origins. None of
    these triples dies, and an origin that contains a triple again still asserts it. Only one
    partition of triples is in memory at a time.
    """
    where = _partitions_of_origins(snapshot, origins)
    taken_back, kept = NewAssertions(snapshot.room), 0

    def deaths() -> Iterator[Ranges]:
        nonlocal kept
        for one in sorted(where):
            part = _end_in_partition(snapshot, one, origins, where[one], *repeated.at(one))
            for origin, ranges in part.taken_back:
                taken_back.add(origin, ranges)
            kept += part.kept
            yield part.deaths

    ended = _with_what_follows(
        snapshot,
        Ranges.joined(deaths(), snapshot.room),
        lambda partition: repeated.at(partition)[0],
    )
    return Ended(ended, taken_back, kept)


def end_of_items(snapshot: Snapshot, items: ItemNumbers) -> Ended:
    """Return the end of all live triples from or to the given items, whatever their origins."""

    def living() -> Iterator[Ranges]:
        for partition in partitions_touching(snapshot, items).tolist():
            rows = _read(snapshot, partition, SRC, DST)
            found = places(partition, np.flatnonzero(touching(rows, items)))
            yield Ranges.of(RowPlaces(found[~snapshot.deaths.has(found)]))

    return Ended(_with_what_follows(snapshot, Ranges.joined(living(), snapshot.room)))


def end_of_lineage(snapshot: Snapshot, items: ItemNumbers) -> Ended:
    """Return the end of all live triples to the given items, whatever their origins."""

    def living() -> Iterator[Ranges]:
        for partition in partitions_into(snapshot, items).tolist():
            dst = np.asarray(_read(snapshot, partition, DST)[DST], dtype=np.int64)
            found = places(partition, np.flatnonzero(among(dst, items)))
            yield Ranges.of(RowPlaces(found[~snapshot.deaths.has(found)]))

    return Ended(_with_what_follows(snapshot, Ranges.joined(living(), snapshot.room)))


def _with_what_follows(
    snapshot: Snapshot, deaths: Ranges, brought: Brought = lambda _: _NONE
) -> Ranges:
    """Return the deaths, and the further deaths that follow from them.

    If an input of an ``all`` derivation dies, the rest of the derivation dies too. If all triples
    on one side of a group die, the rest of the group dies too.
    """
    return with_ended_groups(snapshot, with_whole_derivations(snapshot, deaths), brought)


def _partitions_of_origins(
    snapshot: Snapshot, origins: Collection[int]
) -> dict[PartitionNumber, set[int]]:
    """Return the partitions that may have triples of these origins.

    The value for each partition is the set of the given origins that have rows for this partition
    in the table ``assertions``. The set can be empty, because a triple's own row names the origin
    that added the triple, so ``assertions`` has no row for this origin.
    """
    listed = snapshot.rows("origins", [ORIGIN])
    ingests = set(np.asarray(listed[INGEST])[np.isin(listed[ORIGIN], [*origins])].tolist())
    each = zip(snapshot.ingests[INGEST].to_pylist(), snapshot.partitions_by_ingest(), strict=True)
    where: defaultdict[PartitionNumber, set[int]] = defaultdict(set)
    for partition in (p for ingest, partitions in each if ingest in ingests for p in partitions):
        where[partition] = set()
    for origin in origins:
        for partition in snapshot.assertions.partitions(origin).tolist():
            where[partition].add(origin)
    return where


def _end_in_partition(
    snapshot: Snapshot,
    partition: PartitionNumber,
    origins: Collection[int],
    asserting: set[int],
    repeated: RowPlaces,
    by: I64,
) -> _EndedInPartition:
    """Return the triples that end in one partition when these origins are retracted.

    ``asserting`` has the retracted origins with rows in ``assertions`` for this partition.
    ``repeated`` has the places of triples that the ingest contains again, and ``by`` the origins
    that contain them.
    """
    first = np.asarray(_read(snapshot, partition, ORIGIN)[ORIGIN], dtype=np.int64)
    living = np.arange(len(first))
    living = living[~snapshot.deaths.has(places(partition, living))]
    place, first = places(partition, living), first[living]
    standing: dict[int, I64] = {}
    for origin in sorted(asserting | set(origins).intersection(unique(first).tolist())):
        mine = place[snapshot.assertions.holds(origin, place, first)]
        standing[origin] = minus(mine, repeated[by == origin])
    losing = RowPlaces(unique(np.concatenate([_NONE, *standing.values()])))
    at = np.searchsorted(place, losing)
    kept = snapshot.assertions.others_hold(origins, losing, first[at])
    kept |= among(losing, unique(repeated))
    stay = losing[kept]
    taken_back = (
        (one, Ranges.of(RowPlaces(mine[among(mine, stay)]))) for one, mine in standing.items()
    )
    return _EndedInPartition(
        Ranges.of(RowPlaces(losing[~kept])),
        tuple((one, some) for one, some in taken_back if len(some)),
        len(stay),
    )


def _read(snapshot: Snapshot, partition: PartitionNumber, *columns: str) -> pa.Table:
    return read_partition(snapshot.partition_path(partition), columns)


def life_rows(
    origins: Iterable[Origin], asserted: Iterable[pa.Table], ended: Ended, generation: int
) -> dict[str, Iterable[pa.Table]]:
    """Return the rows that an ingest adds to ``origins``, ``assertions`` and ``deaths``.

    All these rows lack the column ``ingest``. Iterate over them only once: they are made during the
    iteration.
    """
    return {
        "origins": [origin_rows(origins)],
        "assertions": chain(asserted, ended.assertion_rows()),
        "deaths": ended.death_rows(generation),
    }
