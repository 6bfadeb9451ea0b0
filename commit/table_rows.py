"""The rows of Neo4j about item tables, and about the tables that they derive from."""

from collections.abc import Iterator, Mapping
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import DST_TABLE, INGEST, OPS, SRC_TABLE, TABLE, TRIPLES
from provhouse.store.tables.snapshot import Snapshot

from .append import merged
from .few import few, node_key

Rows = Iterator[Mapping[str, object]]
CHUNK = 20_000


def table_lists(
    snapshot: Snapshot, ingest: int | None = None
) -> Iterator[tuple[str, list[Mapping[str, object]]]]:
    """Yield the rows about item tables, and about the tables that they derive from.

    With ``ingest``, only those that it changed.
    """
    for statement, table, keys, rows_of in (
        ("tables", "tables", [TABLE], _table_rows),
        ("derives_from", "workflow", [SRC_TABLE, DST_TABLE], _workflow_rows),
    ):
        rows = snapshot.rows(table)
        if ingest is not None:
            changed = snapshot.rows_of(ingest, table)
            for key in keys:
                rows = rows.filter(pc.is_in(rows[key], changed[key].combine_chunks()))
        if found := list(rows_of(rows)):
            yield statement, found


def _table_rows(rows: pa.Table) -> Rows:
    sums = rows.group_by(TABLE).aggregate([("items", "sum")])
    for row in _rows(sums):
        if row[TABLE]:
            yield {"name": node_key(cast(str, row[TABLE])), "items": row["items_sum"]}


def _workflow_rows(rows: pa.Table) -> Rows:
    for row in _rows(merged([rows.drop_columns([INGEST])], SRC_TABLE, DST_TABLE)):
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
