"""A user's Cypher can read the data and do nothing else."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from neo4j.exceptions import Neo4jError

from provhouse.cypher import guard
from provhouse.cypher.address import Address
from provhouse.cypher.driver import open_driver
from provhouse.cypher.graph import Graph
from provhouse.model.errors import UsageError

GIVEN = {"address": "http://127.0.0.1/"}

REFUSED = [
    "CREATE (:X)",
    "MATCH (n:Set) SET n.x = 1",
    "MATCH (n) DETACH DELETE n",
    "MERGE (n:Set {warehouse: 'w', id: 1}) RETURN n",
    "CALL { CREATE (:X) } RETURN 1",
    "MATCH (n) CALL { WITH n SET n.y = 1 } IN TRANSACTIONS OF 10 ROWS",
    "FOREACH (x IN [1] | CREATE (:X))",
    "CALL db.createLabel('X')",
    "CREATE INDEX i FOR (n:Set) ON (n.items)",
    "DROP CONSTRAINT set_key",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'bbbbbbbbb'",
    "CREATE USER eve SET PASSWORD 'bbbbbbbbb'",
    "SHOW USERS",
    "SHOW SETTINGS",
    "SHOW TRANSACTIONS",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "CALL dbms.listConfig() YIELD name RETURN name",
    "CALL db.stats.clear('QUERIES')",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "MATCH (n) RETURN COUNT { LOAD CSV FROM 'http://127.0.0.1/' AS l RETURN l }",
    "PROFILE CREATE (:X)",
    "PROFILE MATCH (n) RETURN n",
    "EXPLAIN CREATE (:X)",
    "RETURN 1; CREATE (:X)",
    "RETURN 1; RETURN 2",
    "",
    "// MATCH (n) RETURN n",
    "CYPHER runtime=slotted CREATE (:X)",
    "CYPHER planner=idp runtime=interpreted LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "/* RETURN 1 */ CREATE (:X) // RETURN 1",
    "MATCH (n) RETURN n // a comment that ends\\u000aSHOW SETTINGS",
    "C\\u0052EATE (:X)",
    "L\\u004fAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "LOAD CSV FROM $address AS line RETURN line",
    "LOAD CSV FROM 'ftp://127.0.0.1/x' AS l RETURN l",
    "CALL { LOAD CSV FROM $address AS l RETURN l } RETURN l",
    "RETURN COLLECT { LOAD CSV FROM $address AS l RETURN l }",
    "MATCH (n) WHERE EXISTS { LOAD CSV FROM $address AS l RETURN l } RETURN n",
    "UNWIND [1] AS x CALL { WITH x RETURN x AS y } IN TRANSACTIONS RETURN y",
    "SHOW SETTINGS YIELD name WHERE name CONTAINS 'auth' RETURN name",
    "SHOW TRANSACTIONS YIELD transactionId AS t TERMINATE TRANSACTIONS t YIELD message RETURN t",
    "SHOW DATABASES",
    "SHOW CURRENT USER",
    "SHOW PRIVILEGES",
    "SHOW FUNCTIONS",
    "SHOW PROCEDURES",
    "CREATE DATABASE x",
    "DROP DATABASE neo4j",
    "STOP DATABASE neo4j",
    "USE system SHOW USERS",
    "USE system RETURN 1",
    "CALL dbms.listConnections()",
    "CALL dbms.killConnection('bolt-1')",
    "CALL dbms.queryJmx('*:*')",
    "CALL dbms.security.listUsers()",
    "CALL dbms.setConfigValue('dbms.security.auth_enabled', 'false')",
    "CALL db.clearQueryCaches()",
    "CALL db.labels() YIELD label CALL dbms.info() YIELD name RETURN name",
    "CALL `db`.`stats`.`collect`('QUERIES')",
    "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()",
    "CALL db.awaitIndexes(300)",
    "CALL apoc.load.json('http://127.0.0.1/')",
    "RETURN apoc.util.sleep(1)",
    "MATCH (n) REMOVE n.id",
    "MATCH (n) SET n:X",
    "MATCH (a:Set), (b:Set) CREATE (a)-[:X]->(b)",
    "CREATE CONSTRAINT c FOR (n:X) REQUIRE n.x IS UNIQUE",
    "CREATE FULLTEXT INDEX f FOR (n:Set) ON EACH [n.id]",
]

READS = [
    "EXPLAIN MATCH (n) RETURN n",
    "CYPHER runtime=slotted MATCH (n) RETURN count(n)",
    "/* CREATE */ MATCH (n) RETURN n LIMIT 1 // DELETE",
    "RETURN 'LOAD CSV FROM', 'SHOW SETTINGS' AS `TERMINATE`",
    "USE neo4j MATCH (n:Set) RETURN n",
    "MATCH (n:Set {warehouse: 'w', id: 1}) RETURN n",
    "MATCH (n:Set) WHERE n.warehouse = 'w' AND n.id IN [1, 2] RETURN n",
    "MATCH (n:Set) WHERE n.warehouse = 'w' AND n.id > 2 RETURN n ORDER BY n.id LIMIT 3",
    "MATCH (t:Table) WHERE t.warehouse = 'w' AND t.name STARTS WITH 'a' RETURN t",
    "MATCH (n:Set|Table) RETURN n UNION MATCH (n:Set&!Table) RETURN n",
    "MATCH (n) WHERE elementId(n) = '4:x:1' OR id(n) = 2 RETURN n",
    "MATCH ()-[r]->() WHERE elementId(r) = '5:x:1' RETURN r",
    "MATCH ()-[r:DEPENDS_ON|PART_OF]-() RETURN r SKIP 1 LIMIT 2",
    "MATCH (a:Set)-[:DEPENDS_ON*1..3]->(b) RETURN DISTINCT b",
    "MATCH p = shortestPath((a:Set {id: 1})-[*]-(b:Set {id: 2})) RETURN p",
    "MATCH p = ANY SHORTEST (a:Set)-[:DEPENDS_ON]->+(b:Set) RETURN length(p)",
    "MATCH (a:Set) ((x)-[:DEPENDS_ON]->(y) WHERE x.items > y.items){2,4} (b) RETURN a",
    "MATCH (a)-->(b)-->(c) WHERE NOT (a)-->(c) RETURN a, c",
    "MATCH (a) WHERE EXISTS { (a)-->(m) WHERE m.x > 1 } OR a.y = 1 RETURN a",
    "MATCH (n) OPTIONAL MATCH (n)-->(m:Table) RETURN n, collect(m)[0..3], max(m.items)",
    "MATCH (n) RETURN COUNT { (n)-->(:Set) }, [(n)-->(m) | m.id], COLLECT { MATCH (n) RETURN 1 }",
    "MATCH (a:Set), (b:Set) WHERE a.items = b.items RETURN count(*)",
    "UNWIND [3, 1] AS x WITH x ORDER BY x RETURN DISTINCT x",
    "MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN m LIMIT 1 } RETURN n, m",
    "MATCH ()-[r:DEPENDS_ON]->() RETURN count(r)",
    "MATCH (n) FINISH",
    "SHOW INDEXES YIELD name WHERE name <> '' RETURN name",
    "CALL db.labels() YIELD label RETURN label",
    "CALL `db`.`propertyKeys`()",
    "CALL db.schema.visualization()",
]


@pytest.mark.long
def test_queries_that_read_are_allowed(graph: Graph) -> None:
    for query in READS:
        graph.read(query, {})


def test_an_unknown_operator_is_refused() -> None:
    """The guard refuses unknown operators, because a later Neo4j may introduce new ones."""
    with pytest.raises(UsageError, match="Novelty"):
        guard._check_operator({"operatorType": "Novelty(All)@neo4j"})


def test_the_server_itself_reads_no_urls_and_no_files(address: Address, tmp_path: Path) -> None:
    """Neo4j itself refuses URLs and files, since the guard does not see Neo4j Browser's queries."""
    (tmp_path / "x.csv").write_text("a,b\n")
    with socket.socket() as listening, open_driver(address) as driver:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.settimeout(0.2)
        port = listening.getsockname()[1]
        hosts = ("127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]")
        web = [
            f"{kind}://{host}:{port}/x.csv" for kind in ("http", "https", "ftp") for host in hosts
        ]
        for source in (*web, f"file://{tmp_path}/x.csv", "file:///../../etc/passwd"):
            with pytest.raises(Neo4jError):
                driver.execute_query("LOAD CSV FROM $source AS line RETURN line", source=source)
        with pytest.raises(TimeoutError):
            listening.accept()


