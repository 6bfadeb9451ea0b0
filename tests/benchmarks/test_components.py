"""The benchmark of components measures memory, compares the programs and reports failures."""

from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

from benchmarks.ingest import component_speed as components_table
from benchmarks.ingest.component_contenders import (
    ContenderTimes,
    Measurement,
    NumberedEdges,
    of_edges,
    of_parts,
    read,
    run,
    smallest,
)
from benchmarks.ingest.component_speed import agreed, save, start, targets, traces
from benchmarks.shared.results_file import Spread
from provhouse.model.arrays import I32
from provhouse.model.errors import Damaged

ITEMS = 1_000_000


def pairs(items: int, edges: int) -> tuple[I32, I32]:
    src, dst = np.random.default_rng(7).integers(0, items, (2, edges), dtype=np.int32)
    return src, dst


@pytest.mark.long
def test_contenders_find_the_components_of_networkx(tmp_path: Path) -> None:
    src, dst = pairs(500, 400)
    save(tmp_path, 500, 400, [(src[:150], dst[:150]), (src[150:], dst[150:])])
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(500))
    graph.add_edges_from(zip(src.tolist(), dst.tolist(), strict=True))
    runs = [start(name, tmp_path) for name in ("scipy", "provhouse")]
    assert agreed("t", [each for each in runs if each]) == nx.number_connected_components(graph)


@pytest.mark.long
def test_provhouse_needs_at_most_eight_bytes_an_item(tmp_path: Path) -> None:
    save(tmp_path, ITEMS, ITEMS, [pairs(ITEMS, ITEMS)])
    one = start("provhouse", tmp_path)
    assert one
    assert 3 <= one["peak"] / ITEMS <= 8


def test_labels_of_any_kind_are_compared_by_the_smallest_item() -> None:
    given = NumberedEdges(5, np.array([3, 4], np.int32), np.array([0, 1], np.int32))
    expected = [0, 1, 2, 0, 1]
    assert smallest(np.array([7, 3, 9, 7, 3])).tolist() == expected
    assert smallest(of_parts([{2}, {4, 1}, {0, 3}], given)).tolist() == expected
    four = NumberedEdges(4, np.array([3, 2], np.int32), np.array([0, 1], np.int32))
    assert smallest(of_edges(pa.array([5, 2]), four)).tolist() == [0, 1, 1, 0]


def test_different_answers_are_reported(tmp_path: Path) -> None:
    save(tmp_path, 3, 1, [(np.array([0], np.int32), np.array([1], np.int32))])
    given = read(tmp_path)
    one = run("scipy", given)
    other = run("scipy", NumberedEdges(3, given.src, np.array([2], np.int32)))
    assert one["components"] == other["components"] == 2
    with pytest.raises(Damaged, match="the same components of base"):
        agreed("base", [one, other])


@pytest.mark.long
def test_peers_may_fail_but_not_provhouse(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="non-zero exit status"):
        start("provhouse", tmp_path)
    assert start("igraph", tmp_path) is None


def test_all_traces_have_the_same_degrees() -> None:
    src, dst = np.array([0, 1, 3], np.int32), np.array([1, 2, 4], np.int32)
    made = traces(5, src, dst, seed=1, copies=3)
    degrees = {}
    for name, (copies, edges) in made.items():
        ends = np.concatenate([np.concatenate(pair) for pair in edges()])
        degrees[name] = copies, sorted(np.bincount(ends, minlength=5 * copies).tolist())
    assert degrees == {
        **{name: (1, [1, 1, 1, 1, 2]) for name in ("base", "renumbered", "shuffled")},
        "x3": (3, [1] * 12 + [2] * 3),
    }


def test_targets_are_met_or_not() -> None:
    def took(seconds: float, size: float) -> ContenderTimes:
        spread: Spread = {"median": seconds, "max": seconds}
        return {"build": spread, "solve": spread, "total": spread, "bytes_an_item": size}

    trace: Measurement = {
        "trace": "base",
        "items": 1,
        "edges": 1,
        "components": 1,
        "contenders": {"provhouse": took(2, 9), "scipy": took(3, 50), "igraph": None},
    }
    assert targets(trace) == {
        "base: at most 8 bytes an item": False,
        "base: ahead of all": True,
        "base: twice as fast as scipy": False,
    }
    assert "| igraph | failed |" in "\n".join(components_table.table(trace))
