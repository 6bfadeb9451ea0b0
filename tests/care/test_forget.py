"""An erasure: nothing of it is left in any file, and the lineage of all others stays whole.

Neo4j is made anew only where it is of that warehouse alone: those tests are long.
"""

import csv
import json
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from neo4j import GraphDatabase

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.remains import remains
from helpers.warehouse import READ_BY_SPARK, House, content
from provhouse.care import forget as care
from provhouse.care.check import check
from provhouse.care.forget import Forgotten, forget
from provhouse.care.repair import repair
from provhouse.cypher import process, server
from provhouse.cypher.state import State
from provhouse.ingest import erasure as steps
from provhouse.ingest.compact import compact
from provhouse.ingest.imported import import_
from provhouse.ingest.ingest import ingest
from provhouse.ingest.retract import Wanted, retract
from provhouse.ingest.rollback import rollback
from provhouse.model.errors import Busy, Damaged, NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.query import ask as asks
from provhouse.query import diff as diffs
from provhouse.query import export as exports
from provhouse.query import path as paths
from provhouse.query.ask import Asker
from provhouse.query.diff import compared
from provhouse.query.export import export_answer, export_warehouse
from provhouse.query.find import find
from provhouse.query.path import path
from provhouse.query.question import Direction, Method, Question
from provhouse.query.status import status
from provhouse.store import erasure, links, nameless, rejected, rewriting
from provhouse.store.commits import Commit, current, generations
from provhouse.store.snapshot import Snapshot

Houses = Callable[..., House]
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
NAMES = ('Zoë O\'Brien "née" 名前/17', "persons/4711-" + "long" * 300, "plain.person@example")
OPS = tuple(f"an operation that only person {n} ever had, 唯一" for n in range(3))
NOTES = tuple(f"note that tells of person {n}: ∂{n * 7919}" for n in range(3))
HEAD = ("src", "dst", "op", "src_table", "dst_table", "note")


def rows_of(person: int, name: str) -> list[tuple[str, ...]]:
    """What a person's record came from and led to."""
    return [
        ("raw/1", name, "read", "raw", "persons", NOTES[person]),
        (name, "report/1", OPS[person], "persons", "reports", NOTES[person]),
        (name, "report/1", "sum", "persons", "reports", ""),
        (name, f"report/{person + 2}", "sum", "persons", "reports", ""),
    ]


OTHERS = [
    ("raw/0", "raw/1", "copy", "raw", "raw", "kept"),
    ("raw/1", "report/1", "sum", "raw", "reports", "kept"),
    ("report/1", "board/1", "show", "reports", "boards", ""),
]


def write(folder: Path, name: str, rows: Collection[tuple[str, ...]]) -> Path:
    file = folder / name
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([HEAD, *rows])
    return file


@dataclass
class Secret:
    """A warehouse with persons in it, and a Neo4j of its own."""

    house: House

    def forget(self, *names: str) -> Forgotten:
        return forget(names or NAMES, self.house.settings, Silent())

    def remains(self) -> set[str]:
        folders = {self.house.settings.warehouse, self.house.settings.graph_home}
        return remains(folders, (*OPS, *NOTES), NAMES)

    def in_files(self) -> set[str]:
        return remains([self.house.settings.warehouse], (*OPS, *NOTES), NAMES)


@pytest.fixture(scope="module")
def told(houses: Houses) -> House:
    """A warehouse that holds persons, on the Neo4j of all tests, which nobody may make anew."""
    house = houses(theta=4, pack=0, partition_triples=10)
    history(house)
    return house