def test_only_the_functions_of_neo4j_itself_are_installed(address: Address) -> None:
    """Neo4j has only its own functions.

    The guard allows all of them, because they can access nothing but the data.
    """
    with open_driver(address) as driver:
        own = driver.execute_query("SHOW USER DEFINED FUNCTIONS").records
        names = {row["name"] for row in driver.execute_query("SHOW FUNCTIONS").records}
    assert own == []
    assert not {name for name in names if name.startswith(("apoc", "gds", "genai", "dbms"))}


def test_queries_that_do_more_than_read_are_refused_and_have_no_effect(graph: Graph) -> None:
    allowed = [query for query in REFUSED if _is_allowed(graph, query)]
    assert allowed == []
    assert graph.read("MATCH (n) WHERE n:X OR n.x = 1 OR n.y = 1 RETURN count(n)", {}).rows == [
        (0,)
    ]
    names = [row[0] for row in graph.read("SHOW CONSTRAINTS YIELD name RETURN name", {}).rows]
    assert "set_key" in names


def _is_allowed(graph: Graph, query: str) -> bool:
    try:
        graph.read(query, GIVEN)
    except UsageError:
        return False
    return True


def test_explain_before_a_query_returns_nothing(graph: Graph) -> None:
    assert graph.read("EXPLAIN MATCH (n) RETURN n", {}).rows == []


