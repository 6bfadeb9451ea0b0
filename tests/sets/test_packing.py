"""Packed sets keep the limits.

With rules 1 and 2 of ``packing.py``, a closure gains only sets that are packed together.
"""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.graphs import graph
from provhouse.model.arrays import I32, I64
from provhouse.sets import packing
from provhouse.sets.packing import RULES, pack

SEEDS = st.integers(0, 10_000_000)


class SetGraph:
    """A random graph of sets with their sizes. The last ``stored`` sets must not be packed."""

    def __init__(self, seed: int, stored: int) -> None:
        names = {
            n: i for i, n in enumerate(sorted({e for t in graph(seed).triples for e in t[:2]}))
        }
        pairs = {(names[t.dst], names[t.src]) for t in graph(seed).triples if t.src != t.dst}
        both = np.array(sorted(pairs), np.int32).reshape(-1, 2)
        self.child, self.parent = both[:, 0], both[:, 1]
        self.nodes = len(names)
        self.sets = max(len(names) - stored, 1)
        self.items: I64 = np.random.default_rng(seed).integers(1, 4, self.sets)
        self.group = np.zeros(self.sets, np.int32)
        whole: nx.Graph[int] = nx.Graph(pairs)
        whole.add_nodes_from(range(self.sets))
        for number, part in enumerate(nx.connected_components(whole)):
            self.group[[node for node in part if node < self.sets]] = number

    def closures(self, label: I32, downstream: bool = False) -> list[tuple[set[int], set[int]]]:
        """Return, for each set, the original sets that it reaches before and after packing."""
        ends = (self.parent, self.child) if downstream else (self.child, self.parent)
        packed = np.concatenate([label, np.arange(self.sets, self.nodes) + self.sets])
        before: nx.DiGraph[int] = nx.DiGraph()
        before.add_nodes_from(range(self.nodes))
        before.add_edges_from(zip(*(end.tolist() for end in ends), strict=True))
        after: nx.DiGraph[int] = nx.DiGraph()
        after.add_nodes_from(packed.tolist())
        after.add_edges_from((int(packed[c]), int(packed[p])) for c, p in before.edges)
        members = {one: set(np.flatnonzero(packed == one).tolist()) for one in set(packed.tolist())}
        return [
            (
                {node} | nx.descendants(before, node),
                {m for one in {int(packed[node])} | nx.descendants(after, int(packed[node]))
                 for m in members[one]},
            )
            for node in range(self.nodes)
        ]  # fmt: skip

    def pack(self, limit: int, enough: int = 0) -> I32:
        return pack(self.sets, self.items, self.child, self.parent, self.group, limit, enough)


@settings(deadline=None, max_examples=200)
@given(SEEDS, st.integers(0, 3), st.integers(0, 9))
def test_packed_sets_keep_to_the_limit_and_to_their_component(
    seed: int, stored: int, limit: int
) -> None:
    given_ = SetGraph(seed, stored)
    label = given_.pack(limit)
    count = int(label.max()) + 1
    assert np.unique(label).tolist() == list(range(count))
    sizes = np.bincount(label, given_.items)
    several = np.bincount(label) > 1
    assert (sizes[several] <= limit).all()
    for one in range(count):
        assert len(np.unique(given_.group[label == one])) == 1


@pytest.mark.long
@settings(deadline=None, max_examples=200)
@given(SEEDS, st.integers(0, 3))
def test_closures_after_packing_contain_those_before(seed: int, stored: int) -> None:
    given_ = SetGraph(seed, stored)
    assert all(before <= after for before, after in given_.closures(given_.pack(100)))


@pytest.mark.parametrize("rule", [0, 1])
@settings(deadline=None, max_examples=200)
@given(seed=SEEDS, stored=st.integers(0, 3))
def test_the_free_rules_add_only_sets_packed_with_the_ends(
    rule: int, seed: int, stored: int
) -> None:
    """With rules 1 and 2 of ``packing.py``, a closure gains only sets packed with its first set."""
    given_ = SetGraph(seed, stored)
    label = RULES[rule](given_.nodes, given_.items, given_.child, given_.parent, given_.group, 100)
    packed = np.concatenate([label, np.arange(given_.sets, given_.nodes) + given_.sets])
    for downstream in (False, True):
        for node, (before, after) in enumerate(given_.closures(label, downstream)):
            assert before <= after
            assert after - before <= set(np.flatnonzero(packed == packed[node]).tolist())


def test_few_sets_are_not_packed() -> None:
    given_ = SetGraph(9, 0)
    assert given_.pack(100, enough=10_000).tolist() == list(range(given_.sets))
    assert given_.pack(0).tolist() == list(range(given_.sets))
    assert len(packing.RULES) == 4


def test_a_chain_is_packed_up_to_the_limit() -> None:
    child, parent = np.arange(1, 10, dtype=np.int32), np.arange(9, dtype=np.int32)
    ones, group = np.ones(10, np.int64), np.zeros(10, np.int32)
    label = pack(10, ones, child, parent, group, 4, enough=0)
    assert np.bincount(label).tolist() == [4, 4, 2]


def test_leaves_of_one_parent_are_packed_and_those_of_two_are_not() -> None:
    child = np.array([2, 3, 4, 5], np.int32)
    parent = np.array([0, 0, 1, 1], np.int32)
    group = np.array([0, 1, 0, 0, 1, 1], np.int32)
    label = RULES[1](6, np.ones(6, np.int64), child, parent, group, 10)
    assert label[2] == label[3]
    assert label[4] == label[5]
    assert label[2] != label[4]
