"""Count the live triples of groups. A group stands for a derivation that many dst share.

Triples lead from the inputs of the derivation to the group, and from the group to each dst. A group
lives as long as it has a triple on both sides.
"""

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from provhouse.model.arrays import (
    I64,
    ItemNumbers,
    PartitionNumber,
    PartitionNumbers,
    RowPlaces,
    SetPositions,
    among,
    minus,
    union,
    unique,
)
from provhouse.model.columns import DST, SRC
from provhouse.runtime.room import slices

from .partitions import read_partition
from .ranges import Ranges, places
from .snapshot import Snapshot
from .touching import partitions_touching

Brought = Callable[[PartitionNumber], RowPlaces]
"""A function that returns the places, in a partition, of triples that an ingest adds again."""
_NONE = ItemNumbers(np.empty(0, np.int64))


class _Ends:
    """The src, dst and places of a partition's triples; by default, of its live triples only."""

    def __init__(self, snapshot: Snapshot, partition: PartitionNumber, *, dead: bool) -> None:
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST))
        at = places(partition, np.arange(rows.num_rows))
        kept = np.ones(len(at), bool) if dead else ~snapshot.deaths.has(at)
        self.partition = partition
        self.src, self.dst = (np.asarray(rows[end], np.int64)[kept] for end in (SRC, DST))
        self.places = RowPlaces(at[kept])


def _ends(
    snapshot: Snapshot, partitions: PartitionNumbers, *, dead: bool = False
) -> Iterator[_Ends]:
    return (_Ends(snapshot, partition, dead=dead) for partition in partitions.tolist())


def _add(counts: I64, ordered: I64, found: I64) -> None:
    """Add to ``counts`` how often each of the ordered numbers occurs in ``found``.

    ``found`` must not contain other numbers.
    """
    np.add.at(counts, np.searchsorted(ordered, found), 1)


def partitions_into(snapshot: Snapshot, groups: ItemNumbers) -> PartitionNumbers:
    """Return the partitions that may contain triples that lead to the groups."""
    sets = SetPositions(unique(snapshot.set_rows(groups)))
    placed = snapshot.placements
    rows, _ = placed.rows(snapshot.ids_of(sets))
    return PartitionNumbers(unique(placed.partitions[rows]))


def count_inputs(snapshot: Snapshot, groups: ItemNumbers) -> I64:
    """Return, for each group, the number of live triples to it from items that are not erased."""
    if not len(groups):
        return np.empty(0, np.int64)
    ordered, position = np.unique(groups, return_inverse=True)
    counts = np.zeros(len(ordered), np.int64)
    for part in _ends(snapshot, partitions_into(snapshot, ItemNumbers(ordered))):
        kept = among(part.dst, ordered) & ~among(part.src, snapshot.names.erased)
        _add(counts, ordered, part.dst[kept])
    return counts[position]


def count_uses(snapshot: Snapshot, groups: ItemNumbers, *, dead: bool = False) -> I64:
    """Return, for each group, the number of live triples from it to items that are not erased.

    ``groups`` are in order. With ``dead``, count dead triples too.
    """
    counts = np.zeros(len(groups), np.int64)
    if not len(groups):
        return counts
    for part in _ends(snapshot, partitions_touching(snapshot, groups), dead=dead):
        kept = among(part.src, groups) & ~among(part.dst, snapshot.names.erased)
        _add(counts, groups, part.src[kept])
    return counts


