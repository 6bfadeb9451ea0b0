"""A Neo4j server that provhouse does not run: two warehouses share a database with foreign data.

The server that all tests share stands in for this server. No test here starts or stops it.
"""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, LiteralString

import pytest
from neo4j import Driver, GraphDatabase
from typer.testing import CliRunner

from helpers.graphs import graph
from helpers.oracle import Expected, Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.prune import prune
from provhouse.care.repair import repair
from provhouse.care.retract import Retracting, retract
from provhouse.care.rollback import rollback
from provhouse.cli.app import app
from provhouse.cypher import external
from provhouse.cypher.access import running
from provhouse.cypher.address import Address
from provhouse.cypher.graph import Graph, shared_graph
from provhouse.model.errors import ProvhouseError, Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.model.question import Question
from provhouse.model.settings import Settings
from provhouse.query.exporting.browser_view import write_view
from provhouse.query.listing.status import status

TRIPLES = [*graph(11).triples, *graph(12).triples]
SECRET = "Case 4711 of Jane Doe"
FOREIGN: LiteralString = """
CREATE (a:Item {foreign: 1, name: 'a', view: 'v', expires: '2000'})-[:DERIVES]->(:Item {foreign: 2})
CREATE (:Table {foreign: 3, warehouse: 'Hamburg', name: 'orders'})
CREATE (:Set {foreign: 4, id: 1})-[:DEPENDS_ON]->(:Set {foreign: 5, id: 2, warehouse: 7})
CREATE (:Load {foreign: 6, commit: 'c'})-[:PART_OF]->(a)
CREATE (:Generation {foreign: 7, number: 1, current: true}), (:Component {foreign: 8, id: 1})
"""
NODES: LiteralString = """
MATCH (n) WHERE CASE $warehouse WHEN '' THEN n.foreign > 0 ELSE n.warehouse = $warehouse END
RETURN labels(n) AS labels, properties(n) AS properties,
       [(n)-[r]->(m) | [type(r), properties(r), labels(m), properties(m)]] AS relationships
"""


@pytest.fixture(scope="module")
def driver(address: Address) -> Iterator[Driver]:
    """An administrator's driver. The database also contains nodes of another program."""
    with GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as opened:
        opened.execute_query(FOREIGN)
        yield opened
        opened.execute_query("MATCH (n) WHERE n.foreign > 0 DETACH DELETE n")


def dump(driver: Driver, warehouse: str = "") -> list[str]:
    """Return all nodes of a warehouse with their relationships.

    Without a warehouse, return the nodes of the other program.
    """
    found = driver.execute_query(NODES, warehouse=warehouse).records
    return sorted(repr((row["labels"], sorted(row["properties"].items()),
                        sorted(map(repr, row["relationships"])))) for row in found)  # fmt: skip


@pytest.fixture(scope="module")
def theirs(address: Address) -> dict[str, Any]:
    """The settings of a warehouse on this server."""
    return {
        "neo4j_home": None,
        "neo4j_uri": address.bolt,
        "neo4j_password_file": address.password_file,
    }


def answers(house: House, items: set[str]) -> list[Expected]:
    """Return the lineage and the impact of each item, in the order of the items' names."""
    with house.asker() as asker:
        return [
            content(asker.ask(item, direction))
            for item in sorted(items)
            for direction in ("upstream", "downstream")
        ]


@pytest.mark.long
def test_answers_equal_those_with_a_managed_server_and_foreign_data_stays(
    houses: Callable[..., House], driver: Driver, theirs: dict[str, Any]
) -> None:
    options = {"theta": 5, "pack": 0, "partition_triples": 10}
    house, other, managed = (houses(**options, **each) for each in (theirs, theirs, {}))
    before = dump(driver)
    other.ingest(TRIPLES[:20])
    beside = dump(driver, other.layout.warehouse_id())
    gone = TRIPLES[-1].dst
    secret = [Triple(gone, "p", SECRET), Triple(gone, "q", SECRET)]
    managed.ingest([*TRIPLES, *secret])
    house.ingest(TRIPLES[:20])
    house.ingest([*TRIPLES[20:], *secret])
    asked = {"p", gone, *(triple.dst for triple in TRIPLES[::9])}
    assert answers(house, asked) == answers(managed, asked)
    assert any(SECRET in node for node in dump(driver, house.layout.warehouse_id()))

    with house.asker() as asker:
        assert write_view(asker, Question("p", "upstream", sets=True)).url == ""
    assert forget([gone], house.settings, Silent()).neo4j
    left = dump(driver, house.layout.warehouse_id())
    assert left
    assert not any(SECRET in node or "'Item'" in node for node in left)
    oracle = Oracle.of([*TRIPLES, *secret])
    kept = sorted(asked - {gone})
    expected = [
        oracle.ask(item, direction).without([gone]).items
        for item in kept
        for direction in ("upstream", "downstream")
    ]
    assert [found.items for found in answers(house, {*kept})] == expected
    assert dump(driver) == before
    assert dump(driver, other.layout.warehouse_id()) == beside
    assert status(house.settings).neo4j == theirs["neo4j_uri"]


