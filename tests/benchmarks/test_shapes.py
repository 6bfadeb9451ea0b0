"""Each generated hard shape has the properties that its name promises, and depends on its seed."""

import networkx as nx
import numpy as np
import pytest

from benchmarks.traces.shapes import HEIGHT, SHAPES
from benchmarks.traces.trace_files import Trace

ITEMS = 2_000


def graph(trace: Trace) -> "nx.DiGraph[int]":
    return nx.DiGraph(list(zip(trace.src.tolist(), trace.dst.tolist(), strict=True)))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("items", [ITEMS, 10, 1])
def test_shapes_have_distinct_triples_and_no_unused_items(name: str, items: int) -> None:
    """Every item is in a triple, and every table is used.

    The number of items is at most the requested number, and at least 70 % of it.
    """
    trace = SHAPES[name](items, 7)
    ends = set(zip(trace.src.tolist(), trace.dst.tolist(), strict=True))
    assert len(ends) == len(trace.src) > 0
    assert np.array_equal(np.unique([trace.src, trace.dst]), np.arange(len(trace.table)))
    assert np.array_equal(np.unique(trace.table), np.arange(len(trace.tables)))
    if items == ITEMS:
        assert 0.7 * ITEMS <= len(trace.table) <= ITEMS


@pytest.mark.parametrize("name", SHAPES)
def test_the_seed_decides(name: str) -> None:
    one, again, other = (SHAPES[name](ITEMS, seed) for seed in (7, 7, 8))
    assert np.array_equal(one.src, again.src)
    assert np.array_equal(one.dst, again.dst)
    alike = len(one.src) == len(other.src) and np.array_equal(one.src, other.src)
    assert alike == (
        name in {"chain", "instar", "outstar", "ladder"}
    )  # these shapes draw nothing at random


@pytest.mark.parametrize("name", SHAPES)
def test_only_cyclic_has_cycles(name: str) -> None:
    trace = SHAPES[name](ITEMS, 7)
    assert nx.is_directed_acyclic_graph(graph(trace)) == (name != "cyclic")


def test_cycles_are_longer_than_loops() -> None:
    trace = SHAPES["cyclic"](ITEMS, 7)
    largest = max(map(len, nx.strongly_connected_components(graph(trace))))
    assert largest > 10
    assert (trace.src == trace.dst).any()


def test_deep_shapes_are_deep() -> None:
    assert nx.dag_longest_path_length(graph(SHAPES["chain"](ITEMS, 7))) == ITEMS - 1
    assert nx.dag_longest_path_length(graph(SHAPES["ladder"](ITEMS, 7))) == 2 * ((ITEMS - 1) // 3)
    merkle = SHAPES["merkle"](ITEMS, 7)
    versions = len(merkle.table) // (HEIGHT + 2)
    assert nx.dag_longest_path_length(graph(merkle)) >= versions


def test_stars_have_one_hub() -> None:
    into, out = SHAPES["instar"](ITEMS, 7), SHAPES["outstar"](ITEMS, 7)
    assert np.bincount(into.dst).max() == np.bincount(out.src).max() == ITEMS - 1


def test_tables_of_merkle_derive_from_themselves() -> None:
    trace = SHAPES["merkle"](ITEMS, 7)
    steps = set(zip(trace.table[trace.src].tolist(), trace.table[trace.dst].tolist(), strict=True))
    leaves, nodes, versions = range(3)
    assert steps == {
        (leaves, leaves),
        (leaves, nodes),
        (nodes, nodes),
        (nodes, versions),
        (versions, versions),
    }
    assert np.bincount(trace.dst).max() == 2


def test_merkle_has_the_tree_of_each_version() -> None:
    """In each version, the changed tree nodes derive from their two children, as simulated here."""
    trace = SHAPES["merkle"](ITEMS, 7)
    parents: dict[int, set[int]] = {item: set() for item in range(len(trace.table))}
    for src, dst in zip(trace.src.tolist(), trace.dst.tolist(), strict=True):
        parents[dst].add(src)
    per = HEIGHT + 2
    changed = np.random.default_rng(7).integers(0, 1 << HEIGHT, len(trace.table) // per).tolist()
    current: dict[tuple[int, int], int] = {}
    for version, leaf in enumerate(changed):
        first = version * per
        assert parents[first] == {current[0, leaf]} if (0, leaf) in current else not parents[first]
        current[0, leaf] = first
        for level in range(HEIGHT):
            node = leaf >> level
            pair = {current[level, one] for one in (node, node ^ 1) if (level, one) in current}
            assert parents[first + level + 1] == pair
            current[level + 1, node >> 1] = first + level + 1


def test_fan_out_of_zipf_follows_a_power_law() -> None:
    fan = np.sort(np.bincount(SHAPES["zipf"](50_000, 7).src))[::-1]
    assert fan[0] > 50 * fan[fan > 0].mean()
    assert fan[0] > 2 * fan[9] > 4 * fan[99]


def test_runs_read_each_other() -> None:
    trace = SHAPES["runs"](ITEMS, 7)
    assert nx.number_weakly_connected_components(graph(trace)) < 20
    results, inputs = trace.tables.index("results"), trace.tables.index("inputs")
    read = trace.dst[np.equal(trace.table[trace.src], results)]
    assert len(read)
    assert (trace.table[read] == inputs).all()
