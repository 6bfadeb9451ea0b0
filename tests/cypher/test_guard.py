"""A user's Cypher reads, and nothing else."""

import json
from typing import Any

import pytest

from provhouse.cypher.graph import Graph
from provhouse.model.errors import UsageError

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
    "RETURN 1; CREATE (:X)",
    "",
]


@pytest.mark.parametrize("query", REFUSED)
def test_refused(graph: Graph, query: str) -> None:
    with pytest.raises(UsageError) as caught:
        graph.read(query, {})
    assert caught.value.found


def test_nothing_refused_was_done(graph: Graph) -> None:
    """Even the parts before what is refused."""
    for query in REFUSED:
        with pytest.raises(UsageError):
            graph.read(query, {})
    assert graph.read("MATCH (n) WHERE n:X OR n.x = 1 OR n.y = 1 RETURN count(n)", {}).rows == [
        (0,)
    ]
    names = [row[0] for row in graph.read("SHOW CONSTRAINTS YIELD name RETURN name", {}).rows]
    assert "set_key" in names


def test_explained_is_not_run(graph: Graph) -> None:
    """EXPLAIN before a query that only reads is harmless and says nothing."""
    assert graph.read("EXPLAIN MATCH (n) RETURN n", {}).rows == []


def test_a_mistake_is_told_where_it_is(graph: Graph) -> None:
    """In the user's own lines and columns."""
    with pytest.raises(UsageError) as caught:
        graph.read("MATCH (n:Set)\nRETURN n.id +", {})
    assert "line 2, column" in caught.value.found
    assert "EXPLAIN" not in caught.value.found.partition("expected")[0]


def test_a_missing_parameter_is_told(graph: Graph) -> None:
    with pytest.raises(UsageError, match="missing_one"):
        graph.read("RETURN $missing_one", {})


def test_values_become_plain(graph: Graph) -> None:
    """Whatever a query returns can be written as JSON."""
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
    assert row["d"]["properties"] == {"triples": 3, "ops": ["o"]}
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
