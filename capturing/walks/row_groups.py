"""Read the records of some rows from Parquet files, and only from the row groups with the rows."""

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
"""Keys in the footers of files whose dates Spark converts to another calendar."""


def rows_of_file(path: Path, rows: I64) -> pa.Table:
    """Return all columns of some rows of a file; the indexes must be in ascending order."""
    with pq.ParquetFile(path) as file:
        parts = [
            without_views(file.read_row_group(group)).take(pa.array(at))
            for group, at in groups_of(file, rows)
        ]
        return pa.concat_tables([without_views(file.schema_arrow.empty_table()), *parts])


def rows_of_files(
    files: Sequence[NumberedFile], ids: I64
) -> Iterator[tuple[NumberedFile, pa.Table]]:
    """Yield each file with rows of some ids, and these rows; ``ids`` is sorted."""
    for file in files:
        first, end = np.searchsorted(ids, (file.first_id, file.first_id + (1 << ROW_BITS)))
        if first < end:
            yield file, rows_of_file(file.path, ids[first:end] - file.first_id)


def is_plain(path: Path) -> bool:
    """Return whether Arrow reads all columns of a file as Spark does.

    Arrow and Spark differ in times of the old 12-byte form and in dates of the Julian calendar.
    """
    metadata = pq.read_metadata(path)
    schema = metadata.schema
    return not any(key in (metadata.metadata or {}) for key in LEGACY) and not any(
        schema.column(at).physical_type == "INT96" for at in range(len(schema))
    )
