"""The tables of revisions, executions, results and proofs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import TableNotFoundError

from provhouse.store.warehouse.layout import Layout

_TEXT = pa.string()
SCHEMAS = {
    "revisions": pa.schema(
        [
            ("workflow", _TEXT),
            ("revision", pa.int64()),
            ("sink", _TEXT),
            ("source", _TEXT),
            ("text", _TEXT),
            ("ddl", _TEXT),
            ("form", _TEXT),
            ("key", _TEXT),
            ("changes", pa.list_(_TEXT)),
            ("time", _TEXT),
        ]
    ),
    "executions": pa.schema(
        [
            ("execution", _TEXT),
            ("workflow", _TEXT),
            ("revision", pa.int64()),
            ("sink", _TEXT),
            ("started", _TEXT),
            ("ended", _TEXT),
            ("state", _TEXT),
            ("inputs", _TEXT),
            ("broken", _TEXT),
            ("result", _TEXT),
            ("reused_from", _TEXT),
            ("run", _TEXT),
        ]
    ),
    "result_files": pa.schema(
        [
            ("result", _TEXT),
            ("state", _TEXT),
            ("columns", pa.list_(_TEXT)),
            ("types", pa.list_(_TEXT)),
            ("records", pa.int64()),
            ("bytes", pa.int64()),
            ("file", _TEXT),
            ("key", pa.list_(_TEXT)),
            ("bits", pa.int32()),
            ("time", _TEXT),
        ]
    ),
    "proofs": pa.schema(
        [
            ("key_a", _TEXT),
            ("key_b", _TEXT),
            ("verdict", _TEXT),
            ("by", _TEXT),
            ("reason", _TEXT),
            ("steps", pa.int64()),
            ("verifier", _TEXT),
            ("assumed", pa.list_(_TEXT)),
            ("counterexample", _TEXT),
            ("time", _TEXT),
        ]
    ),
}


def now() -> str:
    """Return the time as a text in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def read_rows(layout: Layout, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table in the order in which they were added."""
    try:
        table = DeltaTable(layout.root / name)
    except TableNotFoundError:
        return []
    rows: list[dict[str, Any]] = table.to_pyarrow_table().to_pylist()
    return rows


def add_rows(layout: Layout, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Append rows to a table in one commit. Only the single writer may call this."""
    write_deltalake(
        layout.root / name, pa.Table.from_pylist([*rows], schema=SCHEMAS[name]), mode="append"
    )