@pytest.mark.long
def test_every_change_works_in_a_server_of_theirs(
    houses: Callable[..., House], driver: Driver, theirs: dict[str, Any]
) -> None:
    house = houses(theta=5, pack=0, partition_triples=10, **theirs)
    before = dump(driver)
    house.ingest(TRIPLES[:20])
    house.ingest(TRIPLES[20:])
    retract(Retracting(items=[TRIPLES[0].src]), house.settings, Silent())
    house.bare = True
    compact(house.settings, Silent())
    house.ingest([Triple("x", "y")])
    rollback(house.settings, Silent())
    prune(house.settings, Silent(), keep=2)
    house.check_deep()
    left = [triple for triple in TRIPLES if TRIPLES[0].src not in triple[:2]]
    oracle, asked = Oracle.of(left), {left[0].dst, left[-1].dst}
    assert [found.items for found in answers(house, asked)] == [
        oracle.ask(item, direction).items
        for item in sorted(asked)
        for direction in ("upstream", "downstream")
    ]
    identity = house.layout.identity.read_text()
    house.layout.identity.unlink()
    repair(house.settings, Silent())
    assert house.layout.identity.read_text() == identity
    assert dump(driver) == before


def test_a_server_that_cannot_be_used_is_reported_without_its_password(
    theirs: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = tmp_path / "password"
    password.write_text("not the password\n")
    usable = Settings(warehouse=tmp_path / "w", **theirs)

    def error(**changes: Any) -> str:
        with (
            pytest.raises(ProvhouseError) as caught,
            shared_graph("w", replace(usable, **changes), Silent()),
        ):
            pass
        assert caught.type in (Unavailable, UsageError)
        assert "not the password" not in f"{caught.value} {caught.value.__cause__}"
        assert usable.neo4j_password_file
        assert usable.neo4j_password_file.read_text().strip() not in str(caught.value)
        return str(caught.value)

    assert "refuses the user 'neo4j'" in error(neo4j_password_file=password)
    assert "refuses the user 'stranger'" in error(neo4j_user="stranger")
    assert "needs a user and a password" in error(neo4j_password_file=None)
    assert "Cannot read Neo4j's password" in error(neo4j_password_file=tmp_path / "none")
    assert "no usable database 'none'" in error(neo4j_database="none")
    assert "does not answer" in error(neo4j_uri="bolt://127.0.0.1:1")
    assert "does not answer" in error(neo4j_uri="bolt://no-such-host.invalid")
    assert "is not the address" in error(neo4j_uri="http://127.0.0.1:7474")
    assert "more than the address" in error(neo4j_uri="bolt://neo4j:not the password@host")
    monkeypatch.setattr(external, "OLDEST", (9999, 1))
    assert "It is Neo4j/5." in error()
    assert running(usable) is None


@pytest.mark.long
def test_doctor_prints_the_constraints_that_are_missing_and_cannot_be_created(
    driver: Driver, theirs: dict[str, Any], tmp_path: Path
) -> None:
    """An index on the same properties blocks the constraint on Set; its name is in use, too."""
    where = [f"neo4j_uri={theirs['neo4j_uri']}"]
    where.append(f"neo4j_password_file={theirs['neo4j_password_file']}")
    given = [part for each in where for part in ("--set", each)]

    def doctor() -> tuple[int, str]:
        done = CliRunner().invoke(app, ["--warehouse", str(tmp_path / "w"), *given, "doctor"])
        return done.exit_code, done.stdout

    status, printed = doctor()
    assert "all constraints exist" in " ".join(printed.split()), (status, printed)
    driver.execute_query("DROP CONSTRAINT set_key")
    assert "creates 1 constraint" in " ".join(doctor()[1].split())
    driver.execute_query("CREATE INDEX theirs FOR (s:Set) ON (s.warehouse, s.id)")
    driver.execute_query("CREATE CONSTRAINT set_key FOR (f:Foreign) REQUIRE f.id IS UNIQUE")
    statement = (
        "CREATE CONSTRAINT provhouse_set_key IF NOT EXISTS "
        "FOR (s:Set) REQUIRE (s.warehouse, s.id) IS UNIQUE"
    )
    settings = Settings(warehouse=tmp_path / "w", **theirs)
    try:
        status, printed = doctor()
        assert status == 5
        assert f"{statement};\n" in printed
        with (
            shared_graph(secrets.token_hex(8), settings, Silent()) as opened,
            pytest.raises(Unavailable, match="lacks constraints"),
        ):
            opened.prepare()
        driver.execute_query("DROP INDEX theirs")
        driver.execute_query("DROP CONSTRAINT set_key")
    finally:
        driver.execute_query("DROP INDEX theirs IF EXISTS")
        driver.execute_query("DROP CONSTRAINT set_key IF EXISTS")
        with shared_graph(secrets.token_hex(8), settings, Silent()) as opened:
            opened.prepare()


def test_a_foreign_constraint_that_refuses_nodes_is_reported(
    driver: Driver, theirs: dict[str, Any], tmp_path: Path
) -> None:
    driver.execute_query("MATCH (i:Item) DETACH DELETE i")  # views of other tests
    driver.execute_query("CREATE CONSTRAINT theirs FOR (i:Item) REQUIRE i.depth IS UNIQUE")
    settings = Settings(warehouse=tmp_path / "w", **theirs)
    try:
        with shared_graph(secrets.token_hex(8), settings, Silent()) as opened:
            rows: list[dict[str, object]] = [{"key": key, "depth": 7, "sets": []} for key in (1, 2)]
            with pytest.raises(Unavailable, match="that nodes of provhouse violate"):
                opened.write_view("view", "9999", rows, [])
    finally:
        driver.execute_query("DROP CONSTRAINT theirs")


def test_down_leaves_the_server_alone(
    address: Address, theirs: dict[str, Any], tmp_path: Path
) -> None:
    given = ["--warehouse", str(tmp_path), "--set", f"neo4j_uri={theirs['neo4j_uri']}", "down"]
    assert "was not started by provhouse" in CliRunner().invoke(app, given).stdout
    with Graph(address, "w") as opened:
        assert opened.answers()
