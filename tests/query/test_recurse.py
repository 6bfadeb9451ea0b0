"""The recursion over arrays gives the same result as networkx, for any triples."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.oracle import Oracle, Triple
from provhouse.model.arrays import I64
from provhouse.query.reading.recurse import Reached, recurse

EDGES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40)


def ends(edges: list[tuple[int, int]]) -> tuple[I64, I64]:
    both = np.array(edges, np.int64).reshape(-1, 2) * 7 + 3  # this leaves gaps between the numbers
    return both[:, 0], both[:, 1]


def items(reached: Reached) -> set[tuple[str, int]]:
    rows = zip(reached.items.tolist(), reached.depths.tolist(), strict=True)
    return {(str(item), depth) for item, depth in rows}


@settings(deadline=None, max_examples=100)
@given(EDGES, st.integers(0, 12), st.none() | st.integers(0, 6))
def test_recursion_equals_networkx(
    edges: list[tuple[int, int]], item: int, limit: int | None
) -> None:
    near, far = ends(edges)
    number = 7 * item + 3
    rows = list(zip(near.tolist(), far.tolist(), strict=True))
    oracle = Oracle.of([Triple(str(n), str(f), str(op)) for op, (n, f) in enumerate(rows)])
    oracle.graph.add_node(str(number))
    expected = oracle.ask(str(number), "downstream", limit)
    reached = recurse(near, far, number, limit)
    assert items(reached) == expected.items
    assert len(reached.items) == len(expected.items)
    kept = {(str(rows[row][0]), str(rows[row][1]), str(row)) for row in reached.triples.tolist()}
    assert kept == expected.triples
    assert len(reached.triples) == len(kept)
    assert set(reached.unexpanded.tolist()) == {
        int(name)
        for name, d in {**dict(expected.items), str(number): 0}.items()
        if limit is not None and d >= limit and oracle.graph.out_degree(name)
    }
    depth = {**dict(expected.items), str(number): 0}
    assert [depth[str(rows[row][0])] for row in reached.triples] == reached.near_depths.tolist()


def test_a_chain_of_a_million_hops() -> None:
    line = np.arange(1_000_001)
    reached = recurse(line[1:], line[:-1], 1_000_000)
    assert len(reached.items) == 1_000_000
    assert reached.depths.max() == 1_000_000
    assert not len(reached.unexpanded)
