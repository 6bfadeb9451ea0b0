"""An erasure leaves nothing in any file, and the lineage of all other items stays complete.

Tests that rebuild Neo4j are marked as long, because they need a Neo4j of their own.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable
from neo4j import GraphDatabase

from helpers.oracle import Triple
from helpers.persons import (
    NAMES,
    NOTES,
    OPS,
    Persons,
    copied,
    history,
)
from helpers.warehouse import House
from provhouse.care import forget as care
from provhouse.care.check import check
from provhouse.care.forget import forget
from provhouse.care.repair import repair
from provhouse.care.rollback import rollback
from provhouse.commit.erasing import erase as steps
from provhouse.commit.erasing import (
    erasure_file as erasure,
)
from provhouse.commit.erasing import (
    name_files,
    rewriting,
    triples,
)
from provhouse.commit.erasing import (
    rejects as rejected,
)
from provhouse.cypher import neo4j_process as process
from provhouse.cypher import server
from provhouse.cypher.server_record import ServerRecord
from provhouse.cypher.view_mark import clear_mark, mark_names
from provhouse.model.errors import Busy, Damaged, NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Method
from provhouse.query.lineage.ask import Asker
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.reports import keep_report

Houses = Callable[..., House]
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")


@pytest.fixture(scope="module")
def shared(houses: Houses) -> House:
    """A warehouse with persons, on the shared Neo4j of all tests, which must not be rebuilt."""
    house = houses(theta=4, pack=0, partition_triples=10)
    history(house)
    return house


@pytest.fixture(scope="module")
def own(houses: Houses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A warehouse with persons, with its own Neo4j."""
    home = tmp_path_factory.mktemp("neo4j of persons")
    house = houses(theta=4, pack=0, partition_triples=10, neo4j_home=home)
    server.up(home, "512m", Silent())
    history(house)
    yield house
    state = ServerRecord.read(home)
    process.stop(state.pid if state else None, home)


@pytest.fixture
def copy(shared: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Persons:
    """A copy of the warehouse that tests may change. Its erasures do not rebuild Neo4j."""
    monkeypatch.setattr(steps, "_rebuild_graph", lambda *_: None)
    return copied(shared, tmp_path)


@pytest.fixture
def own_copy(own: House, tmp_path: Path) -> Persons:
    """A copy of ``own``. Tests may rebuild its Neo4j, which initially equals that of ``own``."""
    persons = copied(own, tmp_path)
    repair(persons.house.settings, Silent())
    return persons


class Crash(BaseException):
    """An error that no code of provhouse catches; it simulates a kill."""


def ops_in_neo4j(house: House) -> set[str]:
    address = house.address
    statement = "MATCH ()-[r]->() UNWIND split(r.ops, ', ') AS op RETURN DISTINCT op"
    with GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver:
        return {row[0] for row in driver.execute_query(statement).records}


LEFT_OUT: dict[str, tuple[object, str, object]] = {
    "ops in tables": (steps, "clear_ops", None),
    "triples": (steps, "clear_links", 0),
    "names": (steps, "clear_segments", None),
    "look-ups": (steps, "clear_lookup", None),
    "logs": (steps, "clear_logs", None),
    "rejects": (care, "clear_rejected", 0),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "step", [pytest.param(s, marks=[pytest.mark.long] * (s != "look-ups")) for s in LEFT_OUT]
)
def test_every_step_of_an_erasure_is_needed(
    copy: Persons, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """If any step of an erasure is skipped, ``in_files`` finds traces of the erased names."""
    module, name, result = LEFT_OUT[step]
    monkeypatch.setattr(module, name, lambda *_: result)
    copy.forget()
    assert copy.in_files()
    if step in ("triples", "names", "look-ups"):
        assert check(copy.house.settings, Silent(), deep=True).damages


def test_an_erasure_leaves_nothing_in_any_file(copy: Persons) -> None:
    house = copy.house
    keep_report(house.layout, "blame", {"names": NAMES})
    before = copy.in_files()
    for text in (*OPS, *NOTES, *NAMES, *(f"hash of {name}" for name in NAMES)):
        assert any(found.startswith(text[:30]) for found in before), text
    as_of = generations(house.layout)
    done = copy.forget()
    assert copy.in_files() == set()
    assert (done.names, done.rejected, done.neo4j) == (3, 2, True), "compacted"
    assert done.items == 6, "the first was rolled back once; it and the second were compacted"
    assert generations(house.layout) == as_of
    assert not house.layout.erasure.exists()
    said = (house.layout.logs / "writers.jsonl").read_text()
    lines = [json.loads(line) for line in said.splitlines()]
    assert {"begins", "ends"} == {line["event"] for line in lines}
    house.check_deep()
    for generation in generations(house.layout):
        with Asker(house.settings, Silent(), generation) as asker, suppress(NotFound):
            answer = asker.ask("board/1", "upstream")
            assert {"raw/0", "raw/1", "report/1"} == set(answer.items["item"].to_pylist())
    with pytest.raises(NotFound):
        copy.forget()


@pytest.mark.long
def test_an_erasure_leaves_nothing_in_neo4j(own_copy: Persons) -> None:
    house = own_copy.house
    assert any(op.startswith("an operation that only") for op in ops_in_neo4j(house))
    assert any("in data/" in found for found in own_copy.remains())
    own_copy.forget()
    assert own_copy.remains() == set()
    assert ops_in_neo4j(house) == {"copy", "show", "sum"}
    house.check_deep()
    repair(house.settings, Silent())
    house.check_deep()


@pytest.mark.long
def test_without_wiping_it_neo4j_keeps_erased_data(
    own_copy: Persons, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "wipe", lambda *_: None)
    own_copy.forget()
    assert own_copy.remains()
    assert own_copy.in_files() == set()


POINTS: list[tuple[object, str, bool]] = [
    (rejected, "rejects cleared", True),
    (erasure, "erasure written", True),
    (name_files, "erased unwritten", True),
    (name_files, "erased written", False),
    (triples, "ops cleared", True),
    (rewriting, "file rewritten", True),
    (triples, "links cleared", True),
    (name_files, "segment rewritten", True),
    (name_files, "look-up rewritten", True),
    (name_files, "look-up switched", True),
    (steps, "logs cleared", True),
]


def interrupt(copy: Persons, monkeypatch: pytest.MonkeyPatch, module: object, point: str) -> None:
    """Begin an erasure, and crash at the fault point ``point`` of ``module``."""

    def crash(name: str) -> None:
        under_way = erasure.read_erasure(copy.house.layout)
        begun = under_way and under_way.items
        if name == point and (begun or point == "rejects cleared"):
            raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(module, "reach", crash)
        with pytest.raises(Crash):
            copy.forget()


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "point"),
    [
        pytest.param(module, point, marks=[pytest.mark.long] * long, id=point)
        for module, point, long in POINTS
    ],
)
def test_the_next_writer_completes_an_interrupted_erasure(
    copy: Persons, monkeypatch: pytest.MonkeyPatch, module: object, point: str
) -> None:
    """After a crash, a rollback completes the erasure.

    If the crash came before the erasure was recorded, ``forget`` must first be run again.
    """

    interrupt(copy, monkeypatch, module, point)
    if point == "rejects cleared":
        copy.forget()
    if point not in ("erasure written", "erased unwritten"):
        with Asker(copy.house.settings, Silent()) as asker, pytest.raises(NotFound):
            asker.ask(NAMES[1], "upstream")
    rollback(copy.house.settings, Silent())
    assert copy.in_files() == set()
    assert not copy.house.layout.erasure.exists()


