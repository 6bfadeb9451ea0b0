"""Write and open segment files: names and tables of items, in the order of item numbers."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from provhouse.model.arrays import Column
from provhouse.model.columns import NAME, TABLE

BATCH = 1024
"""The number of names in a compressed batch."""
SCHEMA = pa.schema([(NAME, pa.string()), (TABLE, pa.dictionary(pa.int32(), pa.string()))])


def names_file(first: int, ingest: int) -> str:
    """Return the file name of a segment that begins with item ``first``."""
    return f"{first:016d}-{ingest:08d}.arrow"


def write_names(path: Path, names: Column, tables: Column) -> None:
    """Write a segment; both columns must be in the order of numbers."""
    rows = pa.table({NAME: names, TABLE: tables}).cast(SCHEMA).unify_dictionaries()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, SCHEMA, options=options) as out:
        for batch in rows.combine_chunks().to_batches(BATCH):
            out.write_batch(batch)


def open_names(path: Path, columns: Iterable[str]) -> pa.ipc.RecordBatchFileReader:
    """Open a segment; the reader decompresses only these columns, in the calling thread."""
    fields = [SCHEMA.get_field_index(name) for name in columns]
    options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
    return pa.ipc.open_file(pa.memory_map(str(path)), options=options)
