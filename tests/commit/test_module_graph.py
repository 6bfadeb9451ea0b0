"""After every kind of change, the modules in Neo4j equal counts of the trace's rows."""

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, LiteralString

import pyarrow as pa
import pytest
from neo4j import GraphDatabase

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.check import check
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.repair import repair
from provhouse.care.retract import Retracting, retract
from provhouse.care.rollback import rollback
from provhouse.commit import module_graph, publish
from provhouse.model.progress import Silent

Houses = Callable[..., House]
Row = dict[str, str]
COLUMNS = ("src", "dst", "op", "src_table", "dst_table", "module", "execution", "invocation",
           "op_kind")  # fmt: skip
MODULES = [
    {"module": "curate", "ops": ["strip"], "inputs": ["raw"], "outputs": ["clean"]},
    {"module": "report", "ops": ["total"]},
    {"module": "idle", "workflow": "monthly", "ops": ["never"]},
]
NODES: LiteralString = """
MATCH (n {warehouse: $warehouse}) WHERE n:Module OR n:Workflow OR n:Invocation
RETURN labels(n)[0] AS label, properties(n) AS properties
"""
LINKS: LiteralString = """
MATCH (a {warehouse: $warehouse})-[r]->(b)
WHERE (a:Module OR b:Module) AND NOT a:Invocation
RETURN labels(a)[0], coalesce(a.name, a.id), type(r), labels(b)[0], coalesce(b.name, b.id),
       r.triples
"""
NEW_LINKS: LiteralString = """
MATCH (m:Module {warehouse: $warehouse})
CALL (m) {
  MATCH (m)-[r:READS|DERIVES_FROM|PART_OF]->() WHERE r.old IS NULL RETURN r
  UNION ALL
  MATCH (m)<-[r:MADE_BY]-() WHERE r.old IS NULL RETURN r
}
RETURN m.name, count(r)
"""


def row(src: str, dst: str, op: str, module: str = "", execution: str = "", call: str = "") -> Row:
    tables = (item.partition("/")[0] for item in (src, dst))
    values = (src, dst, op, *tables, module, execution, call, "any")
    return dict(zip(COLUMNS, values, strict=True))


FIRST = [
    row("raw/1", "clean/1", "strip", "", "monday", "1"),
    row("raw/2", "clean/2", "strip", "", "monday", "2"),
    row("clean/1", "sum/1", "total"),
    row("clean/2", "sum/1", "total"),
    row("raw/1", "sum/1", "audit", "check", "monday"),
    row("sum/1", "page/1", "print"),
]
SECOND = [
    row("raw/3", "clean/3", "strip", "", "tuesday", "1"),
    row("page/1", "mail/1", "send", "post"),
    row("mail/1", "raw/4", "reply", "post"),
]


def ingest(house: House, rows: list[Row], name: str, **options: Any) -> None:
    path = house.settings.warehouse.parent / f"{name}.csv"
    with path.open("w", newline="") as file:
        csv.DictWriter(file, COLUMNS).writerows([dict(zip(COLUMNS, COLUMNS, strict=True)), *rows])
    house.ingest_files(path, run=name, **options)


@pytest.fixture
def house(houses: Houses, tmp_path: Path) -> House:
    """A warehouse with modules, whose sets have at most three items."""
    (tmp_path / "modules.json").write_text(json.dumps({"workflow": "nightly", "modules": MODULES}))
    made = houses(theta=3, pack=0)
    ingest(made, FIRST, "first", modules=tmp_path / "modules.json")
    return made


def asked(house: House, text: LiteralString) -> list[tuple[Any, ...]]:
    auth = (house.address.user, house.address.password)
    with GraphDatabase.driver(house.address.bolt, auth=auth) as driver:
        found = driver.execute_query(text, warehouse=house.layout.warehouse_id()).records
    return [tuple(record.values()) for record in found]


