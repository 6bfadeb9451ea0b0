"""The registered tables of revisions, executions, results and proofs, as rows."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from provhouse.store.tables.registry import RegisteredTable, append, read
from provhouse.store.warehouse.layout import Layout


def now() -> str:
    """Return the current time as a string in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def read_rows(layout: Layout, table: RegisteredTable) -> list[dict[str, Any]]:
    """Return the rows of a table in the order in which they were added."""
    rows: list[dict[str, Any]] = read(layout, table).to_pylist()
    return rows


def add_rows(layout: Layout, table: RegisteredTable, rows: Sequence[dict[str, Any]]) -> None:
    """Append rows to a table with the current time, as one Delta version."""
    timed = [{**row, "time": now()} for row in rows]
    append(layout, table, pa.Table.from_pylist(timed, schema=table.schema))
