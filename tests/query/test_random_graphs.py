"""Every method gives the same answers as networkx, for any graph, ingested in any way.

Many graphs share a warehouse, in which their names are distinct. ``SEED=n pytest …`` tries other
graphs. A failure names the graph, which ``helpers.graphs.graph(seed)`` creates again.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import pytest

from helpers.graphs import Graph, chain, graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.ingest.steps import cut_components as cut
from provhouse.ingest.steps import read
from provhouse.model.question import Direction, Method
from provhouse.query.lineage.ask import Asker

GRAPHS, FEW = 51, 22
"""The number of random graphs in each warehouse, and the number for the short test.

The short test has two graphs of each shape.
"""
SEED = int(os.environ.get("SEED", "1"))
WAREHOUSES = ((2, 0, 3), (10, 5, 3), (3, 5, 1), (2, 5, 1), (3, 2, 3), (10, 0, 1))
"""For each warehouse: theta, the packing limit, and the number of ingests, which is 1 or 3."""
LONG, LESS_LONG = 5_000, 1_500
"""The number of triples in the longest chain, and in the longest chain of the short test."""
OFTEN, SELDOM = 2, 6
"""One in this many graphs has a question that a second method answers in addition to CSProv."""
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")

asked: Counter[str] = Counter()
"""The number of graphs and the number of questions compared so far."""


class Question(NamedTuple):
    item: str
    direction: Direction
    depth: int | None


@pytest.mark.parametrize(
    ("theta", "pack", "ingests", "short"),
    [
        (*WAREHOUSES[0], True),
        *(pytest.param(*one, False, marks=pytest.mark.long) for one in WAREHOUSES),
    ],
)
def test_all_methods_answer_as_networkx_does(
    houses: Callable[..., House],
    monkeypatch: pytest.MonkeyPatch,
    theta: int,
    pack: int,
    ingests: int,
    short: bool,
) -> None:
    number = WAREHOUSES.index((theta, pack, ingests))
    seeds = range(FEW if short else GRAPHS)
    graphs = [graph(SEED * 1_000_000 + number * GRAPHS + n) for n in seeds]
    length = LESS_LONG if short else LONG
    long = chain(length, tables=theta) if (theta, pack) in {(2, 0), (3, 2), (10, 5)} else None
    # With these limits, even a few thousand rows fill several buckets and ranges of triples.
    monkeypatch.setattr(read, "BUCKET_BYTES", 20_000)
    monkeypatch.setattr(cut, "RANGE_TRIPLES", length // 5 * 2 if long else 300)
    house = houses(theta=theta, pack=pack, partition_triples=length // 5 * 2 if long else 200)
    _take_in(house, [*graphs, long] if long else graphs, ingests)
    with house.asker() as asker:
        for turn, one in enumerate(graphs):
            _compare(asker, one, turn, SELDOM if short else OFTEN)
        if long:
            _compare_long(asker, long, length)
    asked["graphs"] += len(graphs)
    asked["warehouses"] += 1


@pytest.mark.long
def test_at_least_50_graphs_were_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """Print the numbers of graphs and questions; fail if fewer than 50 graphs were compared."""
    if not asked["warehouses"]:
        pytest.skip("counts the graphs of the tests above, none of which ran and passed")
    questions = sum(asked[method] for method in ("rq", "ccprov", "csprov"))
    with capsys.disabled():
        print(f"\n{asked['graphs']} random graphs, {questions:,} questions: {dict(asked)}")
    assert asked["graphs"] >= 50


def _take_in(house: House, graphs: list[Graph], ingests: int) -> None:
    """Ingest the graphs in ``ingests`` parts and in random order.

    Later parts repeat some triples.
    """
    random = Random(house.theta)
    triples = [triple for one in graphs for triple in one.triples]
    random.shuffle(triples)
    held: set[Triple] = set()
    for part in range(ingests):
        new = triples[part::ingests]
        rows = new + random.sample(sorted(held), min(len(held), 30))
        summary = house.ingest(rows)
        assert summary.new_triples == len(set(rows) - held)
        assert summary.duplicates == len(rows) - summary.new_triples
        held.update(rows)
        assert summary.triples == len(held)


def _questions(one: Graph, random: Random) -> Iterator[Question]:
    items = sorted({end for triple in one.triples for end in triple[:2]})
    for direction in DIRECTIONS:
        for depth in (None, random.randint(0, 4)):
            yield Question(random.choice(items), direction, depth)


def _compare(asker: Asker, one: Graph, turn: int, often: int) -> None:
    """Ask four questions by CSProv. In every ``often``-th graph, also ask one by another method."""
    oracle = Oracle.of(one.triples)
    for number, question in enumerate(_questions(one, Random(one.seed))):
        _ask(asker, one, oracle, question, "csprov")
        if turn % often == 0 and number == turn // often // 2 * 3 % 4:
            other: Method = "ccprov" if turn // often % 2 else "rq"
            _ask(asker, one, oracle, question, other)


def _compare_long(asker: Asker, long: Graph, length: int) -> None:
    oracle = Oracle.of(long.triples)
    middle, last = f"chain.{length // 2}", f"chain.{length}"
    for question in (
        Question(last, "upstream", None),
        Question("chain.0", "downstream", None),
        Question(middle, "downstream", length // 5),
    ):
        _ask(asker, long, oracle, question, "csprov")
    if length == LESS_LONG:
        return
    # For this method, each level is a job.
    _ask(asker, long, oracle, Question(middle, "upstream", 8), "rq")
    _ask(asker, long, oracle, Question(middle, "downstream", 8), "ccprov")


def _ask(
    asker: Asker,
    one: Graph,
    oracle: Oracle,
    question: Question,
    method: Method,
) -> None:
    answer = asker.ask(question.item, question.direction, method, question.depth)
    expected = oracle.ask(question.item, question.direction, question.depth)
    assert content(answer) == expected, f"{one}: {question} by {method}"
    assert answer.complete
    asked[method] += 1
