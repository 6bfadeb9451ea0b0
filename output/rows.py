"""The rows of a result some thousand at a time, with names for codes."""

from collections.abc import Iterator

import pyarrow as pa

ROWS = 8192
"""Rows that are text at a time."""


def pieces(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """The table's rows in order; a column of codes comes as text."""
    for batch in table.to_batches(max_chunksize=ROWS):
        if batch.num_rows:
            yield pa.record_batch(list(map(_plain, batch.columns)), batch.schema.names)


def _plain(column: pa.Array) -> pa.Array:
    if not pa.types.is_dictionary(column.type):
        return column
    return column.dictionary.take(column.indices).cast(pa.string())
