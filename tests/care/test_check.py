"""Every kind of damage is found and named, and repaired if the tables contain the data to do so."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from neo4j import GraphDatabase

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.sampled import one_in
from helpers.warehouse import House, content
from provhouse.care.check import check
from provhouse.care.compact import compact
from provhouse.care.damage_report import Report
from provhouse.care.repair import repair
from provhouse.care.rollback import rollback
from provhouse.commit.number_files import number_files
from provhouse.model.errors import Damaged, NotFound
from provhouse.model.progress import Silent
from provhouse.query.lineage.ask import Asker
from provhouse.store.tables.registry import FILES, append
from provhouse.store.warehouse.commits import current

Houses = Callable[..., House]


def triples(*seeds: int) -> list[Triple]:
    return [triple for seed in seeds for triple in graph(seed).triples]


@pytest.fixture(scope="module")
def house(houses: Houses) -> House:
    """A warehouse with two bases, made by ingests, a compaction and a rollback."""
    house = houses(theta=5, pack=3, partition_triples=40)
    house.ingest(triples(*range(6)))
    house.ingest(triples(6, 7, 8))
    compact(house.settings, Silent())
    house.ingest(triples(9, 10))
    rollback(house.settings, Silent())
    house.ingest(triples(11, 12))
    number_files(["/data/1", "/data/2"], house.settings, Silent())
    number_files(["/data/3"], house.settings, Silent())
    return house


@pytest.fixture
def copy(house: House, tmp_path: Path) -> House:
    """A copy of the warehouse's folder that tests may damage. It shares the original's Neo4j."""
    shutil.copytree(house.settings.warehouse, tmp_path / "warehouse")
    return House(replace(house.settings, warehouse=tmp_path / "warehouse"), house.session)


def checked(house: House, deep: bool = True) -> Report:
    return check(house.settings, Silent(), deep=deep)


def cypher(house: House, statement: str) -> None:
    address = house.address
    with GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver:
        driver.execute_query(statement, warehouse=house.layout.warehouse_id())


def table(house: House, name: str) -> Path:
    """Return the folder of a table of the current base."""
    commit = current(house.layout)
    assert commit
    return house.layout.table(commit.base, name)


def file(house: House, name: str, pattern: str = "*.parquet") -> Path:
    """Return the first matching file in a table's folder, or in the folder ``names``."""
    return sorted(table(house, name).glob(pattern))[0]


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_bit(path: Path) -> None:
    """Flip one bit of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 4] ^= 1
    path.write_bytes(content)


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


def number(house: House, number: int, path: str) -> None:
    """Append an entry to the table of files: the number ``number`` for ``path``."""
    append(house.layout, FILES, pa.table({"number": [number], "path": [path]}))


def registered(house: House, pattern: str) -> Path:
    """Return the first file of the table of files that matches ``pattern``."""
    return sorted(house.layout.registered("files").glob(pattern))[0]


def last_commit(house: House) -> Path:
    return max(house.layout.commits.glob("*.json"), key=lambda path: int(path.stem))


def last_log(house: House, name: str) -> Path:
    return sorted((table(house, name) / "_delta_log").glob("*.json"))[-1]


DAMAGES: dict[str, tuple[Callable[[House], object], str]] = {
    "a partition is missing": (lambda h: file(h, "triples").unlink(), "table triples"),
    "a partition is truncated": (lambda h: truncate(file(h, "triples")), "table triples"),
    "a bit of a partition is flipped": (
        lambda h: flip_bit(file(h, "triples")), "partition",
    ),
    "a partition is replaced by another": (
        lambda h: shutil.copy(*sorted(table(h, "triples").glob("*.parquet"))[:2]), "table triples",
    ),
    "the sets are truncated": (lambda h: truncate(file(h, "sets")), "table sets"),
    "a bit of the sets is flipped": (lambda h: flip_bit(file(h, "sets")), "tables"),
    "placements are missing": (
        lambda h: file(h, "placements").unlink(), "table placements",
    ),
    "dependencies are missing": (
        lambda h: file(h, "set_dependencies").unlink(), "table set_dependencies",
    ),
    "a log is truncated": (lambda h: truncate(last_log(h, "sets")), "table sets"),
    "a look-up is truncated": (
        lambda h: truncate(file(h, "names", "*.lookup.npy")), "names of ingest",
    ),
    "a bit of a look-up is flipped": (
        lambda h: flip_bit(file(h, "names", "*.lookup.npy")), "names of ingest",
    ),
    "names are missing": (lambda h: file(h, "names", "*.arrow").unlink(), "names of ingest"),
    "names are truncated": (lambda h: truncate(file(h, "names", "*.arrow")), "names of ingest"),
    "the current record is truncated": (lambda h: truncate(last_commit(h)), "commit"),
    "an earlier record is truncated": (lambda h: truncate(h.layout.commits / "1.json"), "commit 1"),
    "a record belongs to another generation": (
        lambda h: shutil.copy(h.layout.commits / "2.json", h.layout.commits / "1.json"), "commit 1",
    ),
    "a record counts more triples": (
        lambda h: rewrite(last_commit(h), lambda r: r["totals"].update(triples=10**6)), "tables",
    ),
    "a record counts other dependencies": (
        lambda h: rewrite(last_commit(h), lambda r: r["totals"].update(set_dependencies=1)),
        "table set_dependencies",
    ),
    "ids are missing": (lambda h: h.layout.ids.unlink(), "ids"),
    "free ids are in use": (
        lambda h: rewrite(h.layout.ids, lambda ids: ids.update(set=1)), "ids",
    ),
    "file numbers are truncated": (
        lambda h: truncate(registered(h, "*.parquet")), "table of files",
    ),
    "file numbers are missing": (
        lambda h: registered(h, "*.parquet").unlink(), "table of files",
    ),
    "file numbers are those of another version": (
        lambda h: shutil.copy(*sorted(h.layout.registered("files").glob("*.parquet"))[:2]),
        "table of files",
    ),
    "the log of file numbers has a gap": (
        lambda h: registered(h, "_delta_log/*0.json").unlink(), "table of files",
    ),
    "the newest entry of file numbers is empty": (
        lambda h: registered(h, "_delta_log/*1.json").write_text(""), "table of files",
    ),
    "two files have one number": (lambda h: number(h, 2, "/data/4"), "table of files"),
    "a file has two numbers": (lambda h: number(h, 4, "/data/1"), "table of files"),
    "an earlier base is missing": (lambda h: shutil.rmtree(h.layout.base(1)), "commit"),
}  # fmt: skip


LONG = {
    "two files have one number", "an earlier base is missing",
    "a partition is truncated", "a partition is replaced by another", "the sets are truncated",
    "placements are missing", "dependencies are missing", "a look-up is truncated",
    "names are missing", "an earlier record is truncated", "a record counts other dependencies",
    "free ids are in use", "file numbers are missing", "a file has two numbers",
    "the newest entry of file numbers is empty",
}  # fmt: skip
"""Damages that resemble other damages: a file is missing or unreadable, or a count is wrong."""


@pytest.mark.parametrize(
    "damage",
    one_in(6, [one for one in DAMAGES if one not in LONG])
    + [pytest.param(one, marks=pytest.mark.long) for one in sorted(LONG)],
)
def test_damage_is_found_and_named(copy: House, damage: str) -> None:
    make, where = DAMAGES[damage]
    make(copy)
    damages = checked(copy).damages
    assert any(one.where.startswith(where) for one in damages), damages
    for one in damages:
        assert one.wanted
        assert one.found
        assert one.remedy


def test_an_undamaged_warehouse_has_no_damages(house: House) -> None:
    report = checked(house)
    assert report.damages == ()
    assert (report.generation, report.deep) == (6, True)
    both = len(set(triples(*range(9)))) + len(set(triples(*range(9), 11, 12)))
    assert report.looked_at["triples"] == both  # the triples of two bases
    assert report.looked_at["names"] == report.looked_at["items"]
    assert report.looked_at["file numbers"] == 3


LOST = {
    "a dependency": """
        MATCH (:Set {warehouse: $warehouse})-[d:DEPENDS_ON]->() WITH d LIMIT 1 DELETE d""",
    "all": "MATCH (n {warehouse: $warehouse}) DETACH DELETE n",
    "the mark of a generation": """
        MATCH (l:Load {warehouse: $warehouse}) WITH l ORDER BY elementId(l) LIMIT 1 DELETE l""",
    "sets": """
        MATCH (s:Set {warehouse: $warehouse})-[:DEPENDS_ON]->() WITH DISTINCT s LIMIT 5
        DETACH DELETE s""",
}


@pytest.mark.long
@pytest.mark.parametrize(
    "lost", [pytest.param(one, marks=[pytest.mark.long] * (one != "all")) for one in LOST]
)
def test_neo4j_is_repaired_from_the_tables(house: House, lost: str) -> None:
    cypher(house, LOST[lost])
    damages = checked(house, deep=False).damages
    assert {one.where for one in damages} == {"Neo4j"}
    # each damage is reported once, however many bases exist
    assert len(set(damages)) == len(damages)
    assert all("provhouse check --repair" in one.remedy for one in damages)
    repair(house.settings, Silent())
    assert checked(house).damages == ()
    house.check()
    assert_answers(house, None, triples(*range(9), 11, 12))
    assert_answers(house, 4, triples(*range(9), 9, 10))
    assert_answers(house, 1, triples(*range(6)))


def assert_answers(house: House, generation: int | None, given: list[Triple]) -> None:
    oracle = Oracle.of(given)
    items = sorted({end for triple in given for end in triple[:2]})
    with Asker(house.settings, Silent(), generation) as asker:
        for item in Random(1).sample(items, 8):
            answer = asker.ask(item, "upstream", "csprov")
            assert content(answer) == oracle.ask(item, "upstream")


@pytest.mark.long
def test_with_an_empty_neo4j_a_question_names_the_remedy(house: House) -> None:
    cypher(house, "MATCH (n {warehouse: $warehouse}) DETACH DELETE n")
    with (
        Asker(house.settings, Silent()) as asker,
        pytest.raises(Damaged, match="provhouse check --repair"),
    ):
        asker.ask(triples(1)[0].dst, "upstream", "csprov")
    repair(house.settings, Silent())


IDENTITIES = {"missing": None, "empty": "", "torn": '{"format": 1, "ware', "without id": "{}"}


@pytest.mark.parametrize(
    "kind", [pytest.param(one, marks=[pytest.mark.long] * (one == "torn")) for one in IDENTITIES]
)
def test_a_damaged_id_is_never_replaced_by_a_read(copy: House, kind: str) -> None:
    identity = copy.layout.identity
    held = identity.read_text()
    identity.unlink()
    left = IDENTITIES[kind]
    if left is not None:
        identity.write_text(left)
    with Asker(copy.settings, Silent()) as asker, pytest.raises(Damaged, match="repair"):
        asker.ask(triples(1)[0].dst, "upstream", "csprov")
    with pytest.raises(Damaged, match="provhouse check --repair"):
        copy.ingest(triples(13))
    damages = checked(copy, deep=False).damages
    assert [one.where for one in damages] == ["identity"]
    assert identity.exists() == (left is not None)
    assert left is None or identity.read_text() == left
    if kind in ("missing", "torn"):  # each repair takes seconds
        repair(copy.settings, Silent())
        assert identity.read_text() == held
        assert checked(copy, deep=False).damages == ()


@pytest.mark.long
def test_a_lost_id_is_replaced_if_neo4j_has_nothing_of_the_warehouse(
    house: House, copy: House
) -> None:
    cypher(house, LOST["all"])
    copy.layout.identity.unlink()
    repair(copy.settings, Silent())
    assert copy.layout.warehouse_id() != house.layout.warehouse_id()
    assert checked(copy, deep=False).damages == ()
    assert_answers(copy, None, triples(*range(9), 11, 12))
    cypher(copy, LOST["all"])
    repair(house.settings, Silent())


def test_an_empty_warehouse_cannot_be_checked_or_repaired(houses: Houses) -> None:
    house = houses()
    for work in (check, repair):
        with pytest.raises(NotFound):
            work(house.settings, Silent())
    assert not house.settings.warehouse.exists()
