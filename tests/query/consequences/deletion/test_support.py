"""The smallest deletion that kills an item is among those that an exhaustive search finds."""

from itertools import combinations
from random import Random

import numpy as np
import pytest

from helpers.boolean import Edge, fates, random_edges
from provhouse.model.arrays import ItemNumbers
from provhouse.model.derivations import KINDS
from provhouse.query.consequences.deletion.derivation_index import DerivationRows, Derivations
from provhouse.query.consequences.deletion.support import smallest_kill


def expected(edges: list[Edge], item: int) -> list[tuple[int, ...]]:
    """Return all smallest sets of up to three sources without which an item certainly dies."""
    items = {end for edge in edges for end in edge[:2]}
    made = {edge.dst for edge in edges}

    def alive(gone: tuple[int, ...]) -> bool:
        return fates(edges, gone, ()).get(item) != "dies"

    for size in range(1, 4):
        sets = [each for each in combinations(sorted(items - made), size) if not alive(each)]
        if sets:
            return sets
    return []


@pytest.mark.long
@pytest.mark.parametrize("graphs", [20, pytest.param(2_000, marks=pytest.mark.long)])
def test_a_smallest_set_is_found(graphs: int) -> None:
    random, sizes = Random(graphs), set[int]()
    for _ in range(graphs):
        edges = random_edges(random)
        src, dst = (np.array([edge[end] for edge in edges], np.int64) for end in (0, 1))
        kind = np.array([KINDS.get(edge.kind, -1) for edge in edges], np.int8)
        way = np.array([edge.way for edge in edges], np.int64)
        graph = Derivations(DerivationRows(src, dst, kind, way))
        item = random.choice(edges).dst
        search = smallest_kill(graph, int(graph.place(ItemNumbers(np.array([item])))[0]))
        assert search.complete
        sets = expected(edges, item)
        if search.found is None:
            assert sets == [], (edges, item)
        else:
            assert tuple(sorted(graph.items(search.found).tolist())) in sets, (edges, item)
            sizes.add(len(search.found))
    assert {1, 2} <= sizes


def test_sources_of_plain_triples_have_no_derivation() -> None:
    graph = Derivations(DerivationRows(np.array([0, 1, 2]), np.array([2, 2, 3])))
    assert np.diff(graph.first).tolist() == [0, 0, 1, 1]
    found = smallest_kill(graph, 3).found
    assert found is not None
    assert found.tolist() == [0, 1]