def with_ended_groups(snapshot: Snapshot, deaths: Ranges, brought: Brought) -> Ranges:
    """Return the deaths, extended to entire groups.

    If the deaths leave a group without live triples to it, or without live triples from it, its
    remaining triples die too. If an ingest adds triples to a group again, that group is not
    changed, because the ingest may also add triples on its other side.
    """
    if not (len(snapshot.groups) and len(deaths)):
        return deaths
    touched = groups_at(snapshot, deaths.partitions, deaths)
    if not len(touched):
        return deaths
    into, out_of, again = (snapshot.room.zeros(len(touched), np.int64) for _ in range(3))
    partitions = partitions_touching(snapshot, touched)
    for part in _ends(snapshot, partitions):
        live = ~deaths.has(part.places)
        to, of = among(part.dst, touched), among(part.src, touched)
        _add(into, touched, part.dst[to & live])
        _add(out_of, touched, part.src[of & live])
        repeated = np.isin(part.places, brought(part.partition))
        _add(again, touched, part.dst[to & repeated])
    gone = ItemNumbers(
        snapshot.room.joined(
            (
                touched[rows][((into[rows] == 0) | (out_of[rows] == 0)) & (again[rows] == 0)]
                for rows in slices(len(touched))
            ),
            np.int64,
        )
    )
    if not len(gone):
        return deaths

    def more() -> Iterator[Ranges]:
        for part in _ends(snapshot, partitions):
            ends = (among(part.src, gone) | among(part.dst, gone)) & ~deaths.has(part.places)
            yield Ranges.of(RowPlaces(part.places[ends]))

    return Ranges.joined(chain([deaths], more()), snapshot.room)


def groups_at(
    snapshot: Snapshot, partitions: PartitionNumbers, among_rows: Ranges | None = None
) -> ItemNumbers:
    """Return, in order, the groups at either end of a live triple of the given partitions.

    If ``among_rows`` is given, only the triples at these places count.
    """

    def found() -> Iterator[I64]:
        for part in _ends(snapshot, partitions):
            ends = np.concatenate([part.src, part.dst])
            if among_rows is not None:
                chosen = among_rows.has(part.places)
                ends = np.concatenate([part.src[chosen], part.dst[chosen]])
            yield unique(ends[among(ends, snapshot.groups)])

    return ItemNumbers(snapshot.room.distinct(found()))


def triples_beyond(snapshot: Snapshot, groups: ItemNumbers, ended: Ranges | None = None) -> int:
    """Return the number of triples that groups stand for, minus the live triples stored for them.

    A group with n triples to it and m from it stands for n times m triples. ``groups`` are in
    order, and ``ended`` are triples that are no longer counted.
    """
    if not len(groups):
        return 0
    into, out_of = (snapshot.room.zeros(len(groups), np.int64) for _ in range(2))
    for part in _ends(snapshot, partitions_touching(snapshot, groups)):
        live = np.ones(len(part.src), bool) if ended is None else ~ended.has(part.places)
        _add(into, groups, part.dst[among(part.dst, groups) & live])
        _add(out_of, groups, part.src[among(part.src, groups) & live])
    blocks = ((into[rows], out_of[rows]) for rows in slices(len(groups)))
    return sum(int((n * m - n - m).sum()) for n, m in blocks)


def groups_to_erase(snapshot: Snapshot, items: ItemNumbers) -> ItemNumbers:
    """Return the groups that must become nameless when items, given in order, are erased.

    A group with such an item as an input becomes nameless, because the name of a group is a hash of
    its inputs. A group whose triples lead only to erased items becomes nameless too.
    """
    if not len(snapshot.groups):
        return _NONE
    after, used = [_NONE], [_NONE]
    for part in _ends(snapshot, partitions_touching(snapshot, items), dead=True):
        after.append(ItemNumbers(part.dst[among(part.src, items)]))
        used.append(ItemNumbers(part.src[among(part.dst, items)]))
    inputs, candidates = (unique(np.concatenate(each)) for each in (after, used))
    inputs = inputs[among(inputs, snapshot.groups)]
    candidates = ItemNumbers(candidates[among(candidates, snapshot.groups)])
    erased = union(snapshot.names.erased, items)
    named = np.zeros(len(candidates), np.int64)
    for part in _ends(snapshot, partitions_touching(snapshot, candidates), dead=True):
        kept = among(part.src, candidates) & ~among(part.dst, erased)
        _add(named, candidates, part.src[kept])
    return ItemNumbers(union(inputs, candidates[named == 0]))


def without_texts(snapshot: Snapshot) -> ItemNumbers:
    """Return, in order, the items whose triples have lost their texts because of an erasure.

    These are the erased items, and nameless groups whose triples lead only to erased items.
    """
    erased = snapshot.names.erased
    if not (len(snapshot.groups) and len(erased)):
        return erased
    groups = ItemNumbers(erased[among(erased, snapshot.groups)])
    named = groups[count_uses(snapshot, groups, dead=True) > 0]
    return ItemNumbers(minus(erased, named))
