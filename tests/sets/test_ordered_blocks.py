"""A component that cannot be cut by its tables is cut into ordered blocks.

Questions then read few triples, and the sets form no cycles.
"""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.traces.shapes import SHAPES
from provhouse.model.arrays import I32
from provhouse.sets.cycles import cycles, on_cycles
from provhouse.sets.depths import neighbours
from provhouse.sets.distinct import dense_values, distinct_pairs
from provhouse.sets.ordered_blocks import Ordered, blocks
from provhouse.sets.ordering import parents_first
from provhouse.sets.sampling import UNBOUNDED, SampleReader, SetGraph
from provhouse.sets.search import find_sets

SEEDS = st.integers(0, 10_000_000)
ITEMS, THETA = 1_000, 60


def cut(shape: str, seed: int, most: int, free: int = 0) -> tuple[I32, I32, I32, int]:
    """Cut a shape into at most ``most`` sets.

    Return the edges, the set of each item, and the number of triples that the sample questions
    read.
    """
    trace = SHAPES[shape](ITEMS, seed)
    cycle = cycles(len(trace.table), trace.src, trace.dst)

    def packed(roots: I32, thorough: bool) -> SetGraph | None:
        label = dense_values(roots)
        sets = SetGraph(label, *distinct_pairs(label[trace.dst], label[trace.src]))
        return sets if label.max() < most else None

    reader = SampleReader.of(trace.src, trace.dst, trace.table)
    edges = trace.src, trace.dst
    roots, read = blocks(*edges, trace.table, THETA, cycle, packed, reader, free)
    return trace.src, trace.dst, roots, read


@pytest.mark.parametrize("shape", ["chain", "ladder", "merkle", "runs", "zipf"])
def test_blocks_are_small_and_depend_on_each_other_one_way(shape: str) -> None:
    trace = SHAPES[shape](ITEMS, 3)
    src, dst = trace.src, trace.dst
    ordered = Ordered(src, dst, np.arange(len(trace.table), dtype=np.int32), THETA)
    cores = list(ordered.cores())
    assert (len(cores) > 1) == (shape in {"merkle", "runs", "zipf"})
    for core in cores:
        assert core[src[core[dst]]].all()  # the core contains everything that its items derive from
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
    """If more sets are allowed, the blocks are smaller, and questions read fewer triples."""
    few, many = (cut("ladder", 3, most)[3] for most in (40, 400))
    assert many < few


def test_free_triples_make_larger_sets() -> None:
    """Of the cuts with which questions read up to ``free`` triples, one with few sets is chosen."""
    read = cut("ladder", 3, 400)[3]
    fine, coarse = (cut("ladder", 3, 400, free)[2:] for free in (read, 10 * read))
    assert read == fine[1] < coarse[1] <= 10 * read
    assert len(np.unique(coarse[0])) < len(np.unique(fine[0]))


def test_sets_that_derive_from_one_other_set_only_join_it() -> None:
    """If sets did not join their only parent, most sets would be single childless items."""
    trace = SHAPES["pipelines"](ITEMS, 3)
    cycle = cycles(len(trace.table), trace.src, trace.dst)
    ordered = Ordered(trace.src, trace.dst, cycle, THETA)
    graph = ordered.sets(ordered.cut(next(ordered.cores()), THETA - 1))
    assert graph.label.max() < ITEMS / 12
    assert np.bincount(graph.label).max() < THETA


def test_windows_divide_tables_in_order() -> None:
    """All items in a window are in one table, and either all of them or none are derived."""
    trace = SHAPES["repository"](ITEMS, 3)
    cycle = cycles(len(trace.table), trace.src, trace.dst)
    roots = Ordered(trace.src, trace.dst, cycle, THETA).windows(trace.table, 16)
    derived = np.isin(np.arange(len(roots)), trace.dst)
    assert np.array_equal(trace.table[roots], trace.table)
    assert np.array_equal(derived[roots], derived)
    assert np.array_equal(roots[roots], roots)
    counts = np.bincount(trace.table[np.unique(roots)] * 2 + derived[np.unique(roots)])
    assert np.array_equal(counts, -(-np.bincount(trace.table * 2 + derived) // 16))


def test_windows_are_tried_if_questions_read_very_much(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = SHAPES["repository"](10_000, 3)
    reader = SampleReader.of(trace.src, trace.dst, trace.table)

    def read() -> int:
        piece = np.zeros(len(trace.table), np.int32)
        label = dense_values(find_sets(piece, trace.src, trace.dst, trace.table, 500, 100))
        sets = SetGraph(label, *distinct_pairs(label[trace.dst], label[trace.src]))
        return reader.read_sets(sets)

    with_windows = read()
    monkeypatch.setattr("provhouse.sets.ordered_blocks.MUCH", UNBOUNDED)
    assert with_windows < 0.9 * read()


def test_sets_are_joined_up_to_theta_if_no_cut_is_small_enough() -> None:
    """The sets of `bipartite` are joined, because the blocks have too many dependencies.

    The blocks of `merkle` have few enough dependencies, so the sets of `merkle` are not joined.
    """
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
