"""What ends when origins no longer stand for what they brought.

A triple that another origin stands for too lives on; that this one does not is kept as a word of
it in the table of assertions.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, RowPlaces, among
from provhouse.model.columns import DIED, DST, INGEST, ORIGIN, SRC, TABLES
from provhouse.store.tables.assertions import assertion_rows
from provhouse.store.tables.links import partitions_touching, touching
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.ranges import Ranges, places
from provhouse.store.tables.snapshot import Snapshot

from .origins import Origin, origin_rows

_NONE = RowPlaces(np.empty(0, np.int64))


@dataclass(frozen=True)
class Ended:
    """Triples that die, and those that only lose one who stands for them."""

    deaths: Ranges
    taken_back: tuple[tuple[int, Ranges], ...] = ()
    kept: int = 0
    """How many triples live on, since others stand for them."""

    def __bool__(self) -> bool:
        return bool(len(self.deaths) or self.taken_back)

    def death_rows(self, generation: int) -> pa.Table:
        """Rows of the table of deaths, without the ingest."""
        rows = self.deaths.table()
        died = pa.repeat(pa.scalar(generation, pa.int32()), rows.num_rows)
        return rows.append_column(DIED, died)

    def assertion_rows(self) -> Iterator[pa.Table]:
        """Rows of the table of assertions, without the ingest."""
        for origin, ranges in self.taken_back:
            yield assertion_rows(origin, ranges, holds=False)


NOTHING_ENDS = Ended(Ranges(_NONE, _NONE))


class Repeated(Protocol):
    """Stored triples that an ingest brings again."""

    def at(self, partition: int) -> tuple[I64, I64]:
        """Return the row places of one partition, and for each the origin that brought it."""


class _Nothing:
    def at(self, partition: int) -> tuple[I64, I64]:
        return _NONE, _NONE


_NOTHING = _Nothing()


def end_of_origins(
    snapshot: Snapshot, origins: Collection[int], repeated: Repeated = _NOTHING
) -> Ended:
    """What ends without these origins, but for what they brought again.

    ``repeated`` has all that other origins of the same ingest bring again, too. Of all triples only
    one partition's are in memory at once.
    """
    where = _partitions_of_origins(snapshot, origins)
    parts = [
        _end_in_partition(snapshot, one, origins, where[one], *repeated.at(one))
        for one in sorted(where)
    ]
    taken_back = defaultdict(list)
    for origin, ranges in (each for part in parts for each in part.taken_back):
        taken_back[origin].append(ranges)
    return Ended(
        Ranges.joined(part.deaths for part in parts),
        tuple((one, Ranges.joined(taken_back[one])) for one in sorted(taken_back)),
        sum(part.kept for part in parts),
    )


def end_of_items(snapshot: Snapshot, items: I64) -> Ended:
    """The end of all triples from or to some items, whoever stands for them."""
    found = [_NONE]
    for partition in partitions_touching(snapshot, items).tolist():
        rows = _read(snapshot, partition, SRC, DST)
        found.append(places(partition, np.flatnonzero(touching(rows, items))))
    all_found = np.concatenate(found)
    return Ended(Ranges.of(all_found[~snapshot.deaths.has(all_found)]))


def _partitions_of_origins(snapshot: Snapshot, origins: Collection[int]) -> dict[int, set[int]]:
    """The partitions that may have triples of these origins, and who of them spoke of some there.

    The first one who brought a triple need not have: it stands in the triple itself.
    """
    listed = snapshot.rows("origins", [ORIGIN])
    ingests = set(np.asarray(listed[INGEST])[np.isin(listed[ORIGIN], [*origins])].tolist())
    each = zip(snapshot.ingests[INGEST].to_pylist(), snapshot.partitions_by_ingest(), strict=True)
    where: defaultdict[int, set[int]] = defaultdict(set)
    for partition in (p for ingest, partitions in each if ingest in ingests for p in partitions):
        where[partition] = set()
    for origin in origins:
        for partition in snapshot.assertions.partitions(origin).tolist():
            where[partition].add(origin)
    return where


def _end_in_partition(
    snapshot: Snapshot,
    partition: int,
    origins: Collection[int],
    asserting: set[int],
    repeated: I64,
    by: I64,
) -> Ended:
    """What ends in one partition; ``repeated`` are the places that came again, each ``by`` whom."""
    first = np.asarray(_read(snapshot, partition, ORIGIN)[ORIGIN], dtype=np.int64)
    living = np.arange(len(first))
    living = living[~snapshot.deaths.has(places(partition, living))]
    place, first = places(partition, living), first[living]
    standing: dict[int, I64] = {}
    for origin in sorted(asserting | set(origins).intersection(np.unique(first).tolist())):
        mine = place[snapshot.assertions.holds(origin, place, first)]
        standing[origin] = np.setdiff1d(mine, repeated[by == origin])
    losing = np.unique(np.concatenate([_NONE, *standing.values()]))
    at = np.searchsorted(place, losing)
    kept = snapshot.assertions.others_hold(origins, losing, first[at])
    kept |= among(losing, np.unique(repeated))
    stay = losing[kept]
    taken_back = ((one, Ranges.of(mine[among(mine, stay)])) for one, mine in standing.items())
    return Ended(
        Ranges.of(losing[~kept]),
        tuple((one, some) for one, some in taken_back if len(some)),
        len(stay),
    )


def _read(snapshot: Snapshot, partition: int, *columns: str) -> pa.Table:
    return read_partition(snapshot.partition_path(partition), columns)


def life_rows(
    origins: Iterable[Origin], asserted: Iterable[pa.Table], ended: Ended, generation: int
) -> Mapping[str, pa.Table]:
    """What one ingest adds to each of these tables, without its number."""
    form = TABLES["assertions"]
    none = form.remove(form.get_field_index(INGEST)).empty_table()
    return {
        "origins": origin_rows(origins),
        "assertions": pa.concat_tables([none, *asserted, *ended.assertion_rows()]),
        "deaths": ended.death_rows(generation),
    }
