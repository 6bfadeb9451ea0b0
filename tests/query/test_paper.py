"""Both examples in the CSProv paper give the sets and the answers that the paper shows."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from helpers.invariant import dependencies
from helpers.oracle import Oracle, Triple
from helpers.sampled import one_in
from helpers.warehouse import House, content
from provhouse.model.answer import Read
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction, Method
from provhouse.query.lineage.ask import Asker
from provhouse.query.locate import locate_versions
from provhouse.store.tables.snapshot import Snapshot

METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")


def person(item: int) -> str:
    return "Person1" if item <= 12 else "Person2" if item <= 21 else "AvgAge"


def third(item: int) -> str:
    return "first" if item <= 3 else "second" if item <= 6 else "third"


def names(*items: int) -> frozenset[str]:
    return frozenset(map(str, items))


R1 = ((1, 13), (4, 16), (7, 19), (2, 14), (5, 17), (8, 20), (3, 15), (6, 18), (9, 21))
R2 = ((14, 22), (17, 22), (20, 24), (15, 23), (18, 23), (21, 25))
FIRST = [
    Triple(str(src), str(dst), op, person(src), person(dst))
    for op, edges in (("R1", R1), ("R2", R2))
    for src, dst in edges
]
COMPONENTS = [[1, 13], [4, 16], [7, 19], [2, 5, 14, 17, 22], [8, 20, 24], [3, 6, 15, 18, 23],
              [9, 21, 25]]  # fmt: skip

C = (
    (1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 7), (7, 8), (7, 9), (6, 10), (10, 11),
    (10, 12),
)  # fmt: skip
SECOND = [Triple(str(src), str(dst), "", third(src), third(dst)) for src, dst in C]
S1, S2, S3, S4 = names(1, 2, 3), names(4, 5, 6), names(7, 8, 9), names(10, 11, 12)


@pytest.fixture(scope="module")
def first(houses: Callable[..., House]) -> House:
    """A warehouse with the running example of the paper."""
    house = houses(pack=0)
    house.ingest(FIRST)
    return house


@pytest.fixture(scope="module")
def second(houses: Callable[..., House]) -> House:
    """A warehouse with component C of the paper, cut by the paper's splits."""
    house = houses(pack=0, theta=4)
    splits = house.settings.warehouse.parent / "splits.toml"
    splits.write_text('one = ["first"]\ntwo = ["second"]\nthree = ["third"]\n', encoding="utf-8")
    house.ingest(SECOND, splits=splits)
    return house


@pytest.fixture(scope="module")
def first_asker(first: House) -> Iterator[Asker]:
    """An ``Asker`` for the running example. All tests share its copy of the triples."""
    with first.asker() as opened:
        yield opened


@pytest.fixture(scope="module")
def second_asker(second: House) -> Iterator[Asker]:
    """An ``Asker`` for component C."""
    with second.asker() as opened:
        yield opened


def sets(snapshot: Snapshot) -> dict[int, frozenset[str]]:
    """Return the names of the items in each set."""
    ranges = zip(snapshot.set_firsts, snapshot.set_items, strict=True)
    texts = [snapshot.names.names(first + np.arange(items)).to_pylist() for first, items in ranges]
    return dict(zip(snapshot.set_ids.tolist(), map(frozenset, texts), strict=True))


def walked(asker: Asker, item: str, direction: Direction) -> set[frozenset[str]]:
    """Return the sets that CSProv would read for a question."""
    walk = asker.walk(locate_versions(asker.snapshot, item).first, direction, Stopwatch())
    named = sets(asker.snapshot)
    return {named[number] for number in asker.snapshot.set_ids[walk.sets].tolist()}


def test_seven_components_have_triples(first: House) -> None:
    """The paper counts ten components, since it includes items 10, 11 and 12 (without triples)."""
    with first.asker() as asker:
        snapshot = asker.snapshot
        assert len(np.unique(snapshot.set_components)) == 7
        assert set(sets(snapshot).values()) == {names(*c) for c in COMPONENTS}
        assert snapshot.commit.totals.components == 7
        assert snapshot.commit.totals.set_dependencies == 0


@pytest.mark.parametrize("method", one_in(6, METHODS[::-1]))
def test_the_lineage_of_23(first_asker: Asker, method: Method) -> None:
    found = content(first_asker.ask("23", "upstream", method))
    assert found == Oracle.of(FIRST).ask("23", "upstream")
    assert found.items == {("15", 1), ("18", 1), ("3", 2), ("6", 2)}
    assert found.triples == {
        ("15", "23", "R2"), ("18", "23", "R2"), ("3", "15", "R1"), ("6", "18", "R1"),
    }  # fmt: skip


def test_the_lineage_of_23_reads_its_component(first_asker: Asker) -> None:
    assert walked(first_asker, "23", "upstream") == {names(3, 6, 15, 18, 23)}
    assert first_asker.ask("23", "upstream", "csprov").read == Read(1, 1, 4)


def test_items_have_their_tables(first: House) -> None:
    with first.asker() as asker:
        answer = asker.ask("23", "upstream")
        assert answer.table == "AvgAge"
        assert answer.items["table"].to_pylist() == ["Person2", "Person2", "Person1", "Person1"]


def test_the_four_sets_and_their_dependencies(second: House) -> None:
    with second.asker() as asker:
        named = sets(asker.snapshot)
        assert sorted(map(sorted, named.values())) == sorted(map(sorted, (S1, S2, S3, S4)))
    pairs = dependencies(second.address, second.layout.warehouse_id())
    assert {(named[one], named[other]) for one, other in pairs} == {(S2, S1), (S3, S2), (S4, S2)}


@pytest.mark.parametrize("method", one_in(6, METHODS[::-1]))
def test_the_lineage_of_8(second_asker: Asker, method: Method) -> None:
    found = content(second_asker.ask("8", "upstream", method))
    assert found == Oracle.of(SECOND).ask("8", "upstream")
    assert found.items == {("7", 1), ("5", 2), ("4", 3), ("2", 4), ("3", 4), ("1", 5)}


def test_the_lineage_of_8_never_reads_the_fourth_set(second: House) -> None:
    with second.asker() as asker:
        assert walked(asker, "8", "upstream") == {S1, S2, S3}
        assert asker.ask("8", "upstream", "csprov").read == Read(3, 1, 9)
        assert walked(asker, "8", "downstream") == {S3}
        assert walked(asker, "6", "downstream") == {S2, S3, S4}


@pytest.mark.long
def test_ccprov_reads_the_whole_component(second_asker: Asker) -> None:
    read = second_asker.ask("8", "upstream", "ccprov").read
    assert (read.sets, read.triples) == (4, 12)
