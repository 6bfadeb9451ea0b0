"""A large answer sent while it is found has the same rows as an answer that is sorted first."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from helpers.graphs import graph
from helpers.oracle import Triple
from helpers.shared import Input, Shared, write
from helpers.warehouse import House
from provhouse.care.forget import forget
from provhouse.model.answer import Answer, LargeAnswer
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Question
from provhouse.output.json import JsonLinesWriter
from provhouse.output.results.large_answer import answer_result
from provhouse.query.lineage import as_found, ask
from provhouse.query.lineage.ask import Asker
from provhouse.store.names import names

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
GRAPHS = [graph(11 * number) for number in (3, 10, 24, 18, 1, 17, 25, 27)]
ERASED = [one.triples[len(one.triples) // 2].dst for one in GRAPHS[:5]]
TWICE = [Triple(f"w:{n % 9}", f"w:{n % 7 + 9}", "op", "w", "w") for n in range(60)]
"""Rows of derivations. One triple is in several derivations."""


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse with small sets and partitions, and with derivations and erased items."""
    house = houses(theta=8, pack=2, partition_triples=80)
    house.ingest([triple for one in GRAPHS for triple in one.triples])
    file = house.settings.warehouse.parent / "ways.csv"
    with file.open("w", encoding="utf-8", newline="") as handle:
        columns = ("src", "dst", "op", "src_table", "dst_table", "derivation", "by")
        rows = [(*triple, f"d{n}", "x" * (n % 3 == 0)) for n, triple in enumerate(TWICE)]
        csv.writer(handle).writerows([columns, *rows])
    house.ingest_files(file)
    forget(ERASED, house.settings, Silent())
    return house


@pytest.fixture
def asker(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asker]:
    """An ``Asker`` that treats an answer of three items as large, and three names as many."""
    monkeypatch.setattr(ask, "MANY_ITEMS", 2)
    monkeypatch.setattr(as_found, "ROWS", 3)
    monkeypatch.setattr(names, "MANY", 3)
    with house.asker() as opened:
        yield opened


def lines(answer: Answer | LargeAnswer) -> list[dict[str, Any]]:
    """Return the JSON lines of an answer, without its times."""
    handle = io.StringIO()
    JsonLinesWriter(handle).write(answer_result(answer))
    found = [json.loads(line) for line in handle.getvalue().splitlines()]
    del found[0]["answer"]["seconds"]
    return found


def text(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(map(json.dumps, rows))


def items_of(one: list[Triple]) -> list[str]:
    return sorted({end for triple in one for end in triple[:2]})


@pytest.mark.long
def test_a_large_answer_has_the_rows_of_the_sorted_one(asker: Asker) -> None:
    """Every second question also asks for the sets of the items."""
    large = erased = repeated = asked = 0
    for turn, one in enumerate([*(g.triples for g in GRAPHS), TWICE]):
        known = [name for name in items_of(one) if name not in ERASED]
        for direction, item in product(DIRECTIONS, (known[0], known[-1])):
            depth = 2 if turn % 3 == 0 else None
            asked += 1
            question = Question(item, direction, depth=depth, sets=(asked + turn) % 2 == 0)
            found, expected = asker.answer_as_found(question), asker.answer(question)
            if not isinstance(found, LargeAnswer):
                assert expected.items.num_rows + expected.erased <= 2
                assert lines(found) == lines(expected)
                continue
            large += 1
            head, *rows = lines(found)
            other, *others = lines(expected)
            assert head["answer"].pop("order") == "found"
            assert head == other
            count = expected.items.num_rows
            assert found.count == count
            assert text(rows) == text(others)
            assert text(rows[:count]) == text(others[:count])
            depths = [row["depth"] for row in rows[:count]]
            assert depths == sorted(depths)
            near = "dst" if direction == "upstream" else "src"
            at = {item: 0} | {row["item"]: row["depth"] for row in rows[:count]} | {item: 0}
            nears = [at[row[near]] for row in rows[count:]]
            assert nears == sorted(nears)
            erased += head["answer"]["erased"]
            repeated += one is TWICE
    assert large > 10
    assert erased
    assert repeated


@pytest.mark.long
def test_filtered_answers_and_other_methods_are_sorted(asker: Asker) -> None:
    item = TWICE[0].dst
    assert isinstance(asker.answer_as_found(Question(item, "upstream")), LargeAnswer)
    for question in (
        Question(item, "upstream", limit=3),
        Question(item, "upstream", ops=("x",)),
        Question(item, "upstream", summary=True),
        Question(item, "upstream", method="rq"),
    ):
        assert isinstance(asker.answer_as_found(question), Answer)


@pytest.mark.long
def test_answers_with_shared_derivations_are_sorted(
    houses: Callable[..., House], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask, "MANY_ITEMS", 2)
    house = houses()
    shared = Shared("s", "all", tuple(map(Input, "abcd")), ("x", "y", "z"))
    house.ingest_files(write(tmp_path / "shared.csv", shared.rows()))
    with house.asker() as opened:
        found = opened.answer_as_found(Question("a", "downstream"))
        assert isinstance(found, Answer)
        assert found.items["item"].to_pylist() == ["x", "y", "z"]


@pytest.mark.long
def test_an_answer_of_a_million_items_is_sorted(house: House) -> None:
    question = Question(TWICE[0].src, "downstream")
    with house.asker() as opened:
        assert lines(opened.answer_as_found(question)) == lines(opened.answer(question))


def test_an_erasure_meanwhile_ends_the_answer(house: House, asker: Asker) -> None:
    item = next(
        end for one in GRAPHS[5:] for end in items_of(one.triples)
        if len(asker.ask(end, "downstream").items) > 6
    )  # fmt: skip
    found = asker.answer_as_found(Question(item, "downstream"))
    assert isinstance(found, LargeAnswer)
    first = next(found.items)
    assert first.num_rows == 3
    forget([TWICE[0].src], house.settings, Silent())
    with pytest.raises(Unavailable, match="The answer is incomplete"):
        list(found.items)
