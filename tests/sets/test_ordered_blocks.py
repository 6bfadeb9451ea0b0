"""If tables give no way to cut, blocks of an order read little and form no cycles."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import SHAPES

from provhouse.model.arrays import I32
from provhouse.sets.cycles import cycles, on_cycles
from provhouse.sets.depths import neighbours
from provhouse.sets.distinct import dense_values
from provhouse.sets.ordered_blocks import Ordered, blocks
from provhouse.sets.ordering import parents_first
from provhouse.sets.sampling import UNBOUNDED, Reader

SEEDS = st.integers(0, 10_000_000)
ITEMS, THETA = 1_000, 60


def cut(shape: str, seed: int, most: int) -> tuple[I32, I32, I32, int]:
    """Return edges, each item's set in at most ``most`` sets, and how much the samples read."""
    trace = SHAPES[shape](ITEMS, seed)
    cycle = cycles(len(trace.table), trace.src, trace.dst)

    def packed(roots: I32, thorough: bool) -> I32 | None:
        label = dense_values(roots)
        return label if label.max() < most else None

    reader = Reader.of(trace.src, trace.dst, trace.table)
    roots, read = blocks(trace.src, trace.dst, THETA, cycle, packed, reader)
    return trace.src, trace.dst, roots, read


@pytest.mark.parametrize("shape", ["chain", "ladder", "merkle", "runs", "zipf"])
def test_blocks_are_small_and_depend_on_each_other_one_way(shape: str) -> None:
    trace = SHAPES[shape](ITEMS, 3)
    src, dst = trace.src, trace.dst
    ordered = Ordered(src, dst, np.arange(len(trace.table), dtype=np.int32), THETA)
    cores = list(ordered.cores())
    assert (len(cores) > 1) == (shape in {"merkle", "runs", "zipf"})
    for core in cores:
        assert core[src[core[dst]]].all()  # the core contains everything it derives from
        for size in (THETA - 1, 9):
            roots = ordered.cut(core, size)
            assert np.bincount(roots).max() <= size
            across = roots[src] != roots[dst]
            pairs = zip(roots[src[across]].tolist(), roots[dst[across]].tolist(), strict=True)
            assert nx.is_directed_acyclic_graph(nx.DiGraph(pairs))


def test_blocks_are_connected() -> None:
    src, dst, roots, _ = cut("runs", 3, ITEMS)
    inside = roots[src] == roots[dst]
    graph: nx.Graph[int] = nx.Graph(zip(src[inside].tolist(), dst[inside].tolist(), strict=True))
    graph.add_nodes_from(range(len(roots)))
    assert nx.number_connected_components(graph) == len(np.unique(roots))


def test_more_sets_read_less() -> None:
    """The limit on the number of sets decides the size of blocks."""
    few, many = (cut("ladder", 3, most)[3] for most in (40, 400))
    assert many < few


def test_sets_are_joined_up_to_theta_if_no_cut_is_small_enough() -> None:
    """Blocks of `bipartite` have too many dependencies; those of `merkle` have few enough."""
    for shape, joined in (("bipartite", True), ("merkle", False)):
        src, dst, roots, read = cut(shape, 3, 0)
        assert read == UNBOUNDED
        assert np.bincount(roots).max() < THETA
        cycle = np.arange(len(roots), dtype=np.int32)
        assert np.array_equal(roots, Ordered(src, dst, cycle, THETA).joined()) == joined


@settings(deadline=None, max_examples=100)
@given(SEEDS)
def test_parents_come_first(seed: int) -> None:
    random = np.random.default_rng(seed)
    one, other = (random.integers(0, 40, 80).astype(np.int32) for _ in "od")
    across = one != other
    src, dst = np.minimum(one, other)[across], np.maximum(one, other)[across]
    order = parents_first(random.permutation(40), *neighbours(40, dst, src))
    place = np.argsort(order)
    assert sorted(order.tolist()) == list(range(40))
    assert (place[src] < place[dst]).all()


def test_tables_on_cycles_are_found() -> None:
    item = np.arange(4, dtype=np.int32)
    src, dst = item[:-1], item[1:]
    assert not on_cycles(src, dst, item).any()
    assert on_cycles(src, dst, np.array([0, 0, 1, 2], np.int32)).tolist() == [True, False, False]
    assert on_cycles(src, dst, np.array([0, 1, 0, 1], np.int32)).all()
