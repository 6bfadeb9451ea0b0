"""What ends when origins no longer stand for what they brought.

A triple that another origin stands for too lives on; that this one does not is kept as a word of
it in the table of assertions.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, among
from provhouse.model.columns import DIED, DST, INGEST, ORIGIN, SRC
from provhouse.store.partitions import partition_path, read_partition
from provhouse.store.ranges import Ranges, places, split
from provhouse.store.snapshot import Snapshot

from .asserting import BROUGHT, PLACE, said
from .stage import read_stream

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Ended:
    """Triples that die, and those that only lose one who stands for them."""

    deaths: Ranges
    taken_back: tuple[tuple[int, Ranges], ...] = ()

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
            yield said(origin, ranges, holds=False)

    @property
    def kept(self) -> int:
        """How many triples live on, since others stand for them."""
        some = [ranges.places() for _, ranges in self.taken_back]
        return len(np.unique(np.concatenate([_NONE, *some])))


NOTHING_ENDS = Ended(Ranges(_NONE, _NONE))


def without(snapshot: Snapshot, origins: Collection[int], brought: Path | None = None) -> Ended:
    """What ends without these origins, but for what they brought again.

    That is staged in ``brought``, with all that other origins of the same ingest bring again.
    """
    come = _brought(brought) if brought else (_NONE, _NONE)
    own = _first_brought(snapshot, origins)
    standing: dict[int, I64] = {}
    for origin in sorted(origins):
        mine = snapshot.assertions.of(origin, own[0][own[1] == origin])
        mine = mine[~snapshot.deaths.has(mine)]
        standing[origin] = np.setdiff1d(mine, come[0][come[1] == origin])
    losing = np.unique(np.concatenate([_NONE, *standing.values()]))
    kept = snapshot.assertions.others_hold(origins, losing, _first(snapshot, losing))
    kept |= among(losing, np.unique(come[0]))
    living = losing[kept]
    taken_back = ((one, Ranges.of(mine[among(mine, living)])) for one, mine in standing.items())
    return Ended(
        Ranges.of(losing[~kept]), tuple((one, some) for one, some in taken_back if len(some))
    )


def touching(snapshot: Snapshot, items: I64) -> Ended:
    """The end of all triples from or to some items, whoever stands for them."""
    own = np.unique(snapshot.set_rows(items))
    parents, children = snapshot.dependents
    sets = np.union1d(own, children[among(parents, own)])
    partitions = np.unique(snapshot.placements_of(snapshot.set_ids[sets]).partitions)
    found = [_NONE]
    for partition in partitions.tolist():
        rows = _read(snapshot, partition, SRC, DST)
        touched = np.isin(rows[SRC], items) | np.isin(rows[DST], items)
        found.append(places(partition, np.flatnonzero(touched)))
    all_found = np.concatenate(found)
    return Ended(Ranges.of(all_found[~snapshot.deaths.has(all_found)]))


def _brought(folder: Path) -> tuple[I64, I64]:
    rows = [read_stream(path) for path in sorted((folder / BROUGHT).glob("*"))]
    both = ([np.asarray(table[name]) for table in rows] for name in (PLACE, ORIGIN))
    place, origin = (np.concatenate([_NONE, *columns]) for columns in both)
    return place, origin


def _first_brought(snapshot: Snapshot, origins: Collection[int]) -> tuple[I64, I64]:
    """The triples that these origins were the first to bring, in order: place and origin."""
    listed = snapshot.rows("origins", [ORIGIN])
    ingests = set(np.asarray(listed[INGEST])[np.isin(listed[ORIGIN], [*origins])].tolist())
    each = zip(snapshot.ingests[INGEST].to_pylist(), snapshot.partitions_by_ingest(), strict=True)
    place, origin = [_NONE], [_NONE]
    for partition in (p for ingest, partitions in each if ingest in ingests for p in partitions):
        first = np.asarray(_read(snapshot, partition, ORIGIN)[ORIGIN], dtype=np.int64)
        mine = np.flatnonzero(np.isin(first, [*origins]))
        place.append(places(partition, mine))
        origin.append(first[mine])
    return np.concatenate(place), np.concatenate(origin)


def _first(snapshot: Snapshot, wanted: I64) -> I64:
    """Who brought each of these triples first; their places are in order."""
    partition, row = split(wanted)
    found = [_NONE]
    for number in np.unique(partition).tolist():
        low, high = np.searchsorted(partition, [number, number + 1])
        first = np.asarray(_read(snapshot, number, ORIGIN)[ORIGIN], dtype=np.int64)
        found.append(first[row[low:high]])
    return np.concatenate(found)


def _read(snapshot: Snapshot, partition: int, *columns: str) -> pa.Table:
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    return read_partition(partition_path(folder, partition), columns)
