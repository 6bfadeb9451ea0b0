"""Fates equal a brute-force evaluation of every possible meaning of the unknown kinds."""

import os
from collections import Counter
from random import Random

import numpy as np
import pytest

from helpers.boolean import Edge, fates, random_edges
from provhouse.model.arrays import ItemNumbers
from provhouse.model.derivations import KINDS
from provhouse.query.consequences.deletion.codes import DIES, SURVIVES, UNDECIDED
from provhouse.query.consequences.deletion.derivation_index import DerivationRows, Derivations
from provhouse.query.consequences.deletion.fates import Deleter
from provhouse.query.consequences.deletion.fates import fates as fates_of

SEED = int(os.environ.get("SEED", "1"))
NAMES = {DIES: "dies", SURVIVES: "survives", UNDECIDED: "undecided"}
SPREAD = 1_000_003
"""The gap between item numbers. With large gaps, the index renumbers the items."""


def rows_of(edges: list[Edge], spread: int = 1) -> DerivationRows:
    src, dst = (np.array([edge[end] for edge in edges], np.int64) * spread for end in (0, 1))
    kind = np.array([KINDS.get(edge.kind, -1) for edge in edges], np.int8)
    return DerivationRows(src, dst, kind, np.array([edge.way for edge in edges], np.int64))


def found(edges: list[Edge], deleted: list[int], ended: list[int], spread: int) -> dict[int, str]:
    graph = Derivations(rows_of(edges, spread))
    places = graph.place(ItemNumbers(np.array(deleted, np.int64) * spread))
    deletions = Deleter(graph)
    others, rows = np.arange(graph.places, dtype=np.int32), np.arange(len(edges), dtype=np.int32)
    deletions.fates(others[::2], rows[::3])  # this must leave nothing behind
    result = deletions.fates(places, np.array(ended, np.int32))
    items = (graph.items(result.reached) // spread).tolist()
    assert len(set(items)) == len(items)
    return {item: NAMES[fate] for item, fate in zip(items, result.fates.tolist(), strict=True)}


@pytest.mark.parametrize("graphs", [30, pytest.param(5_000, marks=pytest.mark.long)])
def test_fates_are_those_of_brute_force(graphs: int) -> None:
    random, seen = Random(SEED), Counter[str]()
    for number in range(graphs):
        edges = random_edges(random)
        items = sorted({end for edge in edges for end in edge[:2]})
        deleted = random.sample(items, random.randint(0, min(3, len(items))))
        ended = random.sample(range(len(edges)), min(random.choice([0, 0, 1, 4]), len(edges)))
        expected = fates(edges, deleted, ended)
        seen.update(expected.values())
        spread = SPREAD if number % 3 == 0 else 1
        assert found(edges, deleted, ended, spread) == expected, (edges, deleted, ended)
    assert min(seen.values()) > graphs / 20, seen


def test_a_cycle_does_not_keep_itself_alive() -> None:
    edges = [Edge(0, 1, "any"), Edge(1, 2, "any"), Edge(2, 1, "any")]
    assert found(edges, [0], [], 1) == {1: "dies", 2: "dies"}


def test_what_rests_on_itself_only_is_undecided() -> None:
    """The triples do not show the origin of item 2, so nothing is claimed about it."""
    edges = [Edge(0, 1, "any"), Edge(3, 1, "any"), Edge(1, 2, "all", 0), Edge(2, 2, "all", 0)]
    assert found(edges, [0], [], 1) == {1: "survives", 2: "undecided"}
    assert found(edges, [0, 3], [], 1) == {1: "dies", 2: "dies"}


SEVEN = [
    Edge(0, 2, "any"), Edge(1, 2, "any"), Edge(2, 3, "all", 0), Edge(4, 3, "all", 0),
    Edge(3, 4, "all", 0), Edge(1, 5, "all", 4), Edge(3, 5, "all", 5),
]  # fmt: skip
"""Items 3 and 4 depend on each other and on item 2. Item 5 depends on source 1, or on item 3."""


def test_what_an_undecided_item_holds_up_is_undecided() -> None:
    assert found(SEVEN, [1], [], 1) == {2: "survives", 3: "undecided", 4: "undecided",
                                        5: "undecided"}  # fmt: skip
    assert found(SEVEN, [0, 1], [], 1) == dict.fromkeys((2, 3, 4, 5), "dies")
    assert found(SEVEN, [1], [6], 1)[5] == "dies"


def test_a_supported_cycle_lives_on_what_may_exist() -> None:
    """Items 6 and 7 lose the source that supported their cycle. Item 3 may support the cycle."""
    cycle = [Edge(1, 6, "any"), Edge(6, 7, "any"), Edge(7, 6, "any")]
    gone = found([*SEVEN, *cycle], [1], [], 1)
    assert {item: gone[item] for item in (6, 7)} == {6: "dies", 7: "dies"}
    held = found([*SEVEN, *cycle, Edge(3, 7, "any")], [1], [], 1)
    assert {item: held[item] for item in (6, 7)} == {6: "undecided", 7: "undecided"}


def test_a_triple_of_an_unknown_kind_is_deleted() -> None:
    """The item keeps one input, which may not be enough."""
    edges = [Edge(0, 2, "except", 0), Edge(1, 2, "except", 0)]
    assert found(edges, [], [0], 1) == {2: "undecided"}


def test_plain_triples_need_no_kinds() -> None:
    """Without derivations, the index has one derivation for each item."""
    ends = np.array([[0, 1, 2], [2, 2, 3]])
    graph = Derivations(DerivationRows(ends[0], ends[1]))
    result = fates_of(graph, np.array([0], np.int32))
    assert [NAMES[fate] for fate in result.fates.tolist()] == ["undecided", "undecided"]
    result = fates_of(graph, np.array([0, 1], np.int32))
    assert [NAMES[fate] for fate in result.fates.tolist()] == ["dies", "dies"]
