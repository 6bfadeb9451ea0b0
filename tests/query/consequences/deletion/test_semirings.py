"""Values in a semiring equal sums over all derivation trees, which are enumerated one by one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import inf, isnan, prod
from random import Random

import numpy as np
import pytest

from helpers.boolean import Edge, Way, random_edges, ways_of
from provhouse.model.arrays import ItemNumbers
from provhouse.model.derivations import KINDS
from provhouse.model.semiring import SEMIRINGS
from provhouse.query.consequences.deletion.derivation_index import DerivationRows, Derivations
from provhouse.query.consequences.deletion.semirings import ACCESS, COST, COUNT, ONE, TRUST, bounds

Tree = tuple[int, ...]
"""The sources at the leaves of one derivation tree."""
WEIGHTS = {TRUST: [0.0, 0.25, 0.5, 1.0], ACCESS: [0.0, 1.0, 2.0], COST: [0.0, 1.0, 2.5],
           COUNT: [0.0, 1.0, 2.0, 3.0]}  # fmt: skip


def trees(
    item: int, ways: Sequence[Way], edges: list[Edge], joint: frozenset[str], above: frozenset[int]
) -> Iterator[Tree]:
    """Yield an item's derivation trees in which no item occurs below itself."""
    mine = [way for way in ways if way.dst == item]
    if not mine:
        yield (item,)
        return
    for way in mine:
        inputs = [edges[number].src for number in way.edges]
        if any(one in above for one in inputs) and way.kind in joint:
            continue
        below = above | {item}
        each = [[] if one in below else [*trees(one, ways, edges, joint, below)] for one in inputs]
        if way.kind in joint:
            for chosen in product(*each):
                yield tuple(leaf for tree in chosen for leaf in tree)
        else:
            yield from (tree for found in each for tree in found)


def expected(
    item: int, edges: list[Edge], weights: dict[int, float], how: int, joint: frozenset[str]
) -> float:
    """Return an item's value by definition: combine each tree's leaves, then combine the trees."""
    found = [[weights[leaf] for leaf in tree] for tree in trees(
        item, ways_of(edges), edges, joint, frozenset())]  # fmt: skip
    if how == TRUST:
        return max(map(prod, found), default=0.0)
    if how == ACCESS:
        return min((max(leaves) for leaves in found), default=inf)
    if how == COST:
        return min(map(sum, found), default=inf)
    return float(sum(map(prod, found)))


def values(
    edges: list[Edge], weights: dict[int, float], how: int, *, joint: bool = False
) -> dict[int, tuple[float, float]]:
    src, dst = (np.array([edge[end] for edge in edges], np.int64) for end in (0, 1))
    kind = np.array([KINDS.get(edge.kind, -1) for edge in edges], np.int8)
    graph = Derivations(
        DerivationRows(src, dst, kind, np.array([edge.way for edge in edges], np.int64))
    )
    given = np.full(graph.places, ONE[how])
    items = sorted(weights)
    given[graph.place(ItemNumbers(np.array(items, np.int64)))] = [weights[one] for one in items]
    low, high = bounds(graph, given, how, joint=joint)
    places = graph.find(ItemNumbers(np.array(items, np.int64))).tolist()
    return {item: (float(low[at]), float(high[at])) for item, at in zip(items, places, strict=True)}


def one_way_each(edges: list[Edge]) -> list[Edge]:
    """Return the edges with unknown kinds set to ``all``, and without repeated alternatives."""
    known = [edge._replace(kind=edge.kind if edge.kind in ("all", "any", "aggregate") else "all")
             for edge in edges]  # fmt: skip
    named = [edge._replace(way=9) if edge.kind == "any" else edge for edge in known]
    return [edge._replace(way=8) if edge.way < 0 else edge for edge in named]


@pytest.mark.parametrize("how", range(len(SEMIRINGS)), ids=SEMIRINGS)
@pytest.mark.parametrize("graphs", [60, pytest.param(2_000, marks=pytest.mark.long)])
def test_values_are_those_of_all_trees(how: int, graphs: int) -> None:
    random, seen = Random(how + graphs), Counter[bool]()
    for _ in range(graphs):
        edges = one_way_each(random_edges(random, items=7, count=9))
        items = {end for edge in edges for end in edge[:2]}
        weights = {item: random.choice(WEIGHTS[how]) for item in items}
        for together in (False, True):
            joint = frozenset({"all", "aggregate"} if together else {"all"})
            if how == COUNT and not together:
                edges = [edge for edge in edges if edge.kind != "aggregate"]
            items = {end for edge in edges for end in edge[:2]}
            given = {item: weights[item] for item in items}
            found = values(edges, given, how, joint=together) if edges else {}
            for item, (low, high) in found.items():
                if isnan(low):
                    assert how == COUNT
                    seen[False] += 1
                    continue
                assert low == high == pytest.approx(expected(item, edges, weights, how, joint))
                seen[True] += 1
    assert seen[True] > 100


def test_a_count_on_a_cycle_is_not_known() -> None:
    edges = [Edge(0, 1, "any", 0), Edge(2, 1, "any", 0), Edge(1, 2, "any", 0), Edge(0, 3, "any", 0)]
    found = values(edges, {0: 2.0, 1: 1.0, 2: 1.0, 3: 1.0}, COUNT)
    assert all(map(isnan, (*found[1], *found[2])))
    assert found[3] == (2.0, 2.0)


def test_a_group_is_counted_once() -> None:
    edges = [Edge(0, 2, "aggregate", 0), Edge(1, 2, "aggregate", 0), Edge(2, 3, "all", 0)]
    weights = {0: 2.0, 1: 0.0, 2: 1.0, 3: 1.0}
    assert values(edges, weights, COUNT)[3] == (1.0, 1.0)
    assert values(edges, {**weights, 0: 0.0}, COUNT)[3] == (0.0, 0.0)


def test_unknown_kinds_have_bounds() -> None:
    """The true value is one of two bounds, each of which is the value under one meaning."""
    edges = [Edge(0, 2), Edge(1, 2)]
    weights = {0: 0.5, 1: 0.25, 2: 1.0}
    assert values(edges, weights, TRUST)[2] == (0.125, 0.5)
    assert values(edges, {**weights, 0: 2.0, 1: 3.0}, COST)[2] == (2.0, 5.0)
    assert values(edges, {**weights, 0: 1.0, 1: 3.0}, ACCESS)[2] == (1.0, 3.0)
    assert values(edges, {**weights, 0: 1.0, 1: 1.0}, COUNT)[2] == (1.0, 2.0)
    assert values(edges, {**weights, 0: 3.0, 1: 3.0}, COUNT)[2] == (6.0, 9.0)
