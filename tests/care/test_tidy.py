"""Tidying deletes what is old, never what is current or what a question as of a kept time needs."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.graphs import graph
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.check import check
from provhouse.care.tidy import tidy, tidy_after_ingest
from provhouse.model.errors import NotFound
from provhouse.model.keeping import Keep, keeping
from provhouse.model.progress import Silent
from provhouse.query.as_of import commit_as_of
from provhouse.query.lineage.ask import Asker
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.locks import locked

NOW = datetime.now(UTC)
AGES = (400, 90, 40, 20, 0)
"""The ages of the generations 1 to 5, in days."""


class Said(Silent):
    """A receiver that keeps sentences."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)


def triples(seed: int) -> list[Triple]:
    return graph(seed).triples


@pytest.fixture(scope="module")
def original(houses: Callable[..., House]) -> House:
    """Five ingests of different ages."""
    house = houses(theta=4, pack=0, partition_triples=30)
    for seed, age in enumerate(AGES, 1):
        house.ingest(triples(seed))
        path = house.layout.commits / f"{seed}.json"
        record = json.loads(path.read_text())
        record["time"] = (NOW - timedelta(days=age)).isoformat(timespec="seconds")
        path.write_text(json.dumps(record))
    return house


@pytest.fixture
def house(original: House, tmp_path: Path) -> House:
    """A copy of the warehouse's folder. Copy and original share the same content in Neo4j."""
    shutil.copytree(original.settings.warehouse, tmp_path / "warehouse")
    return House(replace(original.settings, warehouse=tmp_path / "warehouse"), original.session)


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        ("2", [4, 5]),
        ("9", [1, 2, 3, 4, 5]),
        ("1y", [1, 2, 3, 4, 5]),  # generation 1 was current a year ago
        ("60d", [2, 3, 4, 5]),
        ("30d", [3, 4, 5]),
        ("1d", [4, 5]),
        ("0d", [5]),
        ("30d,12m", [3, 4, 5]),
    ],
)
def test_generations_leave_by_age(house: House, keep: str, kept: list[int]) -> None:
    kept_now = keeping(keep, NOW + timedelta(minutes=1))
    done = tidy(house.settings, Silent(), kept_now)
    assert generations(house.layout) == kept
    assert (done.first, done.generation) == (kept[0], 5)
    assert done.ended == 0


def test_every_kept_time_can_be_asked_about(house: House) -> None:
    tidy(house.settings, Silent(), keeping("30d", NOW))
    for days in range(30):
        asked = (NOW - timedelta(days=days)).isoformat()
        assert commit_as_of(house.layout, asked).generation == (3 if days > 20 else 4)
    with pytest.raises(NotFound):
        commit_as_of(house.layout, (NOW - timedelta(days=41)).isoformat())


def test_a_question_that_runs_is_not_disturbed(house: House) -> None:
    item = triples(1)[0].dst
    with Asker(house.settings, Silent(), 1) as asker:
        before = asker.ask(item, "upstream", "csprov")
        done = tidy(house.settings, Silent(), Keep(1), rewrite=True)
        assert done.pruned
        assert done.pruned.in_use == (1,)
        assert done.rewritten
        again = asker.ask(item, "upstream", "csprov")
        assert again.items.equals(before.items)
    assert not check(house.settings, Silent()).damages


def test_nothing_is_deleted_without_an_age_or_number(house: House) -> None:
    done = tidy(house.settings, Silent(), Keep())
    assert (done.pruned, done.rewritten, done.ended) == (None, False, 0)
    assert generations(house.layout) == [1, 2, 3, 4, 5]


def test_the_setting_is_applied_after_an_ingest(house: House) -> None:
    settings = replace(house.settings, keep="30d")
    tidy_after_ingest(settings, Silent())
    assert generations(house.layout) == [3, 4, 5]
    before = (house.layout.commits / "5.json").stat()
    tidy_after_ingest(settings, Silent())  # nothing is too old, so no lock is taken
    assert (house.layout.commits / "5.json").stat() == before
    tidy_after_ingest(replace(settings, keep=""), Silent())
    assert generations(house.layout) == [3, 4, 5]


def test_an_ingest_does_not_fail_if_tidying_does(house: House) -> None:
    said = Said()
    with locked(house.layout):  # another writer
        tidy_after_ingest(replace(house.settings, keep="30d"), said)
    (sentence,) = said.sentences
    assert sentence.startswith("The ingest is committed, but nothing was tidied: Cannot write to")
    assert generations(house.layout) == [1, 2, 3, 4, 5]
