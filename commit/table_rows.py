"""The rows of Neo4j about item tables, and about the tables that they derive from."""

from collections.abc import Iterator, Mapping
from typing import cast

import pyarrow as pa

from provhouse.model.columns import DST_TABLE, INGEST, OPS, SRC_TABLE, TABLE, TRIPLES
from provhouse.store.tables.snapshot import Snapshot

from .append import merged
from .few import few, node_key

Rows = Iterator[Mapping[str, object]]
CHUNK = 20_000


def table_lists(snapshot: Snapshot) -> Iterator[tuple[str, list[Mapping[str, object]]]]:
    """Yield the rows about item tables, and about the tables that they derive from."""
    for name, rows in (
        ("tables", _table_rows(snapshot)),
        ("derives_from", _workflow_rows(snapshot)),
    ):
        if found := list(rows):
            yield name, found


def _table_rows(snapshot: Snapshot) -> Rows:
    rows = snapshot.rows("tables")
    sums = rows.group_by(TABLE).aggregate([("items", "sum")])
    for row in _rows(sums):
        if row[TABLE]:
            yield {"name": node_key(cast(str, row[TABLE])), "items": row["items_sum"]}


def _workflow_rows(snapshot: Snapshot) -> Rows:
    rows = snapshot.rows("workflow").drop_columns([INGEST])
    for row in _rows(merged([rows], SRC_TABLE, DST_TABLE)):
        source, table = (cast(str, row[end]) for end in (SRC_TABLE, DST_TABLE))
        if source and table:
            yield {
                "table": node_key(table),
                "derives_from": node_key(source),
                "triples": row[TRIPLES],
                "ops": few(cast(list[str], row[OPS])),
            }


def _rows(table: pa.Table) -> Rows:
    """Yield rows as dictionaries, with one chunk in memory at a time."""
    for batch in table.to_batches(CHUNK):
        yield from batch.to_pylist()
