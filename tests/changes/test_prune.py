"""What is no longer kept is gone, nothing else is, and nobody who reads is disturbed."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.check import check
from provhouse.changes import prune as pruning
from provhouse.changes.compact import compact
from provhouse.changes.prune import Pruned, prune
from provhouse.changes.rollback import rollback
from provhouse.commit.recover import recover
from provhouse.model.errors import NotFound, Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.query.as_of import commit_as_of
from provhouse.query.ask import Asker
from provhouse.query.generations import listed
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse import bases, commits
from provhouse.store.warehouse.commits import generations, read_commit
from provhouse.store.warehouse.ids import read_ids

Houses = Callable[..., House]


def triples(*seeds: int) -> list[Triple]:
    return [triple for seed in seeds for triple in graph(seed).triples]


@pytest.fixture(scope="module")
def held(houses: Houses) -> House:
    """Two ingests, a compaction into a second base, an ingest taken back, and one more."""
    house = houses(theta=4, pack=0, partition_triples=30)
    house.ingest(triples(1, 2))
    house.ingest(triples(3))
    compact(house.settings, Silent())
    house.ingest(triples(4))
    rollback(house.settings, Silent())
    house.ingest(triples(5))
    return house


@pytest.fixture
def copy(held: House, tmp_path: Path) -> House:
    """The same on disk; what is in Neo4j belongs to both."""
    shutil.copytree(held.settings.warehouse, tmp_path / "warehouse")
    return House(replace(held.settings, warehouse=tmp_path / "warehouse"), held.session)


def assert_answers(house: House, given: list[Triple], as_of: int | None = None) -> None:
    with Asker(house.settings, Silent(), as_of) as asker:
        assert_answers_of(asker, given)


def assert_answers_of(asker: Asker, given: list[Triple]) -> None:
    oracle = Oracle.of(given)
    for item in sorted({end for triple in given for end in triple[:2]})[::3]:
        assert content(asker.ask(item, "upstream", "csprov")) == oracle.ask(item, "upstream")


def keep(house: House, number: int) -> Pruned:
    return prune(house.settings, Silent(), keep=number)


def base_folders(house: House) -> list[str]:
    return sorted(folder.name for folder in house.layout.root.glob("base-*"))


def in_neo4j(house: House, label: str, key: str) -> set[int]:
    address, statement = house.address, f"MATCH (n:{label} {{warehouse: $w}}) RETURN n.{key}"
    with GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver:
        rows = driver.execute_query(statement, w=house.layout.warehouse_id()).records
    return {row[0] for row in rows}


class Crash(BaseException):
    """Nothing catches it, as if the process had been killed."""


def crash(*_: object, **__: object) -> None:
    raise Crash


def down(*_: object) -> None:
    raise Unavailable("Neo4j should be up", "It is not")


def after(calls: int, work: Callable[..., object]) -> Callable[..., object]:
    """The same work, that crashes once it was done so often."""
    left = [calls]

    def wrapped(*arguments: object, **options: object) -> object:
        if not left[0]:
            raise Crash
        left[0] -= 1
        return work(*arguments, **options)

    return wrapped


def torn(folder: Path) -> None:
    """A folder of which a part is removed when the process dies."""
    shutil.rmtree(folder / "triples")
    raise Crash


POINTS: dict[str, tuple[object, str, object]] = {
    "before any record goes": (pruning, "drop_commits", crash),
    "when some records are gone": (Path, "unlink", after(2, Path.unlink)),
    "before any base goes": (pruning, "_remove_unused", crash),
    "when half a base is gone": (bases, "rmtree", torn),
    "before it says that it is done": (pruning, "mark_finished", crash),
    "before Neo4j": (pruning, "_prune_graph", crash),
}


@pytest.mark.parametrize("point", POINTS)
def test_whatever_crashes_the_next_writer_ends_it(
    copy: House, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(*POINTS[point])
        with pytest.raises(Crash):
            keep(copy, 2)
    assert_answers(copy, triples(1, 2, 3, 5))
    recover(copy.layout)
    assert generations(copy.layout) == [5, 6]
    assert base_folders(copy) == ["base-2"]
    assert (read_ids(copy.layout).pruned, read_ids(copy.layout).unfinished) == (4, False)
    assert_answers(copy, triples(1, 2, 3), 5)
    with pytest.raises(NotFound, match="was pruned"):
        Asker(copy.settings, Silent(), 4)


def test_before_a_time_means_what_was_committed_before_it(copy: House) -> None:
    for number in generations(copy.layout):
        path = copy.layout.commits / f"{number}.json"
        record = json.loads(path.read_text()) | {"time": f"2026-03-{number:02d}T12:00:00+00:00"}
        path.write_text(json.dumps(record))
    done = prune(copy.settings, Silent(), before="2026-03-02T12:00:00Z")
    assert (done.pruned, done.first, done.bases, done.bytes_freed) == (1, 2, (), 0)
    with pytest.raises(NotFound, match=r"was pruned; the first that is kept, generation 2"):
        commit_as_of(copy.layout, "2026-03-01T13:00:00Z")
    assert prune(copy.settings, Silent(), before="2026-03-02").pruned == 0
    assert_answers(copy, triples(1, 2, 3), 2)
    for wrong in ({"keep": 0}, {}, {"keep": 1, "before": "2026-03-02"}, {"before": "soon"}):
        with pytest.raises(UsageError):
            prune(copy.settings, Silent(), **wrong)


def test_a_base_that_is_read_stays_until_it_is_not(
    held: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader has not come to Neo4j yet when everything else of its generation is gone."""
    monkeypatch.setattr(pruning, "PATIENCE", 0.0)
    with Asker(held.settings, Silent(), 2) as reader:
        opened_late = Asker(held.settings, Silent(), 1)
        done = keep(held, 3)
        assert (done.pruned, done.first, done.bases, done.in_use) == (3, 4, (), (1,))
        assert_answers_of(reader, triples(1, 2, 3))
        with pytest.raises(NotFound, match="was pruned"), opened_late:
            pass
    assert [one.change for one in listed(held.layout)] == ["ingest", "rollback", "ingest"]
    assert [one.back_to for one in listed(held.layout)] == [None] * 3
    done = keep(held, 3)
    assert (done.pruned, done.bases, done.in_use) == (0, (1,), ())
    assert done.bytes_freed > 10_000
    assert base_folders(held) == ["base-2"]