@pytest.fixture(scope="module")
def alone(houses: Houses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The same with a Neo4j of its own."""
    home = tmp_path_factory.mktemp("neo4j of persons")
    house = houses(theta=4, pack=0, partition_triples=10, neo4j_home=home)
    server.up(home, "512m", Silent())
    history(house)
    yield house
    state = State.read(home)
    process.stop(state.pid if state else None, home)


def history(house: House) -> None:
    """Ingests, one of them rolled back, a run, a retraction, a compaction, rejects, a log."""
    folder = house.settings.warehouse.parent

    def take(name: str, *rows: tuple[str, ...], run: str | None = None) -> None:
        ingest([write(folder, name, rows)], house.settings, progress=Silent(), run=run)

    take("first.csv", *OTHERS, *rows_of(0, NAMES[0]))
    rollback(house.settings, Silent())
    rejected = (NAMES[0], "", OPS[0], "", "", NOTES[0])
    take("again.csv", *OTHERS, *rows_of(0, NAMES[0]), rejected)
    take("run.csv", *rows_of(1, NAMES[1]), run="july")
    compact(house.settings, Silent())
    take("third.csv", *rows_of(2, NAMES[2]), ("", "elsewhere", "x", "", "", "a reject that stays"))
    retract(Wanted(items=[NAMES[2]]), house.settings, Silent())
    (house.layout.logs / "crash.log").write_text(f"something about {NAMES[1]}")


def copied(house: House, folder: Path) -> Secret:
    """The same on disk; what is in Neo4j belongs to both."""
    shutil.copytree(house.settings.warehouse, folder / "warehouse")
    settings = replace(house.settings, warehouse=folder / "warehouse")
    return Secret(House(settings, house.session, bare=True))


@pytest.fixture
def copy(told: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Secret:
    """A copy, to be changed."""
    monkeypatch.setattr(steps, "_remake", lambda *_: None)
    return copied(told, tmp_path)


@pytest.fixture
def whole_copy(alone: House, tmp_path: Path) -> Secret:
    """A copy that may make its Neo4j anew, with all that it holds at first."""
    secret = copied(alone, tmp_path)
    repair(secret.house.settings, Silent())
    return secret


def whole(house: House) -> None:
    """Everything that must hold of a warehouse, by all readers."""
    report = check(house.settings, Silent(), deep=True)
    assert report.damages == ()
    house.check()


class Crash(BaseException):
    """Nothing catches it, as if the process had been killed."""


def ops_in_neo4j(house: House) -> set[str]:
    address, statement = house.address, "MATCH ()-[r]->() UNWIND r.ops AS op RETURN DISTINCT op"
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


@pytest.mark.parametrize("step", LEFT_OUT)
def test_each_step_is_needed(copy: Secret, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """The search of the test below finds what a step would leave."""
    module, name, result = LEFT_OUT[step]
    monkeypatch.setattr(module, name, lambda *_: result)
    copy.forget()
    assert copy.in_files()
    if step in ("triples", "names", "look-ups"):
        assert check(copy.house.settings, Silent(), deep=True).damages


def test_nothing_of_it_is_left_in_any_file(copy: Secret) -> None:
    house = copy.house
    before = copy.in_files()
    for text in (*OPS, *NOTES, *NAMES, *(f"hash of {name}" for name in NAMES)):
        assert any(found.startswith(text[:30]) for found in before), text
    as_of = generations(house.layout)
    done = copy.forget()
    assert copy.in_files() == set()
    assert (done.names, done.rejected, done.neo4j) == (3, 2, True), "compacted"
    assert done.items == 6, "the first was taken back once; it and the second were compacted"
    assert generations(house.layout) == as_of
    assert not house.layout.erasure.exists()
    said = (house.layout.logs / "writers.jsonl").read_text()
    lines = [json.loads(line) for line in said.splitlines()]
    assert {"begins", "ends"} == {line["event"] for line in lines}
    whole(house)
    for generation in generations(house.layout):
        with Asker(house.settings, Silent(), generation) as asker, suppress(NotFound):
            answer = asker.ask("board/1", "upstream")
            assert {"raw/0", "raw/1", "report/1"} == set(answer.items["item"].to_pylist())
    with pytest.raises(NotFound):
        copy.forget()


@pytest.mark.long
def test_nothing_of_it_is_left_in_neo4j(whole_copy: Secret) -> None:
    house = whole_copy.house
    assert set(OPS) & ops_in_neo4j(house)
    assert any("in data/" in found for found in whole_copy.remains())
    whole_copy.forget()
    assert whole_copy.remains() == set()
    assert ops_in_neo4j(house) == {"copy", "show", "sum"}
    whole(house)
    repair(house.settings, Silent())
    whole(house)


@pytest.mark.long
def test_without_its_own_step_neo4j_would_keep_it(
    whole_copy: Secret, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "wipe", lambda *_: None)
    whole_copy.forget()
    assert whole_copy.remains()
    assert whole_copy.in_files() == set()


POINTS: list[tuple[object, str, bool]] = [
    (rejected, "rejects cleared", True),
    (erasure, "erasure written", True),
    (nameless, "erased unwritten", True),
    (nameless, "erased written", False),
    (links, "ops cleared", True),
    (rewriting, "file rewritten", False),
    (links, "links cleared", True),
    (nameless, "segment rewritten", True),
    (nameless, "look-up rewritten", True),
    (nameless, "look-up switched", False),
    (steps, "logs cleared", True),
]


@pytest.mark.parametrize(
    ("module", "point"),
    [
        pytest.param(module, point, marks=[pytest.mark.long] * long, id=point)
        for module, point, long in POINTS
    ],
)
def test_whatever_crashes_the_next_writer_ends_it(
    copy: Secret, monkeypatch: pytest.MonkeyPatch, module: object, point: str
) -> None:
    """But for a crash before the erasure is known: then the command has to be given again."""

    def crash(name: str) -> None:
        under_way = erasure.read_erasure(copy.house.layout)
        begun = under_way and under_way.items
        if name == point and (begun or point == "rejects cleared"):
            raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(module, "reach", crash)
        with pytest.raises(Crash):
            copy.forget()
    if point == "rejects cleared":
        copy.forget()
    if point not in ("erasure written", "erased unwritten"):
        with Asker(copy.house.settings, Silent()) as asker, pytest.raises(NotFound):
            asker.ask(NAMES[1], "upstream")
    rollback(copy.house.settings, Silent())
    assert copy.in_files() == set()
    assert not copy.house.layout.erasure.exists()


@pytest.mark.parametrize("point", ["erasure written", "hint removed", "rejects cleared"])
def test_what_is_known_from_a_rejected_row_only(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """Cut off at any time its logs go, its table is settled, and the command may be given again."""
    house = houses(theta=4, pack=0)
    house.ingest([Triple("a", "b", "x"), Triple("", "rejected", "x")])
    rejects = house.layout.table(1, "rejects")
    log = house.layout.logs / "crash.log"
    log.write_text("rejected")

    def crash(name: str) -> None:
        if name == point:
            raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(rewriting, "_WAYS", ((-50, False),))  # its length changes
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


@pytest.mark.parametrize("unreadable", [False, True])
def test_a_repair_erases_again_what_was_left(
    copy: Secret, monkeypatch: pytest.MonkeyPatch, unreadable: bool
) -> None:
    """Where nothing tells any more that something is left to do, or it cannot be read."""
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


def agree(
    house: House, states: dict[int, list[Triple]], gone: set[str], few: int, random: Random
) -> None:
    """Every generation's answers are those of networkx with nameless items; ``few`` by Spark."""
    for generation, triples in states.items():
        oracle = Oracle.of(triples)
        held = sorted(set(oracle.graph) - gone)
        by_spark = set(random.sample(held, min(few, len(held))))
        with Asker(house.settings, Silent(), generation) as asker:
            for item in random.sample(held, min(12, len(held))) + sorted(by_spark):
                methods: list[Method] = ["csprov"]
                methods += ["rq", "ccprov"] if item in by_spark else []
                for direction in DIRECTIONS:
                    depth = random.choice([None, None, 2])
                    expected = oracle.ask(item, direction, depth)
                    for method in methods:
                        answer = asker.ask(item, direction, method, depth)
                        assert content(answer) == expected.without(gone), (item, direction, method)
                        assert answer.erased == sum(name in gone for name, _ in expected.items)
                        assert answer.hidden == 0
            for item in sorted(gone & set(oracle.graph))[:2]:
                with pytest.raises(NotFound):
                    asker.ask(item, "upstream", "csprov")


def random_forgets(houses: Houses, seed: int, few: int) -> None:
    """Ingests, a rollback and a retraction, forgets, a compaction, and forgets again."""
    random = Random(seed)
    house = houses(theta=5, pack=0, partition_triples=random.choice([7, 20, 100]))
    triples = [triple for n in range(3) for triple in graph(seed * 31 + n * 4).triples]
    triples += [
        Triple(random.choice(triples).dst, random.choice(triples).src, "join") for _ in range(4)
    ]
    random.shuffle(triples)
    third = len(triples) // 3
    states: dict[int, list[Triple]] = {}

    def state(rows: list[Triple]) -> None:
        states[generations(house.layout)[-1]] = rows

    house.ingest(triples[:third])
    state(triples[:third])
    house.ingest(triples[: 2 * third])
    state(triples[: 2 * third])
    rollback(house.settings, Silent())
    state(triples[:third])
    house.ingest(triples)
    state(triples)
    item = random.choice(triples).src
    retract(Wanted(items=[item]), house.settings, Silent())
    house.bare = True
    state([row for row in triples if item not in row[:2]])
    gone: set[str] = set()
    for _ in range(2):
        names = sorted({end for row in triples for end in row[:2]} - gone)
        some = random.sample(names, min(4, len(names) // 3))
        forget(some, house.settings, Silent())
        gone |= set(some)
        READ_BY_SPARK.clear()  # files were written anew
        whole(house)
        agree(house, states, gone, few, random)
        if len(states) == 5:
            compact(house.settings, Silent())
            state(states[max(states)])
            whole(house)
            agree(house, {max(states): states[max(states)]}, gone, few, random)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5, 45))
def test_answers_of_many_graphs(houses: Houses, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(steps, "_remake", lambda *_: None)
    random_forgets(houses, seed, 2)


def test_the_same_name_later_is_another_item(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from the very same file: what is told of it again is new, the old link stays."""
    monkeypatch.setattr(steps, "_remake", lambda *_: None)
    house = houses(theta=4, pack=0)
    rows = [Triple("a", "b", "x"), Triple("b", "c", "x"), Triple("c", "d", "x")]
    house.ingest(rows)
    forget(["b"], house.settings, Silent())
    for first in (True, False):
        summary = house.ingest(rows)
        assert (summary.new_items, summary.new_triples) == ((1, 2) if first else (0, 0))
        assert (summary.triples, summary.items) == (5, 5)
        with house.asker() as asker:
            answer = asker.ask("d", "upstream")
            assert content(answer) == Oracle.of(rows).ask("d", "upstream")
            assert answer.erased == 1
            for method in METHODS if first else ():
                answer = asker.ask("a", "downstream", method)
                assert content(answer) == Oracle.of(rows).ask("a", "downstream")
                assert answer.erased == 1
            assert content(asker.ask("b", "upstream")) == Oracle.of(rows).ask("b", "upstream")
    assert status(house.settings).erased == 1
    assert forget(["b"], house.settings, Silent()).items == 1
    assert status(house.settings).erased == 2
    compact(house.settings, Silent())
    assert status(house.settings).erased == 2
    with house.asker() as asker:
        answer = asker.ask("d", "upstream")
        assert (answer.items["item"].to_pylist(), answer.erased) == (["c", "a"], 2)
    whole(house)


def test_every_question_does_without_it(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(steps, "_remake", lambda *_: None)
    house = houses(theta=3, pack=0)
    rows = [
        Triple("raw/1", "gone/1", "x", "raw", "persons"),
        Triple("gone/1", "mid/1", "x", "persons", "mids"),
        Triple("gone/1", "mid/1", "y", "persons", "mids"),
        Triple("mid/1", "end/1", "x", "mids", "ends"),
        Triple("raw/2", "end/1", "y", "raw", "ends"),
    ]
    house.ingest(rows[:4])
    house.ingest(rows)
    forget(["gone/1"], house.settings, Silent())
    snapshot = Snapshot(house.layout, _current(house))
    pairs = snapshot.rows("set_dependencies").to_pylist()
    ends = snapshot.set_rows(snapshot.names.locate(pa.array(["end/1", "mid/1", "raw/2"])))
    end, mid, raw = snapshot.set_ids[ends].tolist()
    told = {(row["set"], row["derives_from"]): set(row["ops"]) - {""} for row in pairs}
    kept = {(end, mid): {"x"}, (end, raw): {"y"}}
    assert all(ops <= kept.get(pair, set()) for pair, ops in told.items())
    assert set() in told.values(), "what was between two sets is not told"

    def ask(**filters: object) -> tuple[list[str], int, int]:
        with house.asker() as asker:
            question = Question("end/1", "upstream", **filters)  # type: ignore[arg-type]
            answer = asker.answer(question)
        return answer.items["item"].to_pylist(), answer.erased, answer.hidden

    assert ask() == (["mid/1", "raw/2", "raw/1"], 1, 0)
    assert ask(depth=2) == (["mid/1", "raw/2"], 1, 0)
    assert ask(limit=2) == (["mid/1", "raw/2"], 1, 1)
    assert ask(ends=True) == (["raw/2", "raw/1"], 1, 1), "mid/1 came from something"
    assert ask(through="raw") == (["mid/1", "raw/2", "raw/1"], 1, 0), "also behind what is gone"
    assert ask(ops=("",)) == ([], 1, 3), "what is gone has no empty op"
    assert ask(tables=("persons",)) == ([], 1, 3)
    with house.asker() as asker:
        summary = asker.answer(Question("end/1", "upstream", summary=True))
        assert summary.counts
        assert (sum(summary.counts.tables["items"].to_pylist()), summary.erased) == (3, 1)
        assert summary.counts.ops.to_pylist() == [
            {"op": "x", "triples": 1},
            {"op": "y", "triples": 1},
        ]
        for every in (False, True):
            way = path(asker, "raw/1", "end/1", every=every)
            assert (way.hops, way.erased) == (3, 1)
            assert way.items["item"].to_pylist() == ["raw/1", "mid/1", "end/1"]
            assert way.triples["dst"].to_pylist() == ["end/1"]
        with pytest.raises(NotFound) as error:
            asker.ask("gone/2", "upstream")
        assert "gone/1" not in str(error.value)
        answer = asker.ask("end/1", "upstream")
        assert export_answer(house.layout, answer, tmp_path / "answer").erased == 3
        assert find(asker.snapshot, "", limit=9).matches == 4
        assert find(asker.snapshot, "gone", table="persons").matches == 0
    diff = compared(
        Question("end/1", "upstream", as_of=1), None, lambda at: Asker(house.settings, Silent(), at)
    )
    assert diff.came.items["item"].to_pylist() == ["raw/2"]
    assert diff.since.answer
    assert diff.since.answer.erased == 1
    manifest = export_warehouse(house.layout, tmp_path / "export", Silent())
    assert (manifest.triples, manifest.items, manifest.erased) == (2, 3, 3)
    other = houses()
    assert import_(tmp_path / "export", other.settings, Silent()).triples == 2


def test_who_asks_meanwhile_sees_all_of_a_name_or_nothing(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each erasure comes when items were found, and before their names are read."""
    monkeypatch.setattr(steps, "_remake", lambda *_: None)
    house = houses(theta=3, pack=0)
    house.ingest([Triple("raw", f"p{n}", "x") for n in range(5)])
    house.ingest([Triple(f"p{n}", "end", "x") for n in range(5)])

    def erase(name: str, module: ModuleType, step: str) -> None:
        work = getattr(module, step)

        def first(*given: object) -> object:
            found = work(*given)
            monkeypatch.setattr(module, step, work)
            forget([name], house.settings, Silent())
            return found

        monkeypatch.setattr(module, step, first)

    with house.asker() as asker:
        erase("p0", asks, "narrow")
        answer = asker.ask("end", "upstream")
        assert answer.items["item"].to_pylist() == ["p1", "p2", "p3", "p4", "raw"]
        assert (answer.erased, answer.triples.num_rows) == (1, 8)
        erase("p1", paths, "without")
        way = path(asker, "raw", "end", every=True)
        assert way.items["item"].to_pylist() == ["raw", "p2", "p3", "p4", "end"]
        assert (way.erased, way.triples.num_rows) == (2, 6)
        erase("p2", asks, "narrow")
        with pytest.raises(NotFound):
            asker.ask("p2", "upstream")
    erase("p3", diffs, "_side")
    question = Question("end", "upstream", as_of=2)
    diff = compared(question, None, lambda at: Asker(house.settings, Silent(), at))
    assert (diff.went.items.num_rows, diff.came.items.num_rows) == (0, 0)
    erase("p4", exports, "read_partition")
    manifest = export_warehouse(house.layout, tmp_path / "export", Silent())
    assert (manifest.triples, manifest.items, manifest.erased) == (0, 0, 10)
    (file,) = (tmp_path / "export").glob("*.parquet")
    assert pq.read_table(file).num_rows == 0


def test_only_a_neo4j_that_nobody_shares_is_made_anew_each_time(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    remade: list[Path | None] = []
    monkeypatch.setattr(steps, "_remake", lambda settings, _: remade.append(settings.neo4j_home))
    house = houses(theta=4, pack=0)
    house.ingest([Triple("a", "b", "x"), Triple("c", "d", "x"), Triple("", "rejected", "x")])
    alone = replace(house.settings, neo4j_home=None)
    assert not forget(["rejected"], alone, Silent()).neo4j, "which never knew of it"
    house.ingest([Triple("e", "f", "x")])
    assert not forget(["a"], house.settings, Silent()).neo4j, "others have that op"
    assert remade == []
    assert forget(["c"], alone, Silent()).neo4j
    assert remade == [None]


def test_what_is_held_nowhere_changes_nothing(houses: Houses) -> None:
    house = houses(theta=4, pack=0)
    with pytest.raises(NotFound, match="hold something to erase"):
        forget(["a"], house.settings, Silent())
    assert not house.settings.warehouse.exists()
    house.ingest([Triple("a", "b", "x"), Triple("", "rejected", "x"), Triple("b", "c", "x")])
    files = {file: file.read_bytes() for file in house.layout.base(1).rglob("*") if file.is_file()}
    for wrong in ([], [""], ["a", ""]):
        with pytest.raises(UsageError):
            forget(wrong, house.settings, Silent())
    with pytest.raises(NotFound, match=r"1 of them are not, 'no' for one") as error:
        forget(["a", "no"], house.settings, Silent())
    assert "'a'" not in str(error.value)
    assert {file: file.read_bytes() for file in files} == files
    done = forget(["rejected"], house.settings, Silent())
    assert (done.items, done.rejected) == (0, 1)
    rejects = Snapshot(house.layout, _current(house)).rows("rejects").to_pylist()
    assert [(row["reason"], row["content"]) for row in rejects] == [("no src", "")]
    with pytest.raises(NotFound):
        forget(["rejected"], house.settings, Silent())


def _current(house: House) -> Commit:
    commit = current(house.layout)
    assert commit
    return commit


@pytest.mark.long
def test_a_neo4j_in_use_is_left_to_a_later_writer(whole_copy: Secret) -> None:
    """Also beside a second erasure, which needs none of its own."""
    house = whole_copy.house
    with house.asker() as reader:
        reader.ask("board/1", "upstream")
        with pytest.raises(Busy, match="to be rid of what was erased"):
            whole_copy.forget()
        assert whole_copy.in_files() == set()
        with pytest.raises(Busy, match="to be rid of what was erased"):
            whole_copy.forget("raw/0")
        assert reader.ask("board/1", "upstream").items.num_rows
    assert set(OPS) & ops_in_neo4j(house)
    repair(house.settings, Silent())
    assert ops_in_neo4j(house) == {"show", "sum"}
    assert whole_copy.remains() == set()
    assert not house.layout.erasure.exists()
