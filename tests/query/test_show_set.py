"""The set IDs in answers are the IDs that Neo4j and ``show_set`` use."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest

from helpers.graphs import graph
from helpers.warehouse import House, content
from provhouse.model.arrays import SetId
from provhouse.model.errors import NotFound
from provhouse.model.question import Question
from provhouse.query.lineage.ask import Asker
from provhouse.query.listing.show_set import show_set

TRIPLES = [*graph(11 * 8).triples, *graph(9).triples]
ITEMS = sorted({end for triple in TRIPLES for end in triple[:2]})


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse in which one component has many sets, and each other component has one set."""
    house = houses(theta=8, pack=0, partition_triples=10)
    house.ingest(TRIPLES)
    return house


@pytest.fixture(scope="module")
def asker(house: House) -> Iterator[Asker]:
    """An ``Asker`` for the warehouse, which all tests share."""
    with house.asker() as opened:
        yield opened


@cache
def widest(asker: Asker) -> str:
    """Return the item whose impact is in the largest number of sets."""
    return max(ITEMS, key=lambda item: len(asker.explain(Question(item, "downstream")).sets))


@pytest.mark.long
def test_the_sets_in_an_answer_have_its_items(asker: Asker) -> None:
    question = Question(widest(asker), "downstream", sets=True)
    answer = asker.answer(question)
    assert content(answer) == content(asker.answer(replace(question, sets=False)))
    rows = answer.items.to_pylist()
    assert len({row["set"] for row in rows}) > 1
    for row in rows:
        shown = show_set(asker.snapshot, SetId(row["set"]), limit=1000)
        assert {"item": row["item"], "table": row["table"]} in shown.items.to_pylist()
        assert shown.size == shown.items.num_rows
        assert shown.truncated is None
    own = show_set(asker.snapshot, answer.set_id, limit=1000)
    assert question.item in own.items["item"].to_pylist()


def test_explain_names_the_sets_of_the_answer(asker: Asker) -> None:
    question = Question(widest(asker), "downstream", sets=True)
    explanation, answer = asker.explain(question), asker.answer(question)
    assert explanation.set_id == answer.set_id
    assert set(answer.items["set"].to_pylist()) <= set(explanation.sets)


def test_neo4j_has_the_sets_under_these_ids(asker: Asker) -> None:
    answer = asker.answer(Question(widest(asker), "downstream", sets=True))
    for set_id in {*answer.items["set"].to_pylist(), answer.set_id}:
        shown = show_set(asker.snapshot, SetId(set_id), limit=1)
        query = "MATCH (s:Set {warehouse: $warehouse, id: $id}) RETURN s.items, s.triples"
        rows = asker.graph.read(query, {"id": set_id}).rows
        assert rows == [(shown.size, shown.triples)]


def test_no_more_items_than_the_limit_are_shown(asker: Asker) -> None:
    own = asker.explain(Question(widest(asker), "downstream")).set_id
    shown = show_set(asker.snapshot, own, limit=1)
    assert (shown.items.num_rows, shown.truncated) == (1, "limit")
    assert shown.size > 1


def test_an_unknown_set_is_not_found(asker: Asker) -> None:
    with pytest.raises(NotFound):
        show_set(asker.snapshot, SetId(1 << 40), limit=1)