def expected(house: House, runs: dict[str, list[Row]]) -> tuple[set[Any], set[Any]]:
    """Return the nodes and links that Neo4j must have for the rows of ``runs``."""
    of = {op: str(each["module"]) for each in MODULES for op in each["ops"]}
    made = [
        (run, row, module)
        for run, rows in runs.items()
        for row in rows
        if (module := row["module"] or of.get(row["op"], ""))
    ]
    with house.asker() as asker:
        numbers = asker.snapshot.locate(pa.array([row["dst"] for _, row, _ in made], pa.string()))
        sets = asker.snapshot.sets_of(numbers).tolist()
    triples, reads, makes = (Counter[Any]() for _ in range(3))
    calls, lies = Counter[Any](), Counter[Any]()
    for (run, row, module), at in zip(made, sets, strict=True):
        triples[module] += 1
        reads[module, row["src_table"]] += 1
        makes[row["dst_table"], module] += 1
        lies[at, module] += 1
        calls[module, run, row["execution"] or None, row["invocation"] or None] += 1
    flow = Counter[Any]()
    for (module, table), count in reads.items():
        for made_table, maker in makes:
            if table == made_table and maker != module:
                flow[module, maker] += count
    workflows = {str(each["module"]): str(each.get("workflow", "nightly")) for each in MODULES}
    nodes: set[Any] = {("Module", name, triples[name]) for name in {*triples, *workflows}}
    nodes |= {("Workflow", name) for name in workflows.values()}
    nodes |= {("Invocation", *call, count) for call, count in calls.items()}
    links: set[Any] = {("Module", a, "PART_OF", "Workflow", b, None) for a, b in workflows.items()}
    links |= {("Module", a, "READS", "Table", b, n) for (a, b), n in reads.items()}
    links |= {("Table", a, "MADE_BY", "Module", b, n) for (a, b), n in makes.items()}
    links |= {("Set", a, "MADE_BY", "Module", b, n) for (a, b), n in lies.items()}
    links |= {("Module", a, "DERIVES_FROM", "Module", b, n) for (a, b), n in flow.items()}
    return nodes, links


def shown(house: House) -> tuple[set[Any], set[Any]]:
    """Return the nodes and links of modules in Neo4j."""
    nodes = set()
    for label, has in asked(house, NODES):
        if label == "Invocation":
            call = ("module", "run", "execution", "invocation", "triples")
            nodes.add((label, *map(has.get, call)))
        else:
            nodes.add((label, has["name"], *([has.get("triples")] if label == "Module" else [])))
    return nodes, set(asked(house, LINKS))


@pytest.mark.long
def test_neo4j_shows_the_modules_of_each_generation(house: House, houses: Houses) -> None:
    first, both = {"first": FIRST}, {"first": FIRST, "second": SECOND}
    assert shown(house) == expected(house, first)
    beside = houses()
    ingest(beside, SECOND, "other")
    other = shown(beside)
    assert ("Module", "post", 2) in other[0]
    ingest(house, SECOND, "second")
    assert shown(house) == expected(house, both)
    repair(house.settings, Silent())
    assert shown(house) == expected(house, both)
    house.check_deep()
    rollback(house.settings, Silent())
    assert shown(house) == expected(house, first)
    retract(Retracting(items=["clean/1"]), house.settings, Silent())
    left = [row for row in FIRST if "clean/1" not in (row["src"], row["dst"])]
    house.bare = True
    assert shown(house) == expected(house, {"first": left})
    compact(house.settings, Silent())
    assert shown(house) == expected(house, {"first": left})
    house.check_deep()
    assert shown(beside) == other
    ingest(house, [row("a/1", "b/1", "x")], "bare", replace=True)
    assert shown(house) == (set(), set())


@pytest.mark.long
def test_nothing_of_an_erased_call_stays(house: House) -> None:
    """The other triples keep their modules, and the counts are updated."""
    ingest(house, [row("raw/8", "v/8", "look", "Jane Doe", "her own")], "secret")
    assert any("Jane Doe" in map(str, node) for node in shown(house)[0])
    assert forget(["clean/2", "v/8"], house.settings, Silent()).neo4j
    left = [row for row in FIRST if "clean/2" not in (row["src"], row["dst"])]
    assert shown(house)[0] == expected(house, {"first": left})[0]
    house.check_deep()


