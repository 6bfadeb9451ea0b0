"""Write and open segment files: names and tables of items, in the order of item numbers."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import Column
from provhouse.model.columns import NAME, TABLE
from provhouse.runtime.storage import batch_reader, batch_writer

BATCH = 1024
"""The number of names in a compressed batch."""
LARGEST = (1 << 31) - 1
"""The most bytes that an array of the type string can have."""
SCHEMA = pa.schema([(NAME, pa.string()), (TABLE, pa.dictionary(pa.int32(), pa.string()))])


def names_file(first: int, ingest: int) -> str:
    """Return the file name of a segment that begins with item ``first``."""
    return f"{first:016d}-{ingest:08d}.arrow"


def write_names(path: Path, names: Column, tables: Column) -> None:
    """Write a segment; both columns must be in the order of numbers.

    The names of one batch must take less than 2 GB. All names together may take more, as an array
    of the type large_string.
    """
    coded = pa.table({TABLE: tables}).cast(pa.schema([SCHEMA.field(TABLE)])).unify_dictionaries()
    rows = coded.add_column(0, NAME, one_array(pa.table({NAME: names})[NAME])).combine_chunks()
    with batch_writer(path, SCHEMA) as out:
        for start in range(0, rows.num_rows, BATCH):
            # A slice of large_string cannot be cast, as its offsets stay beyond 2 GB.
            batch = rows.take(pa.array(np.arange(start, min(start + BATCH, rows.num_rows))))
            out.write_batch(batch.cast(SCHEMA).combine_chunks().to_batches()[0])


def one_array(texts: pa.ChunkedArray) -> pa.Array:
    """Return a column of text as one array, of the type large_string if it takes 2 GB or more.

    An array of the type string cannot be that large, because its offsets have 32 bits.
    """
    if texts.nbytes > LARGEST:
        texts = texts.cast(pa.large_string())
    return texts.combine_chunks()


def open_names(path: Path, columns: Iterable[str]) -> pa.ipc.RecordBatchFileReader:
    """Open a segment; the reader decompresses only these columns, in the calling thread."""
    fields = [SCHEMA.get_field_index(name) for name in columns]
    return batch_reader(path, fields)
