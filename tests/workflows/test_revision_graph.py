"""Neo4j shows revisions, executions and results, and answers the paper's two questions."""

from pathlib import Path
from typing import Any

from helpers.flow import Flow
from provhouse.cypher.graph import Graph
from provhouse.cypher.guide import queries
from provhouse.workflows.revision_graph import show_revisions

DDL = "create table t(a integer, b integer);"
FIRST = "select a, count(*) as n from t where b > 1 group by a"
SAME = "with q as (select * from t) select a, count(*) as n from q where b > 1 group by a"
OTHER = "select a, count(*) as n from t where b > 2 group by a"


def test_the_browser_answers_both_questions(tmp_path: Path, graph: Graph) -> None:
    flow = Flow(tmp_path, DDL)
    flow.table("t", "select (i % 4)::integer a, (i % 9)::integer b from range(50) t(i)")
    for text in (FIRST, SAME, OTHER):
        flow.execute(flow.add(text), text, "t")
    for _ in range(2):  # the second time replaces the nodes of the first
        show_revisions(graph, flow.layout)
    made, done = (each.text for each in queries(graph.warehouse)[-2:])
    rows: list[Any] = graph.read(made, {}).rows
    revisions = {row[4]["properties"]["name"]: row[0]["properties"]["result"] for row in rows}
    assert revisions["flow@r1"] == revisions["flow@r2"] != revisions["flow@r3"]
    changes = [(row[0], row[1], row[3], row[4]) for row in graph.read(done, {}).rows]
    assert changes == [
        ("flow@r2", "flow@r3", "result", "another result"),
        ("flow@r1", "flow@r2", "result", "the same result"),
    ]
    equal = "MATCH (a:Revision {warehouse: $warehouse})-[e:EQUALS]->(b) RETURN a.name, b.name, e.by"
    assert graph.read(equal, {}).rows == [("flow@r2", "flow@r1", "key")]
    graph.show_revisions({})
    rest = "MATCH (n {warehouse: $warehouse}) RETURN count(n)"
    assert graph.read(rest, {}).rows == [(0,)]
