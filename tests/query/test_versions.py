"""A name without a version refers to the newest version or, with ``all_versions``, to all."""

from collections.abc import Callable
from random import Random

import pyarrow as pa
import pytest

from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.rollback import rollback
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Method, Question
from provhouse.store.names.versions import versions_file
from provhouse.store.tables.kept_rows import add_ended, add_ended_by_dbt

Houses = Callable[..., House]
METHODS: tuple[tuple[int | None, Method], ...] = ((None, "csprov"), (2, "rq"), (1, "ccprov"))


def items(house: House, name: str, **fields: object) -> tuple[set[str], tuple[str, ...]]:
    """Return the items upstream of a name, and the versions that the answer is about."""
    with house.asker() as asker:
        found = asker.answer(Question(name, "upstream", **fields))  # type: ignore[arg-type]
    return {row["item"] for row in found.items.to_pylist()}, found.versions


def test_the_newest_version_answers_for_a_name(houses: Houses) -> None:
    """Versions are ordered as numbers, across all ingests. The exact name takes precedence."""
    house = houses()
    house.ingest([Triple("old", "t/1@9"), Triple("raw", "t/1@2"), Triple("x", "me@home")])
    house.ingest([Triple("new", "t/1@10"), Triple("t/1@2", "t/1@9"), Triple("y", "t/1@10@3")])
    assert items(house, "t/1") == ({"new"}, ("t/1@10",))
    assert items(house, "t/1@9") == ({"old", "raw", "t/1@2"}, ())
    assert items(house, "t/1@10") == ({"new"}, ())
    every = ({"new", "old", "raw", "t/1@2"}, ("t/1@10", "t/1@9", "t/1@2"))
    assert items(house, "t/1", all_versions=True) == every
    for name in ("me", "t", "t/1@", "t/1@1"):
        with pytest.raises(NotFound):
            items(house, name)
    rollback(house.settings, Silent())
    assert items(house, "t/1") == ({"old"}, ("t/1@9",))
    house.ingest([Triple("exact", "t/1"), Triple("new", "t/1@10")])
    assert items(house, "t/1") == ({"exact"}, ())
    assert items(house, "t/1", all_versions=True)[1] == ("t/1", "t/1@10", "t/1@9", "t/1@2")
    compact(house.settings, Silent())
    assert items(house, "t/1", all_versions=True)[1] == ("t/1", "t/1@10", "t/1@9", "t/1@2")
    forget(["t/1@10", "t/1"], house.settings, Silent())
    assert items(house, "t/1") == ({"old"}, ("t/1@9",))
    with pytest.raises(NotFound):
        items(house, "t/1@10")
    house.check_deep()


def test_a_row_that_dbt_no_longer_builds_has_ended(houses: Houses) -> None:
    """The run ends only earlier versions, from its generation on. Captured writes differ."""
    house = houses()
    house.ingest([Triple("raw/1", "t/1@2"), Triple("raw/2", "t/2@2")])
    house.ingest([Triple("raw/3", "t/3@3")])
    add_ended_by_dbt(house.layout, 3, pa.array(["t/1"]), 1)
    add_ended(house.layout, 4, pa.array(["t/2"]), 1)  # of another row with this name
    with pytest.raises(NotFound, match="Run 3 of dbt built its table without it"):
        items(house, "t/1")
    assert items(house, "t/1@2") == ({"raw/1"}, ())
    assert items(house, "t/1", all_versions=True) == ({"raw/1"}, ("t/1@2",))
    assert items(house, "t/2") == ({"raw/2"}, ("t/2@2",))
    house.ingest([Triple("raw/4", "t/1@4")])
    assert items(house, "t/1") == ({"raw/4"}, ("t/1@4",))
    for _ in range(2):
        rollback(house.settings, Silent())
    assert items(house, "t/1") == ({"raw/1"}, ("t/1@2",))  # before run 3


def test_an_ingest_without_versions_has_no_file_for_them(houses: Houses) -> None:
    house = houses()
    house.ingest([Triple("a@b", "c@"), Triple("@1", "7")])
    assert not versions_file(house.layout.names(house.commit.base), 1).exists()


@pytest.mark.long
@pytest.mark.parametrize("direction", ["upstream", "downstream"])
def test_all_versions_are_the_union_of_their_answers(houses: Houses, direction: Direction) -> None:
    """Answers on a random graph are compared for each method, with and without a hop limit.

    The answer of each version comes from networkx.
    """
    random = Random(f"{direction} 1")
    house = houses()
    names = [f"t/{n}@{v}" for n in range(4) for v in range(1, 6)]
    triples = [
        Triple(random.choice(names), random.choice(names), random.choice("fg")) for _ in range(30)
    ]
    oracle = Oracle.of(triples)
    kept = {name for triple in triples for name in (triple.src, triple.dst)}
    house.ingest(triples)
    with house.asker() as asker:
        for n in range(4):
            for depth, method in METHODS if n == 0 else METHODS[:1]:
                stored = [name for name in names if name in kept and name.startswith(f"t/{n}@")]
                every = [oracle.ask(v, direction, depth) for v in stored]
                found = asker.answer(
                    Question(f"t/{n}", direction, method, depth, all_versions=True)
                )
                union = content(found)
                depths: dict[str, int] = {}
                for one in every:
                    for item, far in one.items:
                        depths[item] = min(far, depths.get(item, far))
                assert union.items == set(depths.items())
                assert union.triples == set().union(*(one.triples for one in every))
