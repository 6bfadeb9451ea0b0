"""Sets and dependencies are written to a real Neo4j and walked. Each test has its own warehouse."""

import secrets
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import neo4j
import networkx as nx
import pyarrow as pa
import pytest

from helpers.sampled import one_in
from provhouse.cypher import graph as module
from provhouse.cypher.address import Address
from provhouse.cypher.graph import Graph
from provhouse.cypher.operators import name_of
from provhouse.cypher.texts import statement
from provhouse.model.arrays import SetId
from provhouse.model.errors import Unavailable

FOLDER = Path(__file__).parents[2] / "cypher" / "statements"
Direction = Literal["upstream", "downstream"]
STATEMENTS = sorted(path.stem for path in FOLDER.glob("*.cypher") if path.stem != "constraints")
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")


def depend(graph: Graph, pairs: Iterable[tuple[int, int]]) -> int:
    """Write a dependency of the first set on the second, for each pair of sets."""
    return graph.write(
        "dependencies",
        ({"set": a, "derives_from": b, "triples": 1, "ops": ["op"]} for a, b in pairs),
    )


def closure(graph: Graph, first: int, direction: Direction) -> list[SetId]:
    return graph.closure(SetId(first), direction)


def ladder(diamonds: int) -> Iterable[tuple[int, int]]:
    """Yield dependencies that form 2 ** diamonds paths over 3 * diamonds + 1 sets."""
    for top in range(0, 3 * diamonds, 3):
        yield from ((top, top + 1), (top, top + 2), (top + 1, top + 3), (top + 2, top + 3))


def plan(address: Address, name: str) -> dict[str, Any]:
    """Return Neo4j's plan for the statement called ``name``."""
    with neo4j.GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver:
        summary = driver.execute_query(
            "EXPLAIN " + statement(name), id=0, warehouse="w", database_="neo4j"
        ).summary
    return summary.plan or {}


def operators(plan: dict[str, Any]) -> list[str]:
    """Return the names of all operators in a plan, without the @ and the database after it."""
    below = [name for child in plan.get("children", []) for name in operators(child)]
    return [plan["operatorType"].partition("@")[0], *below]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.usefixtures("graph")
def test_closure_visits_each_set_once_and_finds_the_first_by_its_key(
    address: Address, direction: Direction
) -> None:
    found = operators(plan(address, direction))
    assert "VarLengthExpand(Pruning,BFS,All)" in found
    assert "NodeUniqueIndexSeek" in found


@pytest.mark.parametrize("name", one_in(6, STATEMENTS))
@pytest.mark.usefixtures("graph")
def test_no_statement_reads_nodes_by_their_label_alone(address: Address, name: str) -> None:
    """Otherwise, the statement would read the nodes of other programs in the same database."""
    with neo4j.GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver:
        found = driver.execute_query("EXPLAIN " + statement(name), database_="neo4j")
    used = {name_of(operator) for operator in operators(found.summary.plan or {})}
    assert not used & {"NodeByLabelScan", "AllNodesScan"}, used
    assert used & {"NodeUniqueIndexSeek", "NodeIndexSeek", "NodeIndexScan", "Create", "Merge"}


def test_closure_follows_sets_and_not_paths(graph: Graph) -> None:
    """The closure visits each set once. To follow each of the 2 ** 40 paths would take forever."""
    depend(graph, ladder(40))
    everything = list(range(121))
    assert sorted(closure(graph, 0, "upstream")) == everything
    assert sorted(closure(graph, 120, "downstream")) == everything
    assert closure(graph, 120, "upstream") == [120]


