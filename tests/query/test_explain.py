"""An explanation predicts what an answer will read and which method ``auto`` will choose."""

from collections.abc import Callable

import pytest

from helpers.graphs import graph
from helpers.oracle import Oracle
from helpers.warehouse import House, content
from provhouse.model.errors import NotFound
from provhouse.model.question import Direction, Question
from provhouse.query.reading import cost

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
TRIPLES = [*graph(11 * 8).triples, *graph(11 * 7 + 8).triples, *graph(9).triples]
ITEMS = sorted({end for triple in TRIPLES for end in triple[:2]})


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse with several partitions.

    One component has many sets, and each other component has one set.
    """
    house = houses(theta=8, pack=0, partition_triples=10)
    house.ingest(TRIPLES)
    return house


@pytest.mark.long
def test_an_answer_reads_what_was_explained(house: House) -> None:
    with house.asker() as asker:
        asker.explain(Question(ITEMS[0], "upstream"))
        assert "starting" not in vars(asker.spark)  # Spark is not needed
        for item in ITEMS[::10]:
            for direction in DIRECTIONS:
                explanation = asker.explain(Question(item, direction))
                by = {estimate.method: estimate.read for estimate in explanation.methods}
                assert by["csprov"] == asker.ask(item, direction).read
                assert by["rq"].triples == asker.snapshot.commit.totals.triples
                assert explanation.method == "csprov"
        for item in ITEMS[::40]:
            read = asker.ask(item, "upstream", "ccprov").read
            explained = asker.explain(Question(item, "upstream")).methods[1].read
            assert (explained.sets, explained.triples) == (read.sets, read.triples)


@pytest.mark.long
def test_an_unknown_item_is_not_found(house: House) -> None:
    with house.asker() as asker, pytest.raises(NotFound):
        asker.explain(Question("?", "upstream"))


@pytest.mark.long
def test_auto_chooses_the_cheapest_certain_method(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RQ is chosen only if there are few levels and its copy of the triples is already loaded."""
    item = max(ITEMS, key=lambda item: len(Oracle.of(TRIPLES).ask(item, "upstream").items))

    def taken(depth: int | None) -> tuple[str, str]:
        question = Question(item, "upstream", depth=depth)
        explained, answer = asker.explain(question), asker.answer(question)
        assert (explained.method, explained.why) == (answer.method, answer.why)
        assert content(answer) == Oracle.of(TRIPLES).ask(item, "upstream", depth)
        return answer.method, answer.why

    with house.asker() as asker:
        monkeypatch.setattr(cost, "ASK", 10.0)
        assert asker.explain(Question(item, "upstream")).methods[2].prepare > 0
        assert taken(2)[0] == "csprov"  # the copy that RQ needs is not loaded
        asker.ask(item, "upstream", "rq")
        assert asker.explain(Question(item, "upstream")).methods[2].prepare == 0
        method, why = taken(2)
        assert method == "rq"
        assert why.startswith("Going 2 hops by RQ should take at most 0.")
        assert taken(1_000)[0] == taken(None)[0] == "csprov"
        monkeypatch.setattr(cost, "ASK", 0.001)
        assert taken(2)[0] == "csprov"
        asked = asker.explain(Question(item, "upstream", "ccprov"))
        assert (asked.method, asked.why[:21]) == ("ccprov", "CCProv was asked for:")