@pytest.mark.long
def test_a_kill_before_neo4j_shows_the_generation_is_made_up_for(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def kill(point: str) -> None:
        if point == "ids finished":
            raise Killed

    before = shown(house)
    with monkeypatch.context() as patch:
        patch.setattr(publish, "reach", kill)
        with pytest.raises(Killed):
            ingest(house, SECOND, "second")
    assert shown(house) == before
    assert check(house.settings, Silent()).damages == ()
    third = [row("clean/3", "sum/3", "total")]
    ingest(house, third, "third")
    assert shown(house) == expected(house, {"first": FIRST, "second": SECOND, "third": third})


@pytest.mark.long
def test_check_finds_modules_that_someone_changed_and_repair_restores_them(house: House) -> None:
    before = shown(house)
    asked(house, "MATCH (m:Module {warehouse: $warehouse, name: 'curate'}) DETACH DELETE m")
    damages = check(house.settings, Silent()).damages
    assert [each.found for each in damages] == [
        "It shows 1 modules wrongly, or lacks them; no answer depends on them"
    ]
    repair(house.settings, Silent())
    assert check(house.settings, Silent()).damages == ()
    assert shown(house) == before


@pytest.mark.long
def test_a_large_warehouse_shows_what_modules_declare(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_graph, "MOST_COUNTED", 3)
    repair(house.settings, Silent())
    nodes, links = shown(house)
    assert ("Module", "curate", None) in nodes
    assert not any(label == "Invocation" for label, *_ in nodes)
    assert {link for link in links if link[2] != "PART_OF"} == {
        ("Module", "curate", "READS", "Table", "raw", None),
        ("Table", "clean", "MADE_BY", "Module", "curate", None),
    }


@pytest.mark.long
def test_most_invocations_and_sets_have_no_nodes_or_links(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOST_INVOCATIONS", "MOST_SETS", "MOST_TABLES"):
        monkeypatch.setattr(module_graph, name, 1)
    repair(house.settings, Silent())
    nodes, links = shown(house)
    assert not any(label == "Invocation" for label, *_ in nodes)
    for kind in (("Set", "MADE_BY"), ("Table", "MADE_BY")):
        modules = [link[4] for link in links if (link[0], link[2]) == kind]
        assert sorted(modules) == ["check", "curate", "report"]


def test_a_warehouse_without_modules_shows_none(houses: Houses) -> None:
    house = houses()
    house.ingest([Triple("a", "b", "op", "t", "u")])
    assert shown(house) == (set(), set())


@pytest.mark.long
def test_a_commit_writes_only_the_modules_that_it_changed(houses: Houses) -> None:
    """Many modules use the same three tables, so each module also reads the others' items."""
    house, many = houses(), 264
    tables = ["x", "y", "z"]
    rows = [
        row(f"{src}/{number}", f"{dst}/{number}", "run", f"m{number:03}")
        for number in range(many)
        for src, dst in zip(tables, (*tables[1:], tables[0]), strict=True)
    ]
    ingest(house, rows, "first")
    first = shown(house)
    links = Counter((kind, label) for label, _, kind, *_ in first[1])
    assert links["DERIVES_FROM", "Module"] == many * module_graph.MOST_MAKERS
    assert links["READS", "Module"] == links["MADE_BY", "Table"] == 3 * many
    asked(house, "MATCH ({warehouse: $warehouse})-[r]->() SET r.old = true")
    ingest(house, [row("x/0", "y/1", "run", "m001"), row("y/1", "w/1", "run", "new")], "second")
    written = asked(house, NEW_LINKS)
    assert {name for name, _ in written} == {"m001", "new"}
    assert sum(count for _, count in written) < 2 * (module_graph.MOST_MAKERS + 10)
    assert ("Module", "m001", 4) in shown(house)[0]
    second = shown(house)
    repair(house.settings, Silent())
    assert shown(house) == second
    rollback(house.settings, Silent())
    assert shown(house) == first
    house.check_deep()


@pytest.mark.long
def test_what_someone_removed_is_written_again_by_the_next_commit(house: House) -> None:
    asked(house, "MATCH (m:Module {warehouse: $warehouse, name: 'curate'}) DETACH DELETE m")
    asked(house, "MATCH ({warehouse: $warehouse})-[r:READS]->(:Table {name: 'clean'}) DELETE r")
    asked(house, "MATCH (w:Workflow {warehouse: $warehouse}) DETACH DELETE w")
    asked(house, "MATCH (i:Invocation {warehouse: $warehouse, number: 1}) DETACH DELETE i")
    ingest(house, SECOND, "second")
    assert shown(house) == expected(house, {"first": FIRST, "second": SECOND})