class Said(Silent):
    """A progress that keeps all reported sentences."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)


@pytest.mark.long
def test_the_same_erasure_says_what_it_has_completed(
    copy: Persons, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(copy, monkeypatch, name_files, "look-up switched")
    said = Said()
    done = forget(NAMES, copy.house.settings, said)
    assert (done.names, done.items) == (3, 6)
    counts = f"(items: 6, triples: {done.triples})"
    assert f"Completed an erasure that was interrupted {counts}" in said.sentences
    assert done.triples > 0
    assert copy.in_files() == set()
    with pytest.raises(NotFound):
        copy.forget()


@pytest.mark.long
@pytest.mark.parametrize(
    "point",
    [
        "erasure written",
        *(pytest.param(p, marks=pytest.mark.long) for p in ("hint removed", "rejects cleared")),
    ],
)
def test_a_name_in_a_rejected_row_only_is_erased(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """An interrupted erasure leaves a consistent table, but no logs.

    A retry completes the erasure.
    """
    house = houses(theta=4, pack=0)
    house.ingest([Triple("a", "b", "x"), Triple("", "rejected", "x")])
    rejects = house.layout.table(1, "rejects")
    log = house.layout.logs / "crash.log"
    log.write_text("rejected")

    def crash(name: str) -> None:
        if name == point:
            raise Crash

    with monkeypatch.context() as patched:
        # so that the file's length changes
        patched.setattr(rewriting, "_ENCODINGS", ((-50, False),))
        patched.setattr(rewriting, "_pad", lambda *_: None)
        for module in (rejected, erasure, rewriting):
            patched.setattr(module, "reach", crash)
        with pytest.raises(Crash):
            forget(["rejected"], house.settings, Silent())
    rollback(house.settings, Silent())
    assert not log.exists()
    assert not house.layout.erasure.exists()
    actions = DeltaTable(rejects).get_add_actions(flatten=True)
    files = actions["path"].to_pylist()
    assert actions["size_bytes"].to_pylist() == [(rejects / file).stat().st_size for file in files]
    if point == "erasure written":
        assert forget(["rejected"], house.settings, Silent()).rejected == 1
    with pytest.raises(NotFound):
        forget(["rejected"], house.settings, Silent())


@pytest.mark.long
@pytest.mark.parametrize("unreadable", [False, True])
def test_a_repair_erases_what_an_erasure_left(
    copy: Persons, monkeypatch: pytest.MonkeyPatch, unreadable: bool
) -> None:
    """A repair completes an erasure even if the record of the erasure is missing or unreadable."""
    house = copy.house
    with monkeypatch.context() as patched:
        for step in ("triples", "names", "look-ups"):
            module, name, result = LEFT_OUT[step]
            patched.setattr(module, name, lambda *_, result=result: result)
        copy.forget()
    assert copy.in_files()
    if unreadable:
        house.layout.erasure.write_text("{")
        with pytest.raises(Damaged, match="repair"):
            rollback(house.settings, Silent())
    repair(house.settings, Silent())
    assert copy.in_files() == set()
    assert not house.layout.erasure.exists()
    assert check(house.settings, Silent(), deep=True).damages == ()


@pytest.mark.long
def test_only_an_unshared_neo4j_is_always_rebuilt(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    remade: list[Path | None] = []
    monkeypatch.setattr(
        steps, "_rebuild_graph", lambda settings, _: remade.append(settings.neo4j_home)
    )
    house = houses(theta=4, pack=0)
    clear_mark(house.settings.graph_home)  # the mark of the views that other tests made
    house.ingest([Triple("a", "b", "x"), Triple("c", "d", "x"), Triple("", "rejected", "x")])
    own = replace(house.settings, neo4j_home=None)
    assert not forget(["rejected"], own, Silent()).neo4j, "Neo4j never had it"
    house.ingest([Triple("e", "f", "x")])
    assert not forget(["a"], house.settings, Silent()).neo4j, "other triples have that op"
    assert remade == []
    assert forget(["c"], own, Silent()).neo4j
    assert remade == [None]
    warehouse = house.layout.warehouse_id()
    mark_names(house.settings.graph_home, "another warehouse", 1, range(9))
    mark_names(house.settings.graph_home, warehouse, 1, ())
    assert not forget(["d"], house.settings, Silent()).neo4j, "no view had the name"
    mark_names(house.settings.graph_home, warehouse, 1, range(9))
    assert forget(["e"], house.settings, Silent()).neo4j, "a view may have had the name"
    assert remade == [None, house.settings.neo4j_home]
    repair(house.settings, Silent())
    clear_mark(house.settings.graph_home)
    assert len(remade) == 2, "a repeated erasure finds no names in later views"


@pytest.mark.long
def test_an_unknown_name_changes_nothing(houses: Houses) -> None:
    house = houses(theta=4, pack=0)
    with pytest.raises(NotFound, match="is empty"):
        forget(["a"], house.settings, Silent())
    assert not house.settings.warehouse.exists()
    house.ingest([Triple("a", "b", "x"), Triple("", "rejected", "x"), Triple("b", "c", "x")])
    files = {file: file.read_bytes() for file in house.layout.base(1).rglob("*") if file.is_file()}
    for wrong in ([], [""], ["a", ""]):
        with pytest.raises(UsageError):
            forget(wrong, house.settings, Silent())
    with pytest.raises(NotFound, match=r"1 are missing, for example 'no'") as error:
        forget(["a", "no"], house.settings, Silent())
    assert "'a'" not in str(error.value)
    assert {file: file.read_bytes() for file in files} == files
    done = forget(["rejected"], house.settings, Silent())
    assert (done.items, done.rejected) == (0, 1)
    rejects = Snapshot(house.layout, house.commit).rows("rejects").to_pylist()
    assert [(row["reason"], row["content"]) for row in rejects] == [("no src", "")]
    with pytest.raises(NotFound):
        forget(["rejected"], house.settings, Silent())


@pytest.mark.long
def test_a_neo4j_in_use_is_rebuilt_by_a_later_writer(own_copy: Persons) -> None:
    """A repair rebuilds Neo4j after two erasures failed to, because a reader was using it."""
    house = own_copy.house
    with house.asker() as reader:
        reader.ask("board/1", "upstream")
        with pytest.raises(Busy, match="Cannot remove the erased items"):
            own_copy.forget()
        assert own_copy.in_files() == set()
        with pytest.raises(Busy, match="Cannot remove the erased items"):
            own_copy.forget("raw/0")
        assert reader.ask("board/1", "upstream").items.num_rows
    assert any(op.startswith("an operation that only") for op in ops_in_neo4j(house))
    repair(house.settings, Silent())
    assert ops_in_neo4j(house) == {"show", "sum"}
    assert own_copy.remains() == set()
    assert not house.layout.erasure.exists()
