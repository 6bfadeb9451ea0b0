"""Components equal those of networkx, regardless of the order of edges and of chunks."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from provhouse.sets.components import dense, weak_components

CHUNKS = st.lists(st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=15))


@settings(deadline=None)
@given(CHUNKS)
def test_components_equal_those_of_networkx(chunks: list[list[tuple[int, int]]]) -> None:
    edges = [np.array(chunk, np.int32).reshape(-1, 2) for chunk in chunks]
    label = weak_components(26, [(chunk[:, 0], chunk[:, 1]) for chunk in edges])
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(26))
    graph.add_edges_from(edge for chunk in chunks for edge in chunk)
    components = list(nx.connected_components(graph))
    assert all(label[item] == min(part) for part in components for item in part)
    numbers, count = dense(label)
    assert count == len(components)
    assert np.unique(numbers).tolist() == list(range(count))