def test_what_is_kept_is_whole_and_the_rest_is_gone(held: House) -> None:
    """Also a generation that was taken back; and ids go on after it all."""
    assert_answers(held, triples(1, 2, 3, 4), 4)
    assert check(held.settings, Silent(), deep=True).damages == ()
    held.check()
    rows = Snapshot(held.layout, read_commit(held.layout, 4)), Snapshot(held.layout, _last(held))
    known = {number for snapshot in rows for number in snapshot.set_ids.tolist()}
    assert known == in_neo4j(held, "Set", "id")
    components = {n for snapshot in rows for n in snapshot.rows("sets")["component"].to_pylist()}
    assert components == in_neo4j(held, "Component", "id")
    assert in_neo4j(held, "Generation", "number") == {4, 5, 6}
    keep(held, 1)
    with pytest.raises(NotFound, match="was pruned"):
        rollback(held.settings, Silent())
    held.ingest(triples(6))
    assert read_ids(held.layout).pruned == 5
    assert_answers(held, triples(1, 2, 3, 5), 6)
    assert_answers(held, triples(1, 2, 3, 5, 6))
    with pytest.raises(NotFound, match="It was pruned; 6 is the first"):
        commit_as_of(held.layout, 5)
    with pytest.raises(NotFound, match="It was pruned"):
        read_commit(held.layout, 5)
    with pytest.raises(NotFound, match="There are 2, from 6 to 7"):
        commit_as_of(held.layout, 8)


def test_neo4j_is_left_alone_where_nothing_of_it_goes(
    held: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless an earlier prune did not reach it."""
    with monkeypatch.context() as patched:
        patched.setattr(pruning, "shared_graph", crash)
        assert keep(held, 2).pruned == 0
    with monkeypatch.context() as patched:
        patched.setattr(pruning, "shared_graph", down)
        assert keep(held, 1).pruned == 1
    assert in_neo4j(held, "Generation", "number") == {6, 7}
    assert keep(held, 1).pruned == 0
    assert in_neo4j(held, "Generation", "number") == {7}
    with monkeypatch.context() as patched:
        patched.setattr(pruning, "shared_graph", crash)
        assert keep(held, 1).pruned == 0


def _last(house: House) -> commits.Commit:
    last = commits.current(house.layout)
    assert last
    return last


def test_there_must_be_something(houses: Houses) -> None:
    house = houses()
    with pytest.raises(NotFound):
        keep(house, 1)
    assert not house.settings.warehouse.exists()
