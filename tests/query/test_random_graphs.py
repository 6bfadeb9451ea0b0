"""Every method gives the same answers as networkx, for any graph, ingested in any way.

Many graphs share a warehouse, with distinct names. ``SEED=n pytest …`` tries other graphs. A
failure names the graph, which ``helpers.graphs.graph(seed)`` recreates.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Literal, NamedTuple

import pytest

from helpers.graphs import Graph, chain, graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.ingest.steps import cut, read
from provhouse.model.question import Direction
from provhouse.query.lineage.ask import Asker

GRAPHS = 51
"""The number of random graphs in each warehouse."""
SEED = int(os.environ.get("SEED", "1"))
WAREHOUSES = ((2, 0, 3), (10, 5, 3), (3, 5, 1), (2, 5, 1), (3, 2, 3), (10, 0, 1))
"""For each warehouse: theta, the packing limit and the number of ingests, one or three."""
SHORT = 1
"""The number of warehouses that are tested by default; `make test-long` tests all."""
LONG = 5_000
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")

asked: Counter[str] = Counter()
"""The numbers of graphs and questions compared so far."""


class Question(NamedTuple):
    item: str
    direction: Direction
    depth: int | None


@pytest.mark.parametrize(
    ("theta", "pack", "ingests"),
    [
        *WAREHOUSES[:SHORT],
        *(pytest.param(*one, marks=pytest.mark.long) for one in WAREHOUSES[SHORT:]),
    ],
)
def test_all_methods_answer_as_networkx_does(
    houses: Callable[..., House],
    monkeypatch: pytest.MonkeyPatch,
    theta: int,
    pack: int,
    ingests: int,
) -> None:
    number = WAREHOUSES.index((theta, pack, ingests))
    graphs = [graph(SEED * 1_000_000 + number * GRAPHS + n) for n in range(GRAPHS)]
    long = chain(LONG, tables=theta) if (theta, pack) in {(2, 0), (3, 2), (10, 5)} else None
    # With these limits, even a few thousand rows fill several buckets and ranges of triples.
    monkeypatch.setattr(read, "BUCKET_BYTES", 20_000)
    monkeypatch.setattr(cut, "RANGE_TRIPLES", 2_000 if long else 300)
    house = houses(theta=theta, pack=pack, partition_triples=2_000 if long else 200)
    _take_in(house, [*graphs, long] if long else graphs, ingests)
    with house.asker() as asker:
        for turn, one in enumerate(graphs):
            _compare(asker, one, turn)
        if long:
            _compare_long(asker, long)
    asked["graphs"] += len(graphs)
    asked["warehouses"] += 1


@pytest.mark.long
def test_at_least_50_graphs_were_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """Print the number of graphs and questions; fail if fewer than 50 graphs were compared."""
    if asked["warehouses"] < SHORT:
        pytest.skip("counts the graphs of the tests above, which did not all run and pass")
    questions = sum(asked[method] for method in ("rq", "ccprov", "csprov"))
    with capsys.disabled():
        print(f"\n{asked['graphs']} random graphs, {questions:,} questions: {dict(asked)}")
    assert asked["graphs"] >= 50


def _take_in(house: House, graphs: list[Graph], ingests: int) -> None:
    """Ingest the graphs in one or more parts, in random order, with some stored triples again."""
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


def _compare(asker: Asker, one: Graph, turn: int) -> None:
    """Ask four questions by CSProv; for every second graph, ask one of them by another method."""
    oracle = Oracle.of(one.triples)
    for number, question in enumerate(_questions(one, Random(one.seed))):
        _ask(asker, one, oracle, question, "csprov")
        if turn % 2 == 0 and number == turn // 4 % 4:
            _ask(asker, one, oracle, question, "ccprov" if turn % 4 else "rq")


def _compare_long(asker: Asker, long: Graph) -> None:
    oracle = Oracle.of(long.triples)
    middle, last = f"chain.{LONG // 2}", f"chain.{LONG}"
    for question in (
        Question(last, "upstream", None),
        Question("chain.0", "downstream", None),
        Question(middle, "downstream", 1_000),
    ):
        _ask(asker, long, oracle, question, "csprov")
    # Each level is a job.
    _ask(asker, long, oracle, Question(middle, "upstream", 20), "rq")
    _ask(asker, long, oracle, Question(middle, "downstream", 20), "ccprov")


def _ask(
    asker: Asker,
    one: Graph,
    oracle: Oracle,
    question: Question,
    method: Literal["rq", "ccprov", "csprov"],
) -> None:
    answer = asker.ask(question.item, question.direction, method, question.depth)
    expected = oracle.ask(question.item, question.direction, question.depth)
    assert content(answer) == expected, f"{one}: {question} by {method}"
    assert answer.complete
    asked[method] += 1
