"""Concurrent writers write every row exactly once, and never touch a node simultaneously."""

import random
from threading import Event, Lock

import numpy as np
import pyarrow as pa
import pytest

from provhouse.cypher import graph as module
from provhouse.cypher.bulk import ENDS, WRITERS, parameters, parts, write_disjoint
from provhouse.cypher.graph import Graph
from provhouse.model.arrays import SetId

ROWS = 2_000


def table(name: str) -> pa.Table:
    """Return random rows with few different ends, so that each end occurs many times."""
    draw = np.random.default_rng(5)
    return pa.table({column: draw.integers(0, 100, ROWS) for _, column in ENDS[name]})


def nodes(name: str, rows: pa.Table) -> set[tuple[str, int]]:
    """Return the nodes that the rows touch."""
    return {(label, id) for label, column in ENDS[name] for id in rows[column].to_pylist()}


@pytest.mark.parametrize("name", ENDS)
def test_parts_without_a_common_bucket_have_no_common_node(name: str) -> None:
    rows = table(name)
    found = list(parts(name, rows))
    columns = [column for _, column in ENDS[name]]
    order = [(column, "ascending") for column in columns]
    whole = pa.concat_tables([part.rows for part in found])
    assert whole.sort_by(order).equals(rows.sort_by(order))
    for part in found:
        for other in found:
            if not part.buckets & other.buckets:
                assert not nodes(name, part.rows) & nodes(name, other.rows)


def test_writers_take_turns_at_a_node() -> None:
    busy, written, lock, met = set[tuple[str, int]](), 0, Lock(), Event()

    def write(rows: pa.Table) -> None:
        nonlocal written
        mine = nodes("dependencies", rows)
        with lock:
            assert not busy & mine
            if busy:
                met.set()
            busy.update(mine)
            first = not written
            written += rows.num_rows
        if first:
            assert met.wait(20), "no other writer began while the first one wrote"
        with lock:
            busy.difference_update(mine)

    write_disjoint("dependencies", table("dependencies"), write)
    assert written == ROWS


def test_an_error_of_one_writer_ends_all() -> None:
    calls = []

    def write(rows: pa.Table) -> None:
        calls.append(rows.num_rows)
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        write_disjoint("dependencies", table("dependencies"), write)
    assert len(calls) <= WRITERS


def test_lists_are_sent_once() -> None:
    rows = pa.table({"ops": pa.array([["a", "b"], None, [], ["a", "b"]])})
    assert parameters(rows) == {"ops_texts": ["a, b", ""], "ops": [0, None, 1, 0]}
    assert parameters(pa.table({"ops": pa.nulls(2)})) == {"ops_texts": [], "ops": [None, None]}


@pytest.mark.long
def test_a_large_table_is_written_whole_and_again_without_a_change(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    # less than a part, so parts have several batches
    monkeypatch.setattr(module, "BATCH", 20)
    draw = random.Random(3)
    pairs = list({(draw.randrange(300), draw.randrange(300)) for _ in range(ROWS)})
    rows = pa.table({
        "set": [a for a, _ in pairs], "derives_from": [b for _, b in pairs],
        "triples": [1] * len(pairs), "ops": [["x"]] * len(pairs),
    })  # fmt: skip
    seen: list[int] = []
    for _ in range(2):
        assert graph.write("dependencies", rows, seen.append) == len(pairs)
        stored = list(graph.dependencies(SetId(0), SetId(300)))
        assert sorted(stored) == sorted(pairs)
    assert sum(seen) == 2 * len(pairs)
    assert max(seen) == 20