def test_closure_of_many_paths_takes_less_than_a_second(graph: Graph, address: Address) -> None:
    """The limit is Neo4j's own timeout, because a busy test machine affects it least."""
    depend(graph, ladder(40))
    query = neo4j.Query(statement("upstream"), timeout=1)
    with (
        neo4j.GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver,
        driver.session(database="neo4j") as session,
    ):
        result = session.run(query, id=0, warehouse=graph.warehouse)
        assert len(result.value()[0]) == 121


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 5))]
)
def test_closure_equals_networkx(graph: Graph, seed: int) -> None:
    """Closures in graphs with cycles, self-loops and isolated sets equal those of networkx."""
    expected = nx.gnp_random_graph(60, 0.03, seed=seed, directed=True)
    expected.add_edges_from((n, n) for n in range(0, 60, 17))
    graph.write("sets", ({"id": n, "component": 0, "items": 1, "triples": 1, "tables": []}
                         for n in expected))  # fmt: skip
    depend(graph, expected.edges)
    for n in expected:
        assert set(closure(graph, n, "upstream")) == {n} | nx.descendants(expected, n)
        assert set(closure(graph, n, "downstream")) == {n} | nx.ancestors(expected, n)


def test_closure_of_a_set_without_a_node_is_empty(graph: Graph) -> None:
    assert closure(graph, 7, "upstream") == []


def test_warehouses_with_the_same_ids_do_not_see_each_other(graph: Graph, address: Address) -> None:
    depend(graph, [(1, 2)])
    with Graph(address, secrets.token_hex(8)) as other:
        depend(other, [(2, 3), (1, 3)])
        other.write_load("c")
        assert sorted(closure(other, 1, "upstream")) == [1, 3]
    assert sorted(closure(graph, 1, "upstream")) == [1, 2]
    assert closure(graph, 3, "downstream") == []
    assert not graph.has_load("c")


@pytest.mark.long
def test_writing_twice_adds_nothing(graph: Graph) -> None:
    """An interrupted commit can be repeated: writing all rows again adds no duplicates."""
    count = """
        MATCH (n {warehouse: $warehouse}) OPTIONAL MATCH (n)-[r]->()
        RETURN count(r), count(DISTINCT n)"""
    writes: list[tuple[str, dict[str, object]]] = [
        ("sets", {"id": 1, "component": 1, "items": 2, "triples": 3, "tables": ["t"]}),
        ("dependencies", {"set": 1, "derives_from": 2, "triples": 3, "ops": ["o"]}),
        ("components", {"id": 1, "items": 2, "triples": 3, "sets": 4}),
        ("components", {"id": 2, "items": 2, "triples": 3, "sets": 4}),
        ("part_of", {"set": 1, "component": 1}),
        ("merges", {"component": 2, "into": 1}),
        ("tables", {"name": "t", "items": 2}),
        ("derives_from", {"table": "t", "derives_from": "u", "triples": 3, "ops": ["o"]}),
    ]
    generation = {"number": 1, "time": "2026-01-01T00:00:00Z", "triples": 3, "items": 2}
    results = []
    for _ in range(2):
        for name, row in writes:
            assert graph.write(name, [row]) == 1
        graph.announce(generation, {})
        graph.write_load("commit")
        results.append(graph.read(count, {}).rows)
    assert results == [[(4, 8)]] * 2
    assert graph.has_load("commit")


def test_a_commit_is_written_whole_or_not_at_all(graph: Graph) -> None:
    sets = {"id": [1], "component": [1], "items": [2], "triples": [3], "tables": [["t"]]}
    parts = [
        ("sets", pa.table(sets)),
        (
            "dependencies",
            pa.table({"set": [1], "derives_from": [2], "triples": [3], "ops": [["o"]]}),
        ),
    ]
    wrong = ("part_of", pa.table({"set": [1], "component": pa.nulls(1, pa.int64())}))
    with pytest.raises(neo4j.exceptions.Neo4jError):
        graph.write_commit([*parts, wrong], "c")
    assert (closure(graph, 1, "upstream"), graph.has_load("c")) == ([], False)
    graph.write_commit(parts, "c")
    assert sorted(closure(graph, 1, "upstream")) == [1, 2]
    assert graph.has_load("c")


