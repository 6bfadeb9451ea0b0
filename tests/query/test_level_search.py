"""A search by tables finds the same items as networkx, by increasing depth, for any triples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.oracle import Oracle, Triple
from provhouse.model.arrays import I64, ItemNumber, ItemNumbers
from provhouse.query.reading import recurse as module
from provhouse.query.reading.level_search import LevelSearch
from provhouse.query.reading.recurse import recurse

EDGES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40)
GAPS = st.sampled_from((1, 1000))
"""The gap between item numbers. With large gaps, the search renumbers the items."""


def ends(edges: list[tuple[int, int]], gap: int) -> tuple[I64, I64]:
    both = np.array(edges, np.int64).reshape(-1, 2) * gap + 3
    return both[:, 0].copy(), both[:, 1].copy()


@settings(deadline=None, max_examples=100)
@given(EDGES, GAPS, st.integers(0, 12), st.none() | st.integers(1, 6))
def test_items_are_those_of_networkx_by_depth(
    edges: list[tuple[int, int]], gap: int, item: int, limit: int | None
) -> None:
    near, far = ends(edges, gap)
    number = gap * item + 3
    oracle = Oracle.of([Triple(str(n), str(f)) for n, f in zip(near, far, strict=True)])
    oracle.graph.add_node(str(number))
    search = LevelSearch(near, far, ItemNumber(number), limit)
    items, depths = search.items()
    found = list(zip(map(str, items.tolist()), depths.tolist(), strict=True))
    assert set(found) == oracle.ask(str(number), "downstream", limit).items
    assert len(found) == len(search) == len(set(found))
    assert found == sorted(found, key=lambda one: (one[1], int(one[0])))


@settings(deadline=None, max_examples=100)
@given(
    EDGES, GAPS, st.integers(0, 12), st.none() | st.integers(1, 6), st.integers(1, 9), st.booleans()
)
def test_triples_come_in_pieces_by_depth(
    edges: list[tuple[int, int]], gap: int, item: int, limit: int | None, most: int, whole: bool
) -> None:
    near, far = ends(edges, gap)
    number = gap * item + 3
    search = LevelSearch(near, far, ItemNumber(number), limit)
    pieces = list(search.triples(most, whole=whole))
    rows = [row for piece, _ in pieces for row in piece.tolist()]
    depths = [depth for _, piece in pieces for depth in piece.tolist()]
    expected = recurse(near, far, number, limit)
    pairs = zip(expected.triples.tolist(), expected.near_depths.tolist(), strict=True)
    assert sorted(zip(rows, depths, strict=True)) == sorted(pairs)
    assert depths == sorted(depths)
    assert search.unexpanded.tolist() == expected.unexpanded.tolist()
    if whole:
        heads = [set(near[piece].tolist()) for piece, _ in pieces]
        assert sum(map(len, heads)) == len(set().union(*heads))
    else:
        assert all(len(piece) <= most for piece, _ in pieces)


@settings(deadline=None, max_examples=100)
@given(EDGES, GAPS, st.integers(0, 12), st.sets(st.integers(-2, 14)))
def test_ranks_count_the_items_that_are_not_hidden(
    edges: list[tuple[int, int]], gap: int, item: int, hidden: set[int]
) -> None:
    near, far = ends(edges, gap)
    number = gap * item + 3
    search = LevelSearch(near, far, ItemNumber(number))
    gone = ItemNumbers(np.array(sorted(gap * one + 3 for one in hidden - {item}), np.int64))
    items = set(search.items()[0].tolist())
    assert search.reached(gone).tolist() == [one in items for one in gone.tolist()]
    numbers, ranks = search.ranked(gone)
    assert numbers.tolist() == sorted((items - set(gone.tolist())) | {number})
    assert ranks[search.places(numbers)].tolist() == list(range(len(numbers)))


def test_a_recursion_among_many_triples_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    near, far = rng.integers(0, 60, (2, 100))
    few = recurse(near, far, 7, 3)
    monkeypatch.setattr(module, "MANY", 50)
    many = recurse(near, far, 7, 3)
    for one, other in (
        ((few.items, few.depths), (many.items, many.depths)),
        (
            (few.triples, few.near_depths),
            (many.triples, many.near_depths),
        ),
    ):
        assert sorted(zip(*one, strict=True)) == sorted(zip(*other, strict=True))
    assert few.unexpanded.tolist() == many.unexpanded.tolist()
