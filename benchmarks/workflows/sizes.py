"""Measure what derivations, their values and modules add to a stored triple of WorkflowGen."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.shared.command import Command, size
from benchmarks.workflows.form import Stored

PLAIN = ("src", "dst", "op", "src_table", "dst_table")
DERIVED = (*PLAIN, "derivation", "op_kind")
VALUED = (*DERIVED, "value")
MODULES = (*VALUED, "role", "module", "invocation", "execution")


def stored(workflow: str, triples: Path, folder: Path) -> Stored:
    """Ingest a workflow's triples with more and more columns, and return the bytes of all tables.

    Neo4j's files are not counted: they depend on the time of its last checkpoint.
    """
    rows = pq.read_table(triples)
    return {
        "workflow": workflow,
        "triples": len(rows),
        "plain": _ingested(rows.select(PLAIN), folder / "plain"),
        "derived": _ingested(rows.select(DERIVED), folder / "derived"),
        "valued": _ingested(rows.select(VALUED), folder / "valued"),
        "modules": _ingested(rows.select(MODULES), folder / "modules"),
    }


def _ingested(rows: pa.Table, warehouse: Path) -> int:
    file = warehouse.with_suffix(".parquet")
    pq.write_table(rows, file)
    command = Command(warehouse)
    command.ingest(file)
    command.run("down")
    return size(warehouse) - size(warehouse / "neo4j")