def test_a_merge_makes_no_node_for_a_component_without_one(graph: Graph) -> None:
    graph.write("components", [{"id": 2, "items": 2, "triples": 3, "sets": 4}])
    graph.write("merges", [{"component": one, "into": 1} for one in (2, 3)])
    query = "MATCH (c:Component {warehouse: $warehouse}) RETURN c.id AS id ORDER BY id"
    assert graph.read(query, {}).rows == [(1,), (2,)]
    into = "MATCH (c:Component {warehouse: $warehouse})-[:MERGED_INTO]->(d) RETURN c.id, d.id"
    assert graph.read(into, {}).rows == [(2, 1)]


def test_only_one_generation_is_current(graph: Graph) -> None:
    for number in (1, 2):
        row = {"number": number, "time": "2026-01-01T00:00:00Z", "triples": number, "items": 1}
        graph.announce(row, {})
    query = "MATCH (g:Generation {warehouse: $warehouse}) RETURN g.number, g.current ORDER BY 1"
    assert graph.read(query.replace("ORDER BY 1", "ORDER BY g.number"), {}).rows == [
        (1, False),
        (2, True),
    ]


def test_more_rows_than_a_batch_are_written_from_a_generator(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 100)
    rows = ({"id": n, "component": 0, "items": 1, "triples": 1, "tables": []} for n in range(201))
    batches: list[int] = []
    assert graph.write("sets", rows, batches.append) == 201
    assert batches == [100, 100, 1]
    count = graph.read("MATCH (s:Set {warehouse: $warehouse}) RETURN count(s)", {})
    assert count.rows == [(201,)]


def test_a_wrong_password_is_reported(address: Address) -> None:
    wrong = Address(address.bolt, address.http, address.user, "wrong", address.password_file)
    with Graph(wrong, "w") as graph, pytest.raises(Unavailable) as caught:
        graph.prepare()
    assert str(address.password_file) in str(caught.value)
    assert "wrong" not in repr(wrong)


def test_a_server_that_is_down_is_reported(address: Address) -> None:
    gone = Address("bolt://127.0.0.1:1", address.http, address.user, "", address.password_file)
    with Graph(gone, "w") as graph, pytest.raises(Unavailable, match="does not answer"):
        closure(graph, 1, "upstream")


BOTH = (
    "MATCH (a:Locked {{name: '{first}', warehouse: $warehouse}}) SET a.n = a.n + 1 WITH a "
    "MATCH (b:Locked {{name: '{second}', warehouse: $warehouse}}) SET b.n = b.n + 1 RETURN b.n"
)


BLOCKED = """
SHOW TRANSACTIONS YIELD status, currentQuery
WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS 'Locked' RETURN status
"""


def test_a_statement_that_neo4j_ended_in_a_deadlock_is_repeated(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two transactions lock two nodes in opposite orders. The driver itself repeats neither."""
    monkeypatch.setattr("provhouse.cypher.driver.RETRY_SECONDS", {True: 0, False: 0})
    address, found = graph.address, list[Any]()
    lock = "MATCH (x:Locked {name: $name, warehouse: $warehouse}) SET x.n = x.n + 1"
    with (
        Graph(address, graph.warehouse) as other,
        neo4j.GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver,
        driver.session(database="neo4j") as session,
    ):
        here = {"warehouse": other.warehouse}
        create = (
            "UNWIND ['a', 'b'] AS name CREATE (:Locked {name: name, warehouse: $warehouse, n: 0})"
        )
        session.run(create, here).consume()
        older = session.begin_transaction()
        older.run(lock, here, name="b").consume()
        text = BOTH.format(first="a", second="b")
        younger = threading.Thread(target=lambda: found.append(other._run(text)))
        younger.start()
        # the older transaction has locked a, and waits for b
        while not driver.execute_query(BLOCKED).records:
            time.sleep(0.01)
        older.run(lock, here, name="a").consume()  # of two transactions, Neo4j ends the younger
        older.commit()
        younger.join(30)
        left = session.run("MATCH (x:Locked {warehouse: $warehouse}) RETURN x.n", here).value()
        session.run("MATCH (x:Locked {warehouse: $warehouse}) DELETE x", here).consume()
    assert found == [[2]]
    assert left == [2, 2]
