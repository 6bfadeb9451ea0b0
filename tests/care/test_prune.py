"""A prune removes exactly the data of generations no longer kept, and does not disturb readers."""

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
from provhouse.care import prune as pruning
from provhouse.care.check import check
from provhouse.care.compact import compact
from provhouse.care.prune import Pruned, prune
from provhouse.care.rollback import rollback
from provhouse.commit.recover import recover
from provhouse.model.errors import NotFound, Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.query.as_of import commit_as_of
from provhouse.query.lineage.ask import Asker
from provhouse.query.listing.generations import list_generations
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse import bases, commits
from provhouse.store.warehouse.commits import generations, read_commit
from provhouse.store.warehouse.ids import read_ids

Houses = Callable[..., House]


def triples(*seeds: int) -> list[Triple]:
    return [triple for seed in seeds for triple in graph(seed).triples]


@pytest.fixture(scope="module")
def original(houses: Houses) -> House:
    """Two ingests, a compaction into a second base, a rolled-back ingest, and another ingest."""
    house = houses(theta=4, pack=0, partition_triples=30)
    house.ingest(triples(1, 2))
    house.ingest(triples(3))
    compact(house.settings, Silent())
    house.ingest(triples(4))
    rollback(house.settings, Silent())
    house.ingest(triples(5))
    return house


@pytest.fixture
def copy(original: House, tmp_path: Path) -> House:
    """A copy of the warehouse's folder. Copy and original share the same content in Neo4j."""
    shutil.copytree(original.settings.warehouse, tmp_path / "warehouse")
    return House(replace(original.settings, warehouse=tmp_path / "warehouse"), original.session)


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
    """An error that no code of provhouse catches; it simulates a kill."""


def crash(*_: object, **__: object) -> None:
    raise Crash


def down(*_: object) -> None:
    raise Unavailable("Neo4j is not running", "Its port is closed")


def after(calls: int, work: Callable[..., object]) -> Callable[..., object]:
    """Return a function that calls ``work`` ``calls`` times, and crashes at the next call."""
    left = [calls]

    def wrapped(*arguments: object, **options: object) -> object:
        if not left[0]:
            raise Crash
        left[0] -= 1
        return work(*arguments, **options)

    return wrapped


def crash_halfway(folder: Path) -> None:
    """Remove a part of ``folder``, then crash."""
    shutil.rmtree(folder / "triples")
    raise Crash


POINTS: dict[str, tuple[object, str, object]] = {
    "before any record is deleted": (pruning, "drop_commits", crash),
    "when some records are deleted": (Path, "unlink", after(2, Path.unlink)),
    "before any base is deleted": (pruning, "_remove_unused", crash),
    "when half a base is deleted": (bases, "rmtree", crash_halfway),
    "before it records that it is done": (pruning, "mark_finished", crash),
    "before Neo4j": (pruning, "_prune_graph", crash),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "point",
    [pytest.param(one, marks=[pytest.mark.long] * (at > 0)) for at, one in enumerate(POINTS)],
)
def test_the_next_writer_completes_an_interrupted_prune(
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


@pytest.mark.long
def test_prune_before_a_time(copy: House) -> None:
    for number in generations(copy.layout):
        path = copy.layout.commits / f"{number}.json"
        record = json.loads(path.read_text()) | {"time": f"2026-03-{number:02d}T12:00:00+00:00"}
        path.write_text(json.dumps(record))
    done = prune(copy.settings, Silent(), before="2026-03-02T12:00:00Z")
    assert (done.pruned, done.first, done.bases, done.bytes_freed) == (1, 2, (), 0)
    with pytest.raises(NotFound, match=r"were pruned; the first one kept, generation 2"):
        commit_as_of(copy.layout, "2026-03-01T13:00:00Z")
    assert prune(copy.settings, Silent(), before="2026-03-02").pruned == 0
    assert_answers(copy, triples(1, 2, 3), 2)
    for wrong in ({"keep": 0}, {}, {"keep": 1, "before": "2026-03-02"}, {"before": "soon"}):
        with pytest.raises(UsageError):
            prune(copy.settings, Silent(), **wrong)


def test_a_base_stays_while_it_is_read(original: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of a pruned generation can still answer, even if it has not used Neo4j before."""
    monkeypatch.setattr(pruning, "PATIENCE", 0.0)
    with Asker(original.settings, Silent(), 2) as reader:
        opened_late = Asker(original.settings, Silent(), 1)
        done = keep(original, 3)
        assert (done.pruned, done.first, done.bases, done.in_use) == (3, 4, (), (1,))
        assert_answers_of(reader, triples(1, 2, 3))
        with pytest.raises(NotFound, match="was pruned"), opened_late:
            pass
    assert [one.change for one in list_generations(original.layout)] == [
        "ingest",
        "rollback",
        "ingest",
    ]
    assert [one.back_to for one in list_generations(original.layout)] == [None] * 3
    done = keep(original, 3)
    assert (done.pruned, done.bases, done.in_use) == (0, (1,), ())
    assert done.bytes_freed > 10_000
    assert base_folders(original) == ["base-2"]


def test_kept_generations_are_complete_and_the_rest_is_gone(original: House) -> None:
    """Kept generations stay complete, even a rolled-back one, and keep their numbers."""
    assert_answers(original, triples(1, 2, 3, 4), 4)
    assert check(original.settings, Silent(), deep=True).damages == ()
    original.check()
    rows = (
        Snapshot(original.layout, read_commit(original.layout, 4)),
        Snapshot(original.layout, _last(original)),
    )
    known = {number for snapshot in rows for number in snapshot.set_ids.tolist()}
    assert known == in_neo4j(original, "Set", "id")
    components = {n for snapshot in rows for n in snapshot.rows("sets")["component"].to_pylist()}
    assert components == in_neo4j(original, "Component", "id")
    assert in_neo4j(original, "Generation", "number") == {4, 5, 6}
    keep(original, 1)
    with pytest.raises(NotFound, match="was pruned"):
        rollback(original.settings, Silent())
    original.ingest(triples(6))
    assert read_ids(original.layout).pruned == 5
    assert_answers(original, triples(1, 2, 3, 5), 6)
    assert_answers(original, triples(1, 2, 3, 5, 6))
    with pytest.raises(NotFound, match="It was pruned; 6 is the first"):
        commit_as_of(original.layout, 5)
    with pytest.raises(NotFound, match="It was pruned"):
        read_commit(original.layout, 5)
    with pytest.raises(NotFound, match="There are 2 generations, from 6 to 7"):
        commit_as_of(original.layout, 8)


def test_neo4j_is_not_started_if_nothing_in_it_is_pruned(
    original: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neo4j is started only to prune data in it, or if an earlier prune could not reach Neo4j."""
    with monkeypatch.context() as patched:
        patched.setattr(pruning, "shared_graph", crash)
        assert keep(original, 2).pruned == 0
    with monkeypatch.context() as patched:
        patched.setattr(pruning, "shared_graph", down)
        assert keep(original, 1).pruned == 1
    assert in_neo4j(original, "Generation", "number") == {6, 7}
    assert keep(original, 1).pruned == 0
    assert in_neo4j(original, "Generation", "number") == {7}
    with monkeypatch.context() as patched:
        patched.setattr(pruning, "shared_graph", crash)
        assert keep(original, 1).pruned == 0


def _last(house: House) -> commits.Commit:
    last = commits.current(house.layout)
    assert last
    return last


def test_an_empty_warehouse_cannot_be_pruned(houses: Houses) -> None:
    house = houses()
    with pytest.raises(NotFound):
        keep(house, 1)
    assert not house.settings.warehouse.exists()
