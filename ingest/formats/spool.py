"""Write a program's Arrow batches to temporary files, which are then read like user files.

An ingest may read its input more than once, but an iterator yields its batches only once.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from provhouse.model.errors import BadInput
from provhouse.runtime.scratch import scratch

from .column_mapping import ColumnNames
from .source import Source


class ArrowStream(Protocol):
    """An object that yields Arrow batches, such as a data frame of polars or pandas."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the batches as the Arrow C stream interface defines."""


FILE_ROWS = 1 << 21
"""The number of rows after which a temporary file ends and the next one begins.

Each file is read by one task, so several files let a large ingest use all cores.
"""
Rows = ArrowStream | Iterable[pa.RecordBatch]
"""An Arrow table, reader or data frame, or record batches with one schema."""


@contextmanager
def spooled(rows: Rows, label: str, columns: ColumnNames) -> Iterator[list[Source]]:
    """Write the batches, one by one, to temporary files, which the ``with`` block deletes."""
    reader = _reader(rows, label)
    columns.check(label, reader.schema.names)
    batches = iter(reader)
    with scratch("arrow") as folder:
        found, row, batch = list[Source](), 1, next(batches, None)
        while batch is not None or not found:
            path = Path(folder) / f"{len(found):06d}.arrow"
            found.append(Source(str(path), "arrow", columns, label=label, first_row=row))
            with pa.ipc.new_stream(str(path), reader.schema) as out:
                written = 0
                while batch is not None and written < FILE_ROWS:
                    out.write_batch(batch)
                    written, batch = written + batch.num_rows, next(batches, None)
            row += written
        yield found


def _reader(rows: Rows, label: str) -> pa.RecordBatchReader:
    if hasattr(rows, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(rows)
    batches = iter(rows)
    first = next(batches, None)
    if first is None:
        raise BadInput(
            f"{label}: it has no batches, so its columns are unknown",
            "The iterator is empty",
            "Pass a table or a reader; they have a schema even if they have no rows",
        )
    return pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
