"""Check that a method read every triple that an answer needs.

An incomplete answer must never look complete. So if triples or sets are missing, the question fails
with an error that names a set. The field ``complete`` of an answer means that these checks passed.
Before the first walk, ``Graph.check_load`` checks once that Neo4j has the generation at all.
"""

import numpy as np

from provhouse.model.arrays import (
    MOST_PER_VALUE,
    Bools,
    ItemNumbers,
    SetPositions,
    among,
    matching_rows,
)
from provhouse.model.errors import Damaged
from provhouse.model.question import Direction
from provhouse.store.cache.fetched import Fetched
from provhouse.store.tables.snapshot import Snapshot

from .walk import Walk

_BACKUP = "Restore the folder from a backup"


def check_sets(snapshot: Snapshot, walk: Walk, triples: Fetched, direction: Direction) -> None:
    """Raise Damaged if a triple of the walk's sets is missing, or if the walk lacks a needed set.

    Upstream, the triples themselves show which sets are needed. Downstream, missing triples would
    be in sets that were not read, so the table ``set_dependencies`` is checked instead.
    """
    sets, dst = walk.sets, triples.dst
    _check_counts(snapshot, sets, triples)
    if direction == "upstream":
        src = triples.src
        outside = np.flatnonzero(~_among_sets(snapshot, walk.source_sets, src))[:1]
        if not len(outside):  # the look-up below takes 6 ms for 700,000 triples, even without items
            return
        child = snapshot.set_rows(ItemNumbers(dst[outside]))
        parent = _sets_of(snapshot, ItemNumbers(src[outside]))
    else:
        parents, children = snapshot.dependents
        rows = matching_rows(parents, sets)[0]
        outside = rows[~among(children[rows], sets)][:1]
        child, parent = SetPositions(children[outside]), SetPositions(parents[outside])
    if len(outside):
        raise _missing_dependency(snapshot, child[0], parent[0])


def check_closed(snapshot: Snapshot, sets: SetPositions) -> None:
    """Raise Damaged if one of ``sets`` depends on another set, or if set dependencies are missing.

    ``sets`` are positions in the snapshot, in order.
    """
    check_dependencies(snapshot)
    child, parent = snapshot.set_dependencies
    outside = np.flatnonzero(among(child, sets) & ~among(parent, sets))
    if len(outside):
        raise _missing_dependency(snapshot, child[outside[0]], parent[outside[0]])


def check_dependencies(snapshot: Snapshot) -> None:
    """Raise Damaged if the table ``set_dependencies`` lacks a dependency of the generation."""
    expected = snapshot.commit.totals.set_dependencies
    if snapshot.dependency_pairs != expected:
        raise Damaged(
            f"Generation {snapshot.commit.generation} should have {expected:,} set dependencies",
            f"The table set_dependencies has {snapshot.dependency_pairs:,}",
            _BACKUP,
        )


def _missing_dependency(snapshot: Snapshot, child: int, parent: int) -> Damaged:
    return Damaged(
        f"Neo4j lacks the dependency from set {snapshot.set_ids[child]}"
        f" to set {snapshot.set_ids[parent]}",
        "The answer would be incomplete",
        "Run `provhouse check --repair`, which reloads Neo4j from the tables",
    )


def check_component(snapshot: Snapshot, sets: SetPositions, read: int) -> None:
    """Raise Damaged unless the component of ``sets`` has exactly ``read`` live triples."""
    expected = int(snapshot.live_placements.counts(snapshot.ids_of(sets)).sum())
    if read != expected:
        raise Damaged(
            f"The component of set {snapshot.set_ids[sets[0]]}, which has {len(sets):,} sets,"
            f" should have {expected:,} triples",
            f"{read:,} were read",
            _BACKUP,
        )


def check_all(snapshot: Snapshot, read: int) -> None:
    """Raise Damaged unless the generation has exactly ``read`` triples."""
    expected = snapshot.commit.totals.triples
    if read != expected:
        raise Damaged(
            f"Generation {snapshot.commit.generation} should have {expected:,} triples",
            f"{read:,} were read",
            _BACKUP,
        )


def _check_counts(snapshot: Snapshot, sets: SetPositions, triples: Fetched) -> None:
    """Raise Damaged if the number of triples read for a set differs from the set's placements."""
    ids, first = snapshot.ids_of(sets), snapshot.set_firsts[sets]
    end = first + snapshot.set_items[sets]
    read = np.zeros(len(sets), np.int64)
    for dst in triples.dst_by_partition():
        here = slice(*np.searchsorted(first, dst[[0, -1]], "right") - (1, 0))
        read[here] += np.searchsorted(dst, end[here]) - np.searchsorted(dst, first[here])
    expected = snapshot.placements.counts(ids)
    wrong = np.flatnonzero(read != expected)
    if len(wrong):
        first = wrong[0]
        raise Damaged(
            f"Set {ids[first]} should have {expected[first]:,} triples",
            f"{read[first]:,} were read, and {len(wrong):,} of {len(sets):,} sets are wrong",
            _BACKUP,
        )


def _among_sets(snapshot: Snapshot, sets: SetPositions, items: ItemNumbers) -> Bools:
    """Return, for each item, whether its set is one of ``sets``."""
    first, count = snapshot.set_firsts[sets], snapshot.set_items[sets]
    span = int(first[-1] + count[-1] - first[0])
    if span > MOST_PER_VALUE * len(items):
        at = np.searchsorted(first, items, "right") - 1
        return np.asarray(items < first[at] + count[at]) & (at >= 0)
    inside = np.zeros(span + 1, np.int8)
    inside[first - first[0]] += 1
    inside[first + count - first[0]] -= 1
    places = items - first[0]
    found: Bools = np.cumsum(inside, out=inside).view(bool).take(places, mode="clip")
    found &= (places >= 0) & (places < span)
    return found


def _sets_of(snapshot: Snapshot, items: ItemNumbers) -> SetPositions:
    """Return the positions of the items' sets; raise Damaged if an item is not in any set."""
    found = snapshot.known_set_rows(items)
    if (found < 0).any():
        raise Damaged(
            f"The src of a triple is not an item of generation {snapshot.commit.generation}",
            f"It is the number {items[0]}, which is not in any set",
            _BACKUP,
        )
    return found
