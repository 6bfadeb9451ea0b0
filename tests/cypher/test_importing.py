"""The importer writes the same database as statements would."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil
import pyarrow as pa

from provhouse.cypher import process
from provhouse.cypher.graph import Graph
from provhouse.cypher.importing import clear
from provhouse.cypher.server import Import, connected, is_fresh
from provhouse.cypher.server_record import Address, ServerRecord
from provhouse.model.progress import Silent

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
NODES = "MATCH (n {warehouse: $warehouse}) WHERE NOT n:Load RETURN labels(n)[0], properties(n)"
LINKS = """
MATCH (a {warehouse: $warehouse})-[r]->(b)
RETURN labels(a)[0], a.id, type(r), properties(r), labels(b)[0], b.id
"""


def content(address: Address, warehouse: str = WAREHOUSE) -> list[str]:
    """Return all nodes and relationships of a warehouse, as sorted text."""
    with Graph(address, warehouse) as graph:
        rows = [row for query in (NODES, LINKS) for row in graph.read(query, {}).rows]
    return sorted(map(_text, rows))


def _text(row: Sequence[object]) -> str:
    return repr([sorted(v.items()) if isinstance(v, Mapping) else v for v in row])


def write(address: Address) -> None:
    """Write the rows by statements."""
    with Graph(address, WAREHOUSE) as graph:
        graph.prepare()
        for name, rows in ROWS.items():
            graph.write(name, rows)


def test_an_import_equals_statements(tmp_path: Path, address: Address) -> None:
    write(address)
    expected = content(address)
    assert len(expected) == 3 + 2 + 2 + 3
    home = tmp_path / "ho me"
    killed_import(home)
    first = Import(WAREHOUSE, {name: pa.Table.from_pylist([*rows]) for name, rows in ROWS.items()})
    assert is_fresh(home)
    with connected(home, "512m", Silent(), first) as imported:
        assert first.done
        assert content(imported) == expected
        write(imported)  # the constraints hold and nothing is duplicated
        assert content(imported) == expected
    state = ServerRecord.read(home)
    assert state
    assert not process.serves(state.pid, home)
    assert not is_fresh(home)
    assert sum(f.stat().st_size for f in home.rglob("*transaction.db*")) < 20 << 20


def test_an_importer_that_outlives_its_command_is_stopped(tmp_path: Path) -> None:
    """The importer must not write to the database of a running server."""
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
    """Make a home as a killed import leaves it."""
    (home / "data" / "databases" / "neo4j").mkdir(parents=True)
    (home / "data" / "databases" / "neo4j" / "neostore").write_bytes(b"half")
    (home / "importing").touch()
