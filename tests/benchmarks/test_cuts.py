"""The computed number of triples that a question reads equals the number counted with networkx."""

import networkx as nx
import numpy as np
import pytest

from benchmarks.sets.cuts import Cut, Large, large, packed, score
from benchmarks.traces.shapes import SHAPES
from provhouse.model.arrays import I32
from provhouse.sets.distinct import dense_values

THETA = 40


def instance(shape: str, seed: int) -> Large:
    """Generate a small trace of a shape, and return its largest component."""
    trace = SHAPES[shape](700, seed)
    table = trace.table if trace.tabled else np.zeros_like(trace.table)
    every, _ = large(trace.src, trace.dst, table, 1)
    return large(every.src, every.dst, every.table, int(np.bincount(every.component).max()))[0]


def read(graph: Large, label: I32) -> tuple[float, float]:
    """Compute with networkx the number of triples that a question reads, upstream and downstream.

    Each of the two numbers is a mean over all items that have a lineage.
    """
    sets: nx.DiGraph[int] = nx.DiGraph()
    sets.add_nodes_from(label.tolist())
    sets.add_edges_from(zip(label[graph.src].tolist(), label[graph.dst].tolist(), strict=True))
    own = np.bincount(label[graph.dst], minlength=len(label))
    up, down = (
        {one: int(own[list(reach(sets, one) | {one})].sum()) for one in sets}
        for reach in (nx.ancestors, nx.descendants)
    )
    asked = label[graph.derived()].tolist()
    return float(np.mean([up[one] for one in asked])), float(np.mean([down[one] for one in asked]))


def scored(graph: Large, label: I32) -> Cut:
    return score(graph, dense_values(label), graph.derived(), "")


@pytest.mark.long
@pytest.mark.parametrize(
    "shape", [*(pytest.param(n, marks=pytest.mark.long) for n in ("runs", "zipf")), "cyclic"]
)
def test_reads_are_those_of_a_walk(shape: str) -> None:
    graph = instance(shape, 3)
    label = (np.random.default_rng(1).permutation(graph.items) // 9).astype(np.int32)
    for sets in (label, packed(graph, label, THETA), np.arange(graph.items, dtype=np.int32)):
        cut = scored(graph, sets)
        up, down = read(graph, sets)
        assert cut["up"]["mean"] == pytest.approx(up, abs=0.1)
        assert cut["down"]["mean"] == pytest.approx(down, abs=0.1)
        assert cut["up"]["partitions"] == 1


def test_large_components_are_chosen_completely() -> None:
    src, dst = np.array([0, 3, 5, 4, 7]), np.array([3, 5, 0, 2, 6])
    graph, chosen = large(src, dst, np.array([4, 4, 9, 4, 9, 9, 4, 4], np.int32), 3)
    assert chosen.tolist() == [True, False, False, True, False, True, False, False]
    assert list(zip(graph.src.tolist(), graph.dst.tolist(), strict=True)) == [
        (0, 1),
        (1, 2),
        (2, 0),
    ]
    assert graph.table.tolist() == [0, 0, 1]
    assert graph.component.tolist() == [0, 0, 0]
