"""Explore the connected sets in Neo4j with py2neo: match nodes, follow them, read data frames.

    python examples/explore/sets.py [WAREHOUSE]

The script starts Neo4j if need be, and keeps it running; `provhouse down` stops it. py2neo comes
with `pip install 'provhouse[explore]'`, and pandas with `pip install pandas`.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from py2neo import Graph, Node, NodeMatcher, RelationshipMatcher

import provhouse

DEPENDENCIES = """
MATCH (derived:Set {warehouse: $warehouse})-[on:DEPENDS_ON]->(source:Set)
RETURN derived.id AS derived, source.id AS source, on.triples AS triples, on.ops AS ops
ORDER BY triples DESC, derived, source
"""


def connect(folder: str) -> Graph:
    """Connect to the Neo4j of a warehouse, of which `provhouse browser` knows the address."""
    command = [str(Path(sys.executable).with_name("provhouse")), "--warehouse", folder, "browser"]
    login = json.loads(subprocess.check_output([*command, "--format", "json"]))
    password = Path(login["password_file"]).read_text(encoding="utf-8").strip()
    return Graph(login["connect"], auth=(login["user"], password))


def largest_sets(graph: Graph, warehouse: str, most: int = 5) -> list[Node]:
    """Return the sets with the most items, largest first."""
    found = NodeMatcher(graph).match("Set", warehouse=warehouse)
    return list(found.order_by("_.items DESC", "_.id").limit(most))


def sources(graph: Graph, node: Node) -> list[Node]:
    """Return the sets that a set derives from directly."""
    found = RelationshipMatcher(graph).match((node, None), "DEPENDS_ON")
    return [dependency.end_node for dependency in found]


def dependencies(graph: Graph, warehouse: str) -> Any:
    """Return the dependencies between sets as a pandas data frame, most triples first."""
    return graph.run(DEPENDENCIES, warehouse=warehouse).to_data_frame()


def main(folder: str = "warehouse") -> None:
    """Print the largest sets, the sets that they derive from, and all dependencies."""
    graph = connect(folder)
    with provhouse.open(folder) as opened:
        ((warehouse,),) = opened.cypher("RETURN $warehouse").rows
    for node in largest_sets(graph, str(warehouse)):
        ids = [source["id"] for source in sources(graph, node)]
        number, items, tables = node["id"], node["items"], node["tables"]
        print(f"set {number} has {items} items of {tables}; derives from sets {ids}")
    print(dependencies(graph, str(warehouse)))
    graph.service.connector.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
