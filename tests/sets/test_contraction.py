"""With the sets that a search finds, questions read few triples. These sets form no cycles."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provhouse.model.arrays import I32
from provhouse.sets.bands import BANDS, MAX_GROUPS, bands
from provhouse.sets.components import dense
from provhouse.sets.contraction import Contraction
from provhouse.sets.cycles import cycles
from provhouse.sets.distinct import distinct_pairs
from provhouse.sets.forest import Forest
from provhouse.sets.sampling import UNBOUNDED, SampleReader, SetGraph
from provhouse.sets.search import find_sets

SEEDS = st.integers(0, 10_000_000)
LAYERS, WIDTH = 6, 60


def layered(seed: int, layers: int = LAYERS, width: int = WIDTH) -> tuple[I32, I32, I32]:
    """Return a chain of tables. Most items in it have a parent near their own position."""
    random = np.random.default_rng(seed)
    items = np.arange(layers * width)
    dst = np.concatenate([items[width:], random.choice(items[width:], width)])
    jump = np.where(random.random(len(dst)) < 0.05, random.integers(0, width, len(dst)), 0)
    src = (dst // width - 1) * width + (dst + random.integers(0, 3, len(dst)) + jump) % width
    return src.astype(np.int32), dst.astype(np.int32), (items // width).astype(np.int32)


def apart(items: int) -> I32:
    """Return the value of the argument ``cycle`` for a graph that has no cycles."""
    return np.arange(items, dtype=np.int32)


def reads(src: I32, dst: I32, label: I32, item: int) -> int:
    """Return the number of triples that walks from an item read, computed with networkx.

    The upstream walk and the downstream walk both count.
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(label.tolist())
    graph.add_edges_from(zip(label[src].tolist(), label[dst].tolist(), strict=True))
    own = np.bincount(label[dst], minlength=len(label))
    start = int(label[item])
    return sum(
        int(own[[start, *far]].sum())
        for far in (nx.ancestors(graph, start) - {start}, nx.descendants(graph, start) - {start})
    )


@pytest.mark.long
@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(0, 400))
def test_samples_read_what_a_walk_over_sets_reads(seed: int, joined: int) -> None:
    src, dst, table = layered(seed, 3, 60)
    forest, reader = Forest.of(len(table)), SampleReader.of(src, dst, table)
    forest.join_some(src[:joined], dst[:joined], 20)
    roots = forest.roots()
    expected = sum(reads(src, dst, roots, item) for item in reader.samples.tolist())
    assert reader.read(Forest.holding(dense(roots)[0])) == expected
    assert reader.read(forest) == expected
    label = dense(roots)[0]
    sets = SetGraph(label, *distinct_pairs(label[dst], label[src]))
    assert reader.read_sets(sets) == expected
    assert reader.read_sets(sets, expected - 1) > expected - 1
    assert reader.read(forest, expected) == expected
    assert reader.read(forest, expected - 1) > expected - 1


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(2, 200))
def test_a_join_is_complete_or_undone(seed: int, theta: int) -> None:
    src, dst, table = layered(seed, 3, 60)
    forest = Forest.of(len(table))
    kept = forest.join_some(src, dst, 3)
    before = forest.roots(), forest.size.copy(), forest.ring.copy()
    joins = forest.join(src, dst, 0, theta)
    sizes = np.bincount(forest.roots())
    if joins >= 0:
        assert kept + joins == len(table) - np.count_nonzero(sizes)
        forest.take_back(joins)
    else:
        assert sizes.max() <= 3
    assert all(np.array_equal(*pair) for pair in zip(before, after(forest), strict=True))


def after(forest: Forest) -> tuple[I32, I32, I32]:
    """Return a forest's roots, sizes and rings, which undoing a join must restore."""
    return forest.roots(), forest.size, forest.ring


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.sampled_from([20, 100, 1000]))
def test_groups_of_tables_keep_their_order(seed: int, theta: int) -> None:
    """The groups that result from joining tables never depend on each other in cycles."""
    src, dst, table = layered(seed)
    contraction = Contraction(src, dst, table, theta, apart(len(table)))
    contraction.find(lambda roots, thorough: None, SampleReader.of(src, dst, table), UNBOUNDED)
    group = list(range(LAYERS))
    for one, other in contraction.plan:
        group = [one if g == other else g for g in group]
    order: nx.DiGraph[int] = nx.DiGraph((group[n], group[n + 1]) for n in range(LAYERS - 1))
    order.remove_edges_from([(g, g) for g in group])
    assert nx.is_directed_acyclic_graph(order)


