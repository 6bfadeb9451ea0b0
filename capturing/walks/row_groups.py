"""Read records from Parquet files, but only the row groups that contain the wanted rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, without_views
from provhouse.model.associations import ROW_BITS

from .numbers import NumberedFile
from .row_scan import groups_of

LEGACY = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96")
"""Keys in the footer of a Parquet file whose dates Spark converts to another calendar."""


def rows_of_file(path: Path, rows: I64) -> pa.Table:
    """Return all columns of the file's rows with the indexes ``rows``, which must be ascending."""
    with pq.ParquetFile(path) as file:
        parts = [
            without_views(file.read_row_group(group)).take(pa.array(at))
            for group, at in groups_of(file, rows)
        ]
        return pa.concat_tables([without_views(file.schema_arrow.empty_table()), *parts])


def rows_of_files(
    files: Sequence[NumberedFile], ids: I64
) -> Iterator[tuple[NumberedFile, pa.Table]]:
    """Yield each file that contains rows with ``ids``, and these rows. ``ids`` must be sorted."""
    for file in files:
        first, end = np.searchsorted(ids, (file.first_id, file.first_id + (1 << ROW_BITS)))
        if first < end:
            yield file, rows_of_file(file.path, ids[first:end] - file.first_id)


def is_plain(path: Path) -> bool:
    """Return whether Arrow reads all columns of a file as Spark does.

    Arrow and Spark read old 12-byte timestamps and dates of the Julian calendar differently.
    """
    metadata = pq.read_metadata(path)
    schema = metadata.schema
    return not any(key in (metadata.metadata or {}) for key in LEGACY) and not any(
        schema.column(at).physical_type == "INT96" for at in range(len(schema))
    )
