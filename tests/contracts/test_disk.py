"""The files of a warehouse, a server and a Neo4j home keep their names, keys and schemas."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from helpers.lived import Lived
from helpers.structure import dumped, kinds
from provhouse.commit.erasing.erasure_file import Erasure, write_erasure
from provhouse.cypher.config import ensure_password, write_conf
from provhouse.cypher.leases import Lease
from provhouse.cypher.neo4j_process import log_file as graph_log
from provhouse.cypher.server_record import ServerRecord
from provhouse.model.columns import TABLES
from provhouse.serve.server_file import ServerInfo, claim, log_file, publish, token
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked
from provhouse.store.warehouse.manifest import read_manifest

Golden = Callable[[str, str], None]
RANDOM = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "SHA256"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "COMMIT"),
    (re.compile(r"\b(?:[0-9a-f]{14}|[0-9a-f]{16})\b"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\+00:00|Z)"), "TIME"),
)
"""Patterns of values that differ in each run, and the words that replace them in golden files."""


def steady(text: str) -> str:
    """Return a string in which words replace the values that differ in each run."""
    for pattern, name in RANDOM:
        text = pattern.sub(name, text)
    return text


def tree(root: Path) -> Iterator[str]:
    """Yield the relative paths of all files and all empty folders below ``root``."""
    for folder, folders, files in os.walk(root):
        below = Path(folder).relative_to(root)
        yield from (str(below / name) for name in files)
        if not folders and not files:
            yield f"{below}/"


def rights(root: Path, *names: str) -> dict[str, str]:
    """Return the permissions of the named files in ``root``, in octal."""
    return {name: oct((root / name).stat().st_mode & 0o777) for name in names}


def table(folder: Path) -> dict[str, Any]:
    """Return the schema, settings and versions of a Delta table, as readers see them."""
    found = DeltaTable(folder)
    metadata, protocol = found.metadata(), found.protocol()
    file = sorted(folder.rglob("*.parquet"))[0]
    return {
        "columns": {field.name: str(field.type) for field in found.schema().fields},
        "partitioned by": metadata.partition_columns,
        "properties": metadata.configuration,
        "reader": protocol.min_reader_version,
        "writer": protocol.min_writer_version,
        "file": {field.name: str(field.type) for field in pq.read_schema(file)},
    }


def test_the_files_of_a_warehouse_have_the_same_names(lived: Lived, golden: Golden) -> None:
    files = sorted(tree(lived.house.layout.root))
    golden("tree.txt", "".join(f"{file}\n" for file in files))


def test_json_files_have_the_same_contents(lived: Lived, golden: Golden) -> None:
    """Words replace the values that differ in each run."""
    root = lived.house.layout.root
    records = {
        str(file.relative_to(root)): json.loads(file.read_text())
        for file in [*root.glob("*.json"), *root.glob("commits/*")]
    }
    golden("records.json", steady(dumped(records)))


def test_files_of_a_running_writer_are_the_same(golden: Golden, tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    create_identity(layout)
    write_erasure(layout, Erasure({1: [2, 3], 4: []}, graph=True))
    with locked(layout):
        lock = json.loads(layout.write_lock.read_text())
    found = {
        "write.lock": kinds(lock),
        "erasure.json": json.loads((tmp_path / "erasure.json").read_text()),
        "files": sorted(tree(tmp_path)),
        "transient": [
            str(path.relative_to(tmp_path)) for path in (layout.staging, layout.unpruned)
        ],
    }
    golden("under-way.json", dumped(found))


def test_the_log_of_writers_has_the_same_keys(lived: Lived, golden: Golden) -> None:
    lines = (lived.house.layout.logs / "writers.jsonl").read_text().splitlines()
    shown = {json.dumps(kinds(json.loads(line)), indent=1) for line in lines}
    golden("writers.txt", "\n".join(sorted(shown)) + "\n")
    ends = [json.loads(line) for line in lines]
    assert {line["event"] for line in ends} == {"begins", "ends"}
    assert {line["outcome"] for line in ends if "outcome" in line} == {"done"}


def test_delta_tables_have_the_same_schemas_and_settings(lived: Lived, golden: Golden) -> None:
    """The Delta tables come from the base with several ingests."""
    base = lived.house.layout.root / "base-1"
    tables = {log.parent.name: table(log.parent) for log in base.glob("*/_delta_log")}
    # No trace in this base has shared derivations, and none of its ops is described.
    assert tables.keys() == TABLES.keys() - {"groups", "modules", "operations"}
    golden("tables.json", dumped(tables))


def test_declared_columns_have_the_same_types_and_order(golden: Golden) -> None:
    lines = [f"{name} {field.name}: {field.type}\n" for name in TABLES for field in TABLES[name]]
    golden("columns.txt", "".join(lines))


def test_files_of_names_have_the_same_formats(lived: Lived, golden: Golden) -> None:
    """Files are grouped by their names, in which N stands for each digit."""
    found: dict[str, set[str]] = {}
    for file in lived.house.layout.root.glob("base-*/names/*"):
        if file.suffix == ".arrow":
            with pa.memory_map(str(file)) as mapped:
                form = str(pa.ipc.open_file(mapped).schema).replace("\n", ", ")
        else:
            array = np.load(file)
            form = f"{array.dtype}, {array.ndim} dimensional"
        found.setdefault(re.sub(r"\d", "N", file.name), set()).add(form)
    assert all(len(forms) == 1 for forms in found.values())
    golden(
        "names.txt", "".join(f"{name}: {form}\n" for name in sorted(found) for form in found[name])
    )


def test_an_export_has_the_same_files_and_columns(lived: Lived, golden: Golden) -> None:
    manifest = json.loads((lived.exported / "manifest.json").read_text())
    for part in manifest["files"]:
        part["bytes"] = "BYTES"
    assert read_manifest(lived.exported).files
    found = {
        "files": sorted(tree(lived.exported)),
        "manifest": manifest,
        "columns": {
            field.name: str(field.type)
            for field in pq.read_schema(lived.exported / manifest["files"][0]["name"])
        },
    }
    golden("export.json", steady(dumped(found)))


def test_a_server_writes_the_same_files(golden: Golden, tmp_path: Path) -> None:
    """The files by which other commands find the server keep their names and contents."""
    handle = claim(tmp_path)
    assert handle
    publish(handle, ServerInfo(7, 8))
    os.close(handle)
    assert token(tmp_path) == (tmp_path / "server" / "token").read_text()
    found = {
        "server/server.json": json.loads((tmp_path / "server" / "server.json").read_text()),
        "files": sorted(tree(tmp_path)),
        "rights": rights(tmp_path, "server", "server/server.json", "server/token"),
        "log": str(log_file(tmp_path).relative_to(tmp_path)),
        "address": ServerInfo(7, 8).address,
    }
    golden("server.json", dumped(found))


def test_a_neo4j_home_has_the_same_files_before_its_first_start(
    golden: Golden, tmp_path: Path
) -> None:
    home = tmp_path
    Lease.join(home).leave()
    ServerRecord(7, 8, 9).save(home)
    write_conf(home, 7, 8, "17m")
    password = ensure_password(home)
    assert (home / "password").read_text() == f"{password}\n"
    conf = (home / "conf" / "neo4j.conf").read_text().splitlines()
    found = {
        "server.json": json.loads((home / "server.json").read_text()),
        "files": sorted(tree(home)),
        "rights": rights(home, "password", "data/dbms/auth.ini"),
        "conf/neo4j.conf": sorted(line for line in conf if not line.startswith("#")),
        "log": str(graph_log(home).relative_to(home)),
    }
    golden("neo4j-home.json", dumped(found))