def test_tables_that_would_form_a_cycle_are_not_joined() -> None:
    """The tables derive as a -> b -> c and a -> c.

    Tables a and c must not be joined if theta keeps b out of their set.
    """
    src = np.array([0, 0, 0, 0, 1, 2, 3, 0, 0], np.int32)
    dst = np.array([1, 2, 3, 1, 4, 4, 4, 4, 4], np.int32)
    table = np.array([0, 1, 1, 1, 2], np.int32)
    contraction = Contraction(src, dst, table, 4, apart(5))
    contraction.find(lambda roots, thorough: None, SampleReader.of(src, dst, table), UNBOUNDED)
    roots = contraction.roots()
    assert roots[0] != roots[4]


def test_pieces_of_one_kind_are_cut_alike() -> None:
    """The second of two equal components is cut according to the first's plan, without a search."""
    src, dst, table = layered(7)
    count = len(table)
    two = find_sets(
        np.repeat([0, 1], count).astype(np.int32),
        np.concatenate([src, src + count]),
        np.concatenate([dst, dst + count]),
        np.tile(table, 2),
        100,
        20,
    )
    assert np.array_equal(two[:count] + count, two[count:])


def test_a_star_is_cut_below_theta() -> None:
    """A graph without any good cut is still cut below theta, into sets that pack well."""
    count = 5_000
    src = np.arange(1, count, dtype=np.int32)
    dst = np.zeros(count - 1, np.int32)
    table = np.ones(count, np.int32)
    table[0] = 0
    sets = find_sets(np.zeros(count, np.int32), src, dst, table, 100, 50)
    assert np.bincount(sets).max() < 100


def test_bands_follow_depth() -> None:
    """A table that derives from itself is divided by depth. Other tables are not divided."""
    chain = np.arange(1_000, dtype=np.int32)
    table = np.zeros(1_001, np.int32)
    table[1_000] = 1
    own, first = bands(chain, chain + 1, table, apart(1_001))
    assert own is table
    assert (np.diff(first[:-1]) >= 0).all()
    assert np.bincount(first)[first[-1]] == 1
    assert len(np.bincount(first)) == BANDS + 1
    straight, *others = bands(*layered(3), apart(LAYERS * WIDTH))
    assert np.array_equal(straight, layered(3)[2])
    assert not others


def test_too_many_tables_are_grouped_by_level() -> None:
    """Two thousand tables derive from a first table, and a last table from them: three levels."""
    middle = np.arange(1, 2_001, dtype=np.int32)
    src = np.concatenate([np.zeros_like(middle), middle])
    dst = np.concatenate([middle, np.full_like(middle, 2_001)])
    (levels,) = bands(src, dst, apart(2_002), apart(2_002))
    assert levels.tolist() == [0, *[1] * 2_000, 2]


def test_bands_are_bounded() -> None:
    chain = np.arange(5_000, dtype=np.int32)
    (levels,) = bands(chain, chain + 1, apart(5_001), apart(5_001))
    assert len(np.unique(levels)) == levels.max() + 1 <= MAX_GROUPS
    assert (np.diff(levels) >= 0).all()


@settings(deadline=None, max_examples=100)
@given(SEEDS)
def test_cycles_are_strongly_connected(seed: int) -> None:
    random = np.random.default_rng(seed)
    src, dst = (random.integers(0, 40, random.integers(1, 80)).astype(np.int32) for _ in "sd")
    src, dst = src[: len(dst)], dst[: len(src)]
    found = cycles(40, src, dst)
    graph: nx.DiGraph[int] = nx.DiGraph(zip(src.tolist(), dst.tolist(), strict=True))
    graph.add_nodes_from(range(40))
    parts = {frozenset(np.flatnonzero(found == number).tolist()) for number in found}
    assert parts == {frozenset(part) for part in nx.strongly_connected_components(graph)}


def test_a_cycle_is_one_set_if_theta_allows_it() -> None:
    ring = np.arange(10, dtype=np.int32)
    src = np.concatenate([ring, [9, 10]]).astype(np.int32)
    dst = np.concatenate([(ring + 1) % 10, [10, 11]]).astype(np.int32)
    sets = find_sets(np.zeros(12, np.int32), src, dst, np.zeros(12, np.int32), 11, 0)
    assert len(set(sets[:10].tolist())) == 1
    assert np.bincount(sets).max() < 11


def test_small_families_of_a_table_that_derives_from_itself_stay_together() -> None:
    """Chains of 20 items under one root fit into sets below theta, so depth must not cut them."""
    item = np.arange(2_000)
    # each chain begins at item 0, which is the root
    src = np.where(item % 20, item, 0).astype(np.int32)
    dst = (item + 1).astype(np.int32)
    table = np.ones(2_001, np.int32)
    table[0] = 0
    sets = find_sets(np.zeros(2_001, np.int32), src, dst, table, 100, 0)
    assert len(np.unique(sets[1:])) == 100
