"""Sort the selected records of a page by a column, and write them to a file."""

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from provhouse.model.errors import UsageError

Form = Literal["csv", "parquet"]
Order = tuple[str, Literal["ascending", "descending"]]
"""A column to sort by, and the direction."""
CHUNK = 1 << 17
"""The number of records that are written together in one step."""
PIECE = 1 << 20
"""The number of bytes that are sent together in one piece."""


def ordered(table: pa.Table, rows: NDArray[np.int64], order: Order) -> NDArray[np.int64]:
    """Return the positions ``rows`` sorted by a column; NULLs come last.

    Raises UsageError if the column is missing or its type has no order.
    """
    column, way = order
    if column not in table.column_names:
        raise UsageError(f"There is no column {column!r}")
    values = table.column(column)
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    kind = pa.string() if pa.types.is_string_view(kind) else kind
    found = values.take(pa.array(rows)).cast(kind)
    try:
        keys = [("value", way), ("row", "ascending")]
        at = pc.sort_indices(pa.table({"value": found, "row": rows}), sort_keys=keys)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise UsageError(
            f"Records cannot be sorted by {column!r}",
            f"Its type is {kind}",
            "Choose another column",
        ) from error
    sorted_rows: NDArray[np.int64] = rows[at.to_numpy()]
    return sorted_rows


def written(table: pa.Table, rows: NDArray[np.int64], form: Form) -> Iterator[bytes]:
    """Yield a file with the records ``rows``; raises UsageError if it cannot store their types."""
    file = TemporaryFile()  # noqa: SIM115 (closed after the last piece)
    try:
        _write(table, rows, form, file)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        file.close()
        raise UsageError(
            f"The records cannot be saved as {form}",
            str(error).splitlines()[0],
            "Choose another format",
        ) from error
    return _pieces(file)


def _write(table: pa.Table, rows: NDArray[np.int64], form: Form, file: IO[bytes]) -> None:
    with (
        pq.ParquetWriter(file, table.schema, compression="zstd")
        if form == "parquet"
        else pa.csv.CSVWriter(file, table.schema)
    ) as writer:
        for start in range(0, len(rows), CHUNK):
            writer.write_table(table.take(pa.array(rows[start : start + CHUNK])))


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece
