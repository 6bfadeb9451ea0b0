"""What is checked of every answer as it is made: that all was read which belongs to it.

An answer that is not whole must never look as if it were: it is an error, which names the set, and
``complete`` means that these checks held. That Neo4j has the generation at all is looked at once,
when it is first asked (``Graph.check_load``).
"""

import numpy as np

from provhouse.model.arrays import I64, among
from provhouse.model.errors import Damaged
from provhouse.model.question import Direction
from provhouse.store.cache.fetched import Fetched
from provhouse.store.tables.snapshot import Snapshot, rows_of

from .walk import Walk

_BACKUP = "Bring the folder back from a backup"


def check_sets(snapshot: Snapshot, walk: Walk, triples: Fetched, direction: Direction) -> None:
    """Raise Damaged unless these are all triples of a walk's sets, and no other set is needed.

    Upstream the triples themselves tell what is needed. Downstream those that are missing lie in
    sets that were not read, so that the table of dependencies has to.
    """
    sets, dst = walk.sets, triples.dst
    _check_counts(snapshot, sets, dst)
    if direction == "upstream":
        src = triples.src
        outside = np.flatnonzero(_positions(snapshot, walk.source_sets, src) < 0)[:1]
        if not len(outside):  # to look for no set at all takes 6 ms of 700,000
            return
        child, parent = snapshot.set_rows(dst[outside]), _sets_of(snapshot, src[outside])
    else:
        parents, children = snapshot.dependents
        rows = rows_of(parents, sets)[0]
        outside = rows[~among(children[rows], sets)][:1]
        child, parent = children[outside], parents[outside]
    if len(outside):
        raise _missing_dependency(snapshot, child[0], parent[0])


def check_closed(snapshot: Snapshot, sets: I64) -> None:
    """Raise Damaged unless a table that is whole says that sets depend on none but each other.

    ``sets`` are positions in the snapshot, in order.
    """
    expected = snapshot.commit.totals.set_dependencies
    if snapshot.dependency_pairs != expected:
        raise Damaged(
            f"Generation {snapshot.commit.generation} should hold {expected:,} dependencies",
            f"Its table holds {snapshot.dependency_pairs:,}",
            _BACKUP,
        )
    child, parent = snapshot.set_dependencies
    outside = np.flatnonzero(among(child, sets) & ~among(parent, sets))
    if len(outside):
        raise _missing_dependency(snapshot, child[outside[0]], parent[outside[0]])


def _missing_dependency(snapshot: Snapshot, child: int, parent: int) -> Damaged:
    return Damaged(
        f"Neo4j should hold a dependency from set {snapshot.set_ids[child]}"
        f" to set {snapshot.set_ids[parent]}",
        "It does not, so that the answer would be short",
        "Run `provhouse repair`, which loads Neo4j from the tables",
    )


def check_component(snapshot: Snapshot, sets: I64, read: int) -> None:
    """Raise Damaged unless so many living triples were read of the component of these sets."""
    expected = int(snapshot.living.held(snapshot.set_ids[sets]).sum())
    if read != expected:
        raise Damaged(
            f"The tables say that {expected:,} triples lie in the component of set "
            f"{snapshot.set_ids[sets[0]]}, which has {len(sets):,} sets",
            f"{read:,} were read",
            _BACKUP,
        )


def check_all(snapshot: Snapshot, read: int) -> None:
    """Raise Damaged unless so many triples are all that the generation holds."""
    expected = snapshot.commit.totals.triples
    if read != expected:
        raise Damaged(
            f"Generation {snapshot.commit.generation} should hold {expected:,} triples",
            f"{read:,} were read",
            _BACKUP,
        )


def _check_counts(snapshot: Snapshot, sets: I64, dst: I64) -> None:
    """As many triples lie in each set as the tables say."""
    ids, first = snapshot.set_ids[sets], snapshot.set_firsts[sets]
    ordered = dst if (dst[1:] >= dst[:-1]).all() else np.sort(dst)
    read = np.searchsorted(ordered, first + snapshot.set_items[sets]) - np.searchsorted(
        ordered, first
    )
    expected = snapshot.placements.held(ids)
    wrong = np.flatnonzero(read != expected)
    if len(wrong):
        first = wrong[0]
        raise Damaged(
            f"The tables say that {expected[first]:,} triples lie in set {ids[first]}",
            f"{read[first]:,} were read, and {len(wrong):,} of {len(sets):,} sets are wrong",
            _BACKUP,
        )


def _positions(snapshot: Snapshot, sets: I64, items: I64) -> I64:
    """Which of some sets each item is in, -1 for none."""
    first, count = snapshot.set_firsts[sets], snapshot.set_items[sets]
    at = np.searchsorted(first, items, "right") - 1
    return np.where(items < first[at] + count[at], at, -1)


def _sets_of(snapshot: Snapshot, items: I64) -> I64:
    """Positions of the sets of items; raises Damaged if one is in none."""
    found = snapshot.held_rows(items)
    if (found < 0).any():
        raise Damaged(
            f"Every triple should come from an item of generation {snapshot.commit.generation}",
            f"One comes from the number {items[0]}, which no set has",
            _BACKUP,
        )
    return found
