"""After an erasure, answers about other items are right and state the number of erased items."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.retract import Retracting, retract
from provhouse.care.rollback import rollback
from provhouse.commit.erasing import erase as steps
from provhouse.ingest.imported import import_
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Method, Question
from provhouse.query.exporting import export as export_module
from provhouse.query.exporting.export import export_answer, export_warehouse
from provhouse.query.lineage import ask as ask_module
from provhouse.query.lineage import diff as diff_module
from provhouse.query.lineage import path as path_module
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.diff import compare
from provhouse.query.lineage.path import path
from provhouse.query.listing.find import find
from provhouse.query.listing.status import status
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import generations

Houses = Callable[..., House]
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")


def agree(
    house: House, states: dict[int, list[Triple]], gone: set[str], few: int, random: Random
) -> None:
    """Compare every generation with networkx.

    For ``few`` of the items, the methods RQ and CCProv are also compared.
    """
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
    """Ingest, roll back, retract, forget, compact and forget again, and compare answers."""
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
    retract(Retracting(items=[item]), house.settings, Silent())
    house.bare = True
    state([row for row in triples if item not in row[:2]])
    gone: set[str] = set()
    for _ in range(2):
        names = sorted({end for row in triples for end in row[:2]} - gone)
        some = random.sample(names, min(4, len(names) // 3))
        forget(some, house.settings, Silent())
        gone |= set(some)
        house.check_deep(by_spark=True)  # files were rewritten
        agree(house, states, gone, few, random)
        if len(states) == 5:
            compact(house.settings, Silent())
            state(states[max(states)])
            house.check_deep()
            agree(house, {max(states): states[max(states)]}, gone, few, random)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5, 45))
def test_answers_in_many_graphs_are_right_after_erasures(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(steps, "_rebuild_graph", lambda *_: None)
    random_forgets(houses, seed, 2)


@pytest.mark.long
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)])
def test_an_erased_name_ingested_again_is_a_new_item(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    """If the same file is ingested again, an erased name becomes a new item with new triples.

    Paths still lead through the erased item as well.
    """
    monkeypatch.setattr(steps, "_rebuild_graph", lambda *_: None)
    house = houses(theta=4, pack=0)
    rows = [Triple("a", "b", "x"), Triple("b", "c", "x"), Triple("c", "d", "x")]
    house.ingest(rows)
    forget(["b"], house.settings, Silent())
    for first in (True, False) if whole else (True,):
        summary = house.ingest(rows)
        assert (summary.new_items, summary.new_triples) == ((1, 2) if first else (0, 0))
        assert (summary.triples, summary.items) == (5, 5)
        with house.asker() as asker:
            answer = asker.ask("d", "upstream")
            assert content(answer) == Oracle.of(rows).ask("d", "upstream")
            assert answer.erased == 1
            for method in METHODS if first and whole else ():
                answer = asker.ask("a", "downstream", method)
                assert content(answer) == Oracle.of(rows).ask("a", "downstream")
                assert answer.erased == 1
            assert content(asker.ask("b", "upstream")) == Oracle.of(rows).ask("b", "upstream")
    if not whole:
        return
    assert status(house.settings).erased == 1
    assert forget(["b"], house.settings, Silent()).items == 1
    assert status(house.settings).erased == 2
    compact(house.settings, Silent())
    assert status(house.settings).erased == 2
    with house.asker() as asker:
        answer = asker.ask("d", "upstream")
        assert (answer.items["item"].to_pylist(), answer.erased) == (["c", "a"], 2)
    house.check_deep()


@pytest.mark.long
def test_no_question_shows_an_erased_item(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(steps, "_rebuild_graph", lambda *_: None)
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
    snapshot = Snapshot(house.layout, house.commit)
    pairs = snapshot.rows("set_dependencies").to_pylist()
    ends = snapshot.set_rows(snapshot.names.locate(pa.array(["end/1", "mid/1", "raw/2"])))
    end, mid, raw = snapshot.set_ids[ends].tolist()
    ops_of = {(row["set"], row["derives_from"]): set(row["ops"]) - {""} for row in pairs}
    kept = {(end, mid): {"x"}, (end, raw): {"y"}}
    assert all(ops <= kept.get(pair, set()) for pair, ops in ops_of.items())
    assert set() in ops_of.values(), "ops between two sets are erased"

    def ask(**filters: object) -> tuple[list[str], int, int]:
        with house.asker() as asker:
            question = Question("end/1", "upstream", **filters)  # type: ignore[arg-type]
            answer = asker.answer(question)
        return answer.items["item"].to_pylist(), answer.erased, answer.hidden

    assert ask() == (["mid/1", "raw/2", "raw/1"], 1, 0)
    assert ask(depth=2) == (["mid/1", "raw/2"], 1, 0)
    assert ask(limit=2) == (["mid/1", "raw/2"], 1, 1)
    assert ask(ends=True) == (["raw/2", "raw/1"], 1, 1), "mid/1 is no source"
    assert ask(through="raw") == (["mid/1", "raw/2", "raw/1"], 1, 0), "also beyond the erased item"
    assert ask(ops=("",)) == ([], 1, 3), "an erased link has no empty op"
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
    diff = compare(
        Question("end/1", "upstream", as_of=1), None, lambda at: Asker(house.settings, Silent(), at)
    )
    assert diff.came.items["item"].to_pylist() == ["raw/2"]
    assert diff.since.erased == 1
    manifest = export_warehouse(house.layout, tmp_path / "export", Silent())
    assert (manifest.triples, manifest.items, manifest.erased) == (2, 3, 3)
    other = houses()
    assert import_(tmp_path / "export", other.settings, Silent()).triples == 2


@pytest.mark.long
def test_a_question_during_an_erasure_sees_the_item_or_not(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each erasure happens after a question has found items, but before it reads their names."""
    monkeypatch.setattr(steps, "_rebuild_graph", lambda *_: None)
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
        erase("p0", ask_module, "apply_filters")
        answer = asker.ask("end", "upstream")
        assert answer.items["item"].to_pylist() == ["p1", "p2", "p3", "p4", "raw"]
        assert (answer.erased, answer.triples.num_rows) == (1, 8)
        erase("p1", path_module, "without_erased")
        way = path(asker, "raw", "end", every=True)
        assert way.items["item"].to_pylist() == ["raw", "p2", "p3", "p4", "end"]
        assert (way.erased, way.triples.num_rows) == (2, 6)
        erase("p2", ask_module, "apply_filters")
        with pytest.raises(NotFound):
            asker.ask("p2", "upstream")
    erase("p3", diff_module, "_side")
    question = Question("end", "upstream", as_of=2)
    diff = compare(question, None, lambda at: Asker(house.settings, Silent(), at))
    assert (diff.went.items.num_rows, diff.came.items.num_rows) == (0, 0)
    erase("p4", export_module, "read_partition")
    manifest = export_warehouse(house.layout, tmp_path / "export", Silent())
    assert (manifest.triples, manifest.items, manifest.erased) == (0, 0, 10)
    (file,) = (tmp_path / "export").glob("*.parquet")
    assert pq.read_table(file).num_rows == 0
