"""Neo4j's importer writes the same content as Cypher statements."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from neo4j import GraphDatabase, NotificationSeverity, Query

from provhouse.cypher import neo4j_process as process
from provhouse.cypher.address import Address
from provhouse.cypher.config import write_conf
from provhouse.cypher.graph import Graph
from provhouse.cypher.guide import queries
from provhouse.cypher.importing import Import, clear, is_fresh, trim_stores
from provhouse.cypher.server import connected
from provhouse.cypher.server_record import ServerRecord
from provhouse.model.progress import Silent
from provhouse.store.warehouse.identity import new_id

WAREHOUSE = "imported"
AWKWARD = ["plain", 'a "quoted", one', "two\nlines", "naïve — 表", " spaces ", "semi;colon", "a\\b"]
ROWS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "sets": [
        {"id": 1, "component": 1, "items": 3, "triples": 2, "tables": AWKWARD},
        {"id": 2, "component": 1, "items": 1 << 40, "triples": 0, "tables": None},
        {"id": 9, "component": 9, "items": 1, "triples": 1, "tables": ["x"]},
    ],
    "dependencies": [
        {"set": 1, "derives_from": 2, "triples": 7, "ops": AWKWARD},
        {"set": 2, "derives_from": 1, "triples": 1, "ops": None},
    ],
    "components": [
        {"id": 1, "items": 4, "triples": 10, "sets": 2},
        {"id": 9, "items": 1, "triples": 1, "sets": 1},
    ],
    "part_of": [{"set": set_, "component": of} for set_, of in ((1, 1), (2, 1), (9, 9))],
}
MORE = [
    {"id": id, "component": 1, "items": 1, "triples": 0, "tables": ["a long name " * 40] * 3}
    for id in range(100, 2_100)
]
"""More sets, which are only imported. Their lists fill more than 1 MB of a store file."""
NODES = """
MATCH (n {warehouse: $warehouse}) WHERE NOT n:Load AND n.id < 100
RETURN labels(n)[0], properties(n)
"""
LINKS = """
MATCH (a {warehouse: $warehouse})-[r]->(b)
RETURN labels(a)[0], a.id, type(r), properties(r), labels(b)[0], b.id
"""


def content(address: Address, warehouse: str = WAREHOUSE) -> list[str]:
    """Return all nodes and relationships of a warehouse as sorted strings."""
    with Graph(address, warehouse) as graph:
        rows = [row for query in (NODES, LINKS) for row in graph.read(query, {}).rows]
    return sorted(map(_text, rows))


def _text(row: Sequence[object]) -> str:
    return repr([sorted(v.items()) if isinstance(v, Mapping) else v for v in row])


def write(address: Address) -> None:
    """Write the rows by Cypher statements."""
    with Graph(address, WAREHOUSE) as graph:
        graph.prepare()
        for name, rows in ROWS.items():
            graph.write(name, rows)


def warnings(address: Address) -> list[str]:
    """Return Neo4j's warnings about the queries for Neo4j Browser that read sets and components.

    Neo4j may warn that the relationship type of merged components is missing. Such a warning only
    shows in a database that never had merged components.
    """
    found = []
    with GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver:
        for query in queries(WAREHOUSE)[1:4]:
            summary = driver.execute_query(Query(query.text)).summary
            found += [status.status_description for status in summary.gql_status_objects
                      if status.severity == NotificationSeverity.WARNING]  # fmt: skip
    return found


@pytest.mark.long
def test_a_set_takes_two_records_of_properties_and_a_dependency_one(tmp_path: Path) -> None:
    count, text, record = 10_000, ["filings, covers, sections"], 41
    rows = {
        "sets": [{"id": n, "items": 490, "triples": 489, "tables": text} for n in range(count)],
        "dependencies": [
            {"set": n, "derives_from": n - 1, "triples": 89, "ops": text} for n in range(1, count)
        ],
    }
    write_conf(tmp_path, 0, 0, "16m")
    Import(new_id(), {n: [pa.Table.from_pylist(some)] for n, some in rows.items()}).run(
        tmp_path, "512m"
    )
    store = tmp_path / "data" / "databases" / "neo4j" / "neostore.propertystore.db"
    assert 3 <= store.stat().st_size / record / count < 3.2


@pytest.mark.long
def test_an_import_equals_statements(tmp_path: Path, address: Address) -> None:
    write(address)
    expected = content(address)
    assert len(expected) == 3 + 2 + 2 + 3
    home = tmp_path / "ho me"
    killed_import(home)
    rows = {**ROWS, "sets": [*ROWS["sets"], *MORE]}
    first = Import(WAREHOUSE, {
        name: [pa.Table.from_pylist([*some[:1]]), pa.Table.from_pylist([*some[1:]])]
        for name, some in rows.items()
    })  # fmt: skip
    assert is_fresh(home)
    with connected(home, "512m", Silent(), first) as imported:
        assert first.done
        assert content(imported) == expected
        write(imported)  # the constraints hold, and the second write duplicates nothing
        assert content(imported) == expected
        assert not warnings(imported)
        with Graph(imported, WAREHOUSE) as graph:
            graph.write("sets", [{**row, "id": 20_000 + n} for n, row in enumerate(MORE)])
            ((count,),) = graph.read(
                "MATCH (s:Set {warehouse: $warehouse}) RETURN count(*)", {}
            ).rows
            assert count == 3 + 2 * len(MORE)
    state = ServerRecord.read(home)
    assert state
    assert not process.serves(state.pid, home)
    assert not is_fresh(home)
    assert sum(f.stat().st_size for f in home.rglob("*transaction.db*")) < 20 << 20


def test_reserved_pages_are_cut_off(tmp_path: Path) -> None:
    page = 8192
    pages = {"long": (200, 300), "full": (300, 300), "empty": (0, 300), "short": (1, 2)}
    for name, (used, size) in pages.items():
        data = (b"\0" * (page - 1) + b"x") * used + b"\0" * page * (size - used)
        (tmp_path / f"neostore.{name}store.db").write_bytes(data)
    trim_stores(tmp_path)
    left = {name: (tmp_path / f"neostore.{name}store.db").stat().st_size / page for name in pages}
    assert left == {"long": 200, "full": 300, "empty": 128, "short": 2}


def test_an_importer_that_outlives_its_command_is_stopped(tmp_path: Path) -> None:
    """A leftover importer is stopped: it must not write to the database of a running server."""
    killed_import(tmp_path)
    report = f"--report-file={tmp_path / 'import' / 'first' / 'report'}"
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", report])
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "--report"])
    try:
        clear(tmp_path)
        assert not psutil.pid_exists(left.pid)
        assert other.poll() is None
        assert not (tmp_path / "data" / "databases" / "neo4j").exists()
    finally:
        for one in (left, other):
            one.kill()
            one.wait()


def killed_import(home: Path) -> None:
    """Create a Neo4j home in the state in which a killed import leaves it."""
    (home / "data" / "databases" / "neo4j").mkdir(parents=True)
    (home / "data" / "databases" / "neo4j" / "neostore").write_bytes(b"half")
    (home / "importing").touch()
