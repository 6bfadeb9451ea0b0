"""New items form pieces, depend on stored sets, and merge stored components."""

import numpy as np
import pytest

from provhouse.model.arrays import I32, I64
from provhouse.sets import item_graph
from provhouse.sets.item_graph import ItemGraph, StoredSets, with_neighbours

# Places 0 to 2 are new. Place 3 is stored in set 0 of component 10, and place 4 is stored in set 1
# of component 20.
IS_NEW = np.array([True, True, True, False, False])


def graph(*edges: tuple[int, int]) -> ItemGraph:
    src, dst = np.array(edges, np.int32).T
    sets, components, items = (np.array(each, np.int64) for each in ([0, 1], [10, 20], [5, 600]))
    stored = StoredSets(sets, components, lambda: items)
    table = np.zeros(3, np.int32)
    halves = (slice(0, 1), slice(1, None))
    return ItemGraph(IS_NEW, table, lambda: [(src[h], dst[h]) for h in halves], lambda: stored)


def each_alone(count: int = 3) -> tuple[I32, I64]:
    """Return sets with one new item each, and the first item number of each set."""
    return np.arange(count, dtype=np.int32), np.arange(100, 100 + count, dtype=np.int64)


def test_stored_items_connect_no_pieces() -> None:
    pieces = graph((0, 1), (3, 1), (3, 2)).pieces
    assert pieces[0] == pieces[1] != pieces[2]


def test_only_edges_of_large_pieces_are_kept() -> None:
    src, dst = graph((0, 1), (3, 2)).edges_within(np.full(2, 2, np.int32))
    assert (src.tolist(), dst.tolist()) == ([0], [1])
    assert not len(graph((0, 1), (3, 2)).edges_within(np.full(2, 3, np.int32))[0])


def test_pieces_that_join_a_large_stored_component_are_cut_though_below_theta(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(item_graph, "APPENDED", 2)
    assert graph((0, 1), (3, 1)).bars(100).tolist() == [100, 100]  # the items together are 7
    assert graph((1, 0), (4, 1)).bars(602).tolist() == [2, 602]  # the items together are 602
    assert graph((1, 0), (1, 4)).bars(603).tolist() == [603, 603]


def test_dependencies_are_distinct_and_stored_sets_follow_the_new_ones() -> None:
    label, _ = each_alone()
    child, parent = graph((0, 1), (0, 1), (3, 2), (2, 2)).dependencies(label, 3)
    assert list(zip(child.tolist(), parent.tolist(), strict=True)) == [(1, 0), (2, 3)]
    assert with_neighbours(3, child, parent).tolist() == [True, True, True]
    assert with_neighbours(3, child[1:], parent[1:]).tolist() == [False, False, True]


def test_new_items_join_stored_components_and_merge_them() -> None:
    label, first = each_alone()
    one = graph((3, 0), (0, 4), (1, 2))
    ids, merges, more = one.components(one.group_of(label, 3), first)
    assert ids.tolist() == [10, 101, 101]
    assert merges == [(20, 10)]
    # the number of components stays the same: one is new, and one is merged
    assert more == 0
