"""The labels, relationships, properties and keys that Cypher queries rely on stay the same."""

from collections.abc import Callable, Iterator
from typing import Any, LiteralString

import pytest
from neo4j import Driver, GraphDatabase

from helpers.lived import Lived
from helpers.structure import dumped
from provhouse.cypher.importing import LAYOUTS

NODES: LiteralString = """
MATCH (n {warehouse: $warehouse}) UNWIND keys(n) AS key
RETURN DISTINCT labels(n) AS labels, key, valueType(n[key]) AS type
"""
RELATIONSHIPS: LiteralString = """
MATCH (a {warehouse: $warehouse})-[r]->(b) UNWIND CASE keys(r) WHEN [] THEN [null] ELSE keys(r) END
AS key RETURN DISTINCT labels(a) AS from, type(r) AS name, labels(b) AS to, key,
CASE key WHEN null THEN null ELSE valueType(r[key]) END AS type
"""
KEYS: LiteralString = """
SHOW CONSTRAINTS YIELD name, labelsOrTypes, properties, type
RETURN name, labelsOrTypes AS labels, properties, type
"""


@pytest.fixture(scope="module")
def driver(lived: Lived) -> Iterator[Driver]:
    """A driver for the warehouse's Neo4j."""
    address = lived.house.address
    with GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as opened:
        yield opened


def asked(driver: Driver, lived: Lived, text: LiteralString) -> list[dict[str, Any]]:
    """Return the rows that a statement finds for the warehouse."""
    found = driver.execute_query(text, warehouse=lived.house.layout.warehouse_id())
    return [record.data() for record in found.records]


def test_the_graph_has_the_same_labels_and_properties(
    lived: Lived, driver: Driver, golden: Callable[[str, str], None]
) -> None:
    lines = []
    for row in asked(driver, lived, NODES):
        lines.append(f"(:{':'.join(row['labels'])}) {row['key']}: {row['type']}\n")
    for row in asked(driver, lived, RELATIONSHIPS):
        ends = [":".join(row[end]) for end in ("from", "to")]
        found = f" {row['key']}: {row['type']}" if row["key"] else ""
        lines.append(f"(:{ends[0]})-[:{row['name']}]->(:{ends[1]}){found}\n")
    for row in asked(driver, lived, KEYS):
        key = ", ".join(row["properties"])
        lines.append(f"constraint {row['name']}: {row['type']} (:{row['labels'][0]}) {key}\n")
    golden("neo4j.txt", "".join(sorted(lines)))


def test_import_files_have_the_same_headers(golden: Callable[[str, str], None]) -> None:
    golden("import.json", dumped({n: [part.option, part.header] for n, part in LAYOUTS.items()}))
