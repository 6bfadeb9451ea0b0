"""A picture of a graph of any size has few boxes, and its counts match the graph."""

from collections import Counter
from time import process_time

import numpy as np
import pyarrow as pa
import pytest

from helpers.drawn_graphs import at_random, drawn, item
from provhouse.pictures.legible_groups import MOST_BOXES, MOST_LINES, grouped
from provhouse.pictures.picture_graph import Box, DrawnGraph

SIZES = [(3, 2, 4), (60, 5, 80), (61, 3, 90), (400, 9, 900), (400, 200, 900), (90, 1, 300)]


@pytest.mark.parametrize(("items", "tables", "edges"), SIZES)
@pytest.mark.parametrize("cycles", [False, True])
def test_a_picture_is_small_and_loses_nothing(
    items: int, tables: int, edges: int, cycles: bool
) -> None:
    graph = at_random(items + tables, items, tables, edges, cycles=cycles)
    picture = grouped(graph)
    pairs = {(line.source, line.target) for line in picture.lines}
    assert len(picture.boxes) <= MOST_BOXES
    assert len(pairs) <= MOST_LINES
    assert sum(box.items for box in picture.boxes) == items
    assert sum(box.members for box in picture.boxes) == items
    left = [note for note in picture.notes if "not shown" in note]
    if not left:
        assert sum(line.triples for line in picture.lines) == sum(
            graph.edges["triples"].to_pylist()
        )
    (asked,) = (box for box in picture.boxes if box.asked)
    assert asked.name == graph.nodes["name"][0].as_py()
    assert asked.members == 1


@pytest.mark.parametrize(("items", "tables", "edges"), [(61, 3, 90), (400, 9, 500), (70, 70, 70)])
def test_lines_link_the_boxes_of_their_items(items: int, tables: int, edges: int) -> None:
    """Each table is one box, or none of its items is grouped. Counts are checked one by one."""
    graph = at_random(7, items, tables, edges)
    picture = grouped(graph)
    rows = graph.nodes.to_pylist()
    whole = {box.table for box in picture.boxes if box.members > 1 and box.kind == "item"}
    alone = {box.name for box in picture.boxes if box.members == 1}

    def box_of(number: int) -> str:
        row = rows[number]
        if row["name"] in alone:
            return str(row["name"])
        return f"all of {row['table']}" if row["table"] in whole else "others"

    def named(box: Box) -> str:
        return box.name if box.members == 1 else f"all of {box.table}" if box.table else "others"

    expected: Counter[tuple[str, str, str]] = Counter()
    for row in graph.edges.to_pylist():
        expected[box_of(row["from"]), box_of(row["to"]), row["op"]] += row["triples"]
    found = {
        (named(picture.boxes[one.source]), named(picture.boxes[one.target]), one.op): one.triples
        for one in picture.lines
    }
    assert found == dict(expected)


def test_the_largest_tables_are_grouped_first() -> None:
    nodes = [item("asked/1"), *(item(f"big/{n}") for n in range(500)), item("small/1")]
    picture = grouped(drawn(nodes, [(n, 0, "op", 1) for n in range(1, 502)], (0,)))
    assert [(box.table, box.members) for box in picture.boxes] == [
        ("asked", 1), ("big", 500), ("small", 1),
    ]  # fmt: skip


def test_asked_items_stay_apart_from_their_tables_items() -> None:
    nodes = [item(f"t/{n}") for n in range(100)]
    picture = grouped(drawn(nodes, [(n, n + 1, "op", 1) for n in range(99)], (3, 40)))
    assert sorted(box.name for box in picture.boxes if box.asked) == ["t/3", "t/40"]
    assert max(box.members for box in picture.boxes) == 98


def test_of_many_tables_the_smallest_are_one_box() -> None:
    nodes = [("table", f"t{n:03}", None, n + 1) for n in range(100)]
    picture = grouped(drawn(nodes, [(n, n + 1, "op", 1) for n in range(99)], (0,)))
    assert len(picture.boxes) == MOST_BOXES
    (rest,) = (box for box in picture.boxes if box.kind == "others")
    assert rest.members == 100 - (MOST_BOXES - 1)
    assert {box.name for box in picture.boxes} >= {"t000", "t099", "t098"}
    assert sum(box.items for box in picture.boxes) == sum(range(1, 101))


def test_counts_of_fates_are_added_up() -> None:
    nodes = [(*item(f"t/{n}"), n % 2, 1 - n % 2) for n in range(80)]
    picture = grouped(drawn(nodes, [], counts=("dies", "survives")))
    assert [box.counts for box in picture.boxes] == [{"dies": 40, "survives": 40}]


@pytest.mark.long
def test_a_million_items_take_less_than_two_seconds() -> None:
    count = 1_000_000
    source = np.arange(1, count)
    graph = DrawnGraph(
        "Large", (),
        pa.table({
            "kind": pa.array(["item"]).take(pa.array(np.zeros(count, np.int64))),
            "name": pa.array(np.arange(count)).cast(pa.string()),
            "table": pa.array([f"t{n}" for n in range(500)]).take(pa.array(np.arange(count) % 500)),
            "items": np.ones(count, np.int64),
        }),
        pa.table({
            "from": source, "to": source // 2, "triples": np.ones(count - 1, np.int64),
            "op": pa.array(["a", "b"]).take(pa.array(source % 2)),
        }).select(["from", "to", "op", "triples"]),
        (0,),
    )  # fmt: skip
    began = process_time()
    picture = grouped(graph)
    assert process_time() - began < 2
    assert len(picture.boxes) <= MOST_BOXES
    assert sum(box.items for box in picture.boxes) == count


def test_a_graph_without_nodes_has_no_boxes() -> None:
    assert grouped(drawn([], [])).boxes == ()
