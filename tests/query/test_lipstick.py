"""Deletions in the Lipstick paper: its examples 4.3 to 4.5, on the graph of figure 2(c).

The graph is ingested as a trace, and the questions use the public interface.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.lipstick import Graph, figure_2c
from helpers.operations import Operation, write_operations
from helpers.warehouse import House
from provhouse.model.deletion import Deletion
from provhouse.query.consequences.depends import depends
from provhouse.query.consequences.what_if import what_if
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.subgraph import PARTS, subgraph

DELTA = ("+", "group", "N50", "N71", "N72", "N73", "N75", "N81")
"""The name endings of nodes that exist as long as at least one of their inputs exists."""
COLUMNS = (
    "src", "dst", "op", "op_kind", "value", "module", "invocation", "execution", "role",
    "src_table", "dst_table",
)  # fmt: skip
BIDS = {"agg tensor 0": 20_000, "agg tensor 1": 22_000}


def kind(name: str) -> tuple[str, str]:
    """Return the op for a node of the paper, and the op's kind."""
    if name.endswith(DELTA):
        return "delta", "any"
    if name.endswith("N80"):
        return "calcBid", "function"
    if name.endswith("N70"):
        return "count", "aggregate"
    return ("minimum", "aggregate") if name.endswith("MIN") else ("join", "all")


def take_in(graph: Graph, house: House, folder: Path) -> None:
    """Ingest the triples of ``graph``."""
    with (folder / "trace.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for use in graph.uses():
            op, of = kind(use.dst)
            if graph.nodes[use.src].kind == "v":
                continue  # a constant of a tensor is the value of a triple
            value = 1 if op == "count" else BIDS.get(use.src, "")
            call = (use.module, use.invocation, "1", use.role)
            rows.writerow((use.src, use.dst, op, of, value, *call, "", ""))
    operations = [Operation("count", function="count"), Operation("minimum", function="min")]
    house.ingest_files(
        folder / "trace.csv", operations=write_operations(folder / "ops.csv", operations)
    )


@pytest.fixture(scope="module")
def asker(
    houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asker]:
    house = houses()
    take_in(figure_2c(), house, tmp_path_factory.mktemp("figure"))
    with house.asker() as opened:
        yield opened


def fates(asker: Asker, item: str) -> dict[str, str]:
    rows = what_if(asker, Deletion(items=(item,))).items.to_pylist()
    return {row["item"]: row["fate"] for row in rows}


def test_example_4_3_the_count_without_the_car_is_1(asker: Asker) -> None:
    found = what_if(asker, Deletion(items=("C2",)))
    dies = {item for item, fate in fates(asker, "C2").items() if fate == "dies"}
    assert dies == {"dealer1 N60 C2", "dealer1 tensor C2"}
    changed = [(row["item"], row["before"], row["after"]) for row in found.changed.to_pylist()]
    assert changed == [("dealer1 N70", 2, 1)]
    # The bid is a black box that has the count as input, so the amount of the bid is unknown.
    assert {row["item"] for row in found.unknown.to_pylist()} >= {"dealer1 N80"}


def test_example_4_4_without_the_request_only_state_is_left(asker: Asker) -> None:
    graph = figure_2c()
    computed = {use.dst for use in graph.uses()}
    assert fates(asker, "N00") == dict.fromkeys(computed, "dies")
    left = graph.delete("N00", _joint(graph))
    assert {left.nodes[name].kind for name in left.nodes} == {"m", "s", "t", "v"}


def test_example_4_5_the_bid_depends_on_the_request_and_on_no_car(asker: Asker) -> None:
    assert depends(asker, "dealer1 N90", "C2").exists == "yes"
    assert depends(asker, "dealer1 N90", "N00").exists == "no"
    assert depends(asker, "N101", "N00").exists == "no"


@pytest.mark.parametrize("item", ["N00", "C2", "dealer1 N60 C3", "dealer2 N90", "N101"])
def test_subgraphs_are_those_of_the_paper(asker: Asker, item: str) -> None:
    """The paper's nodes without an item are not compared."""
    graph = figure_2c()
    items = {end for use in graph.uses() for end in (use.src, use.dst)}
    items -= {*graph.kinds("v")}
    expected = _around({(use.src, use.dst) for use in graph.uses() if use.src in items}, item)
    found = subgraph(asker, item)
    parts = {row["item"]: row["part"] for row in found.items.to_pylist()}
    assert parts == expected
    assert {*parts} | {item} >= graph.subgraph(item) & items
    ends = zip(*(found.triples[name].to_pylist() for name in ("src", "dst")), strict=True)
    below = {each for each, part in parts.items() if part == "descendant"}
    assert {dst for _, dst in ends} >= below
    counts = Counter(parts.values())
    assert (found.ancestors, found.descendants, found.siblings) == tuple(
        counts[part] for part in PARTS
    )


def _around(pairs: set[tuple[str, str]], item: str) -> dict[str, str]:
    """Return whether each item around ``item`` is an ancestor, descendant or sibling.

    The items are found by a search along pairs of src and dst.
    """
    reached = []
    for near, far in ((1, 0), (0, 1)):
        found, left = set[str](), {item}
        while left:
            left = {pair[far] for pair in pairs if pair[near] in left} - found
            found |= left
        reached.append(found)
    up, down = reached
    siblings = {src for src, dst in pairs if dst in down}
    parts = dict.fromkeys(siblings, "sibling") | dict.fromkeys(up, "ancestor")
    parts |= dict.fromkeys(down, "descendant")
    return {each: part for each, part in parts.items() if each != item}


def _joint(graph: Graph) -> set[str]:
    inner = {name for name in graph.nodes if kind(name)[1] == "all"}
    return {name for name in inner if graph.nodes[name].kind in "iosx"}


@pytest.mark.parametrize("item", ["N00", "C2", "C3", "C5", "and out", "dealer1 N70", "dealer2 N90"])
def test_deletions_are_those_of_definition_4_2(asker: Asker, item: str) -> None:
    """An output of a black box that loses some inputs is undecided; in the paper, it stays."""
    graph = figure_2c()
    left = graph.delete(item, _joint(graph))
    gone = {use.dst for use in graph.uses()} - {*left.nodes} - {item}
    found = fates(asker, item)
    dies = {each for each, fate in found.items() if fate == "dies"}
    unsure = {each for each, fate in found.items() if fate == "undecided"}
    assert dies == gone - unsure
    assert all(each.endswith(("N80", "N90", "0", "1", "MIN", "group")) for each in unsure)