def test_a_syntax_error_has_the_line_and_column_of_the_users_query(graph: Graph) -> None:
    with pytest.raises(UsageError) as caught:
        graph.read("MATCH (n:Set)\nRETURN n.id +", {})
    assert "line 2, column" in caught.value.found
    assert "EXPLAIN" not in caught.value.found.partition("expected")[0]


def test_a_missing_parameter_is_reported(graph: Graph) -> None:
    with pytest.raises(UsageError, match="missing_one"):
        graph.read("RETURN $missing_one", {})


def test_every_value_can_be_written_as_json(graph: Graph) -> None:
    graph.write("dependencies", [{"set": 1, "derives_from": 2, "triples": 3, "ops": ["o"]}])
    result = graph.read(
        "MATCH p = (a:Set {warehouse: $warehouse})-[d:DEPENDS_ON]->() RETURN a, d, p, "
        "date('2013-02-03') AS day, duration('P1D') AS long, point({x: 1, y: 2}) AS at, "
        "0.0 / 0 AS nan, [1, null, true, 'ü'] AS list, {k: [date('2013-02-03')]} AS map, "
        "$given AS g",
        {"given": [1, "x"]},
    )
    row: dict[str, Any] = dict(zip(result.columns, result.rows[0], strict=True))
    assert row["a"]["labels"] == ["Set"]
    assert row["a"]["properties"] == {"warehouse": graph.warehouse, "id": 1}
    assert row["d"]["type"] == "DEPENDS_ON"
    assert row["d"]["properties"] == {"triples": 3, "ops": "o"}
    assert row["d"]["start"] == row["a"]["element"]
    assert [node["properties"]["id"] for node in row["p"]["nodes"]] == [1, 2]
    assert row["day"] == "2013-02-03"
    assert row["long"] == "P1D"
    assert row["at"] == {"srid": 7203, "coordinates": [1.0, 2.0]}
    assert row["nan"] == "nan"
    assert row["list"] == [1, None, True, "ü"]
    assert row["map"] == {"k": ["2013-02-03"]}
    assert row["g"] == [1, "x"]
    json.dumps(result.rows, allow_nan=False)
