"""Every piece, a group of connected items, is cut into connected sets below theta."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.graphs import chain, graph
from helpers.oracle import Triple
from helpers.sampled import one_in
from provhouse.model.arrays import I32
from provhouse.sets.components import dense, weak_components
from provhouse.sets.cut import cut
from provhouse.sets.depths import depths

SEEDS = st.integers(0, 10_000_000)
THETAS = st.sampled_from([2, 3, 4, 7, 10, 25])


class Arrays:
    """A graph as arrays, in the format that ``cut`` expects."""

    def __init__(self, triples: list[Triple]) -> None:
        names = sorted({end for triple in triples for end in triple[:2]})
        code = {name: number for number, name in enumerate(names)}
        table = {t.src: t.src_table for t in triples} | {t.dst: t.dst_table for t in triples}
        tables = sorted(set(table.values()))
        self.src = np.array([code[t.src] for t in triples], np.int32)
        self.dst = np.array([code[t.dst] for t in triples], np.int32)
        self.table = np.array([tables.index(table[name]) for name in names], np.int32)
        self.piece = dense(weak_components(len(names), [(self.src, self.dst)]))[0]


def check(arrays: Arrays, label: I32, count: int, theta: int) -> None:
    """Check that sets are connected, below theta, inside pieces, and numbered without gaps."""
    sizes = np.bincount(label, minlength=count)
    assert len(sizes) == count
    assert (sizes > 0).all()
    assert (sizes < theta).all()
    pairs = zip(arrays.src.tolist(), arrays.dst.tolist(), strict=True)
    inside: nx.Graph[int] = nx.Graph((s, d) for s, d in pairs if label[s] == label[d])
    inside.add_nodes_from(range(len(label)))
    assert nx.number_connected_components(inside) == count


@settings(deadline=None, max_examples=200)
@given(st.lists(SEEDS, min_size=1, max_size=3), THETAS)
def test_every_set_is_small_and_connected(seeds: list[int], theta: int) -> None:
    arrays = Arrays([triple for seed in seeds for triple in graph(seed).triples])
    label, count = cut(arrays.piece, arrays.src, arrays.dst, arrays.table, theta)
    check(arrays, label, count, theta)


@pytest.mark.parametrize("theta", [2, 3, 10, 1000])
@pytest.mark.parametrize("tables", one_in(6, [7, 0, 1]))
def test_a_long_chain_is_cut(theta: int, tables: int) -> None:
    arrays = Arrays(chain(5_000, tables).triples)
    label, count = cut(arrays.piece, arrays.src, arrays.dst, arrays.table, theta)
    check(arrays, label, count, theta)


@settings(deadline=None, max_examples=100)
@given(SEEDS, THETAS, st.lists(st.integers(0, 2), min_size=10, max_size=10))
def test_a_set_lies_in_one_given_split(seed: int, theta: int, splits: list[int]) -> None:
    """Each set of a cut piece lies within one split."""
    arrays = Arrays(graph(seed).triples)
    level = np.array(splits, np.int32)
    arrays.table %= np.int32(10)
    label, count = cut(arrays.piece, arrays.src, arrays.dst, arrays.table, theta, [level])
    check(arrays, label, count, theta)
    cut_up = np.bincount(arrays.piece)[arrays.piece] >= theta
    for one in np.unique(label[cut_up]):
        assert len(np.unique(level[arrays.table[label == one]])) == 1


def test_no_items_have_no_sets() -> None:
    none = np.empty(0, np.int32)
    label, count = cut(none, none, none, none, 10)
    assert (len(label), count) == (0, 0)


@settings(deadline=None, max_examples=100)
@given(SEEDS)
def test_depths_are_the_longest_paths(seed: int) -> None:
    arrays = Arrays(graph(seed).triples)
    found = depths(len(arrays.piece), arrays.src, arrays.dst)
    edges: nx.DiGraph[int] = nx.DiGraph()
    edges.add_nodes_from(range(len(found)))
    edges.add_edges_from(zip(arrays.src.tolist(), arrays.dst.tolist(), strict=True))
    if nx.is_directed_acyclic_graph(edges):
        for level, nodes in enumerate(nx.topological_generations(edges)):
            assert all(found[node] == level for node in nodes)
    assert (found >= 0).all()
