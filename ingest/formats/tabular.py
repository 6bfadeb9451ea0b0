"""Turn the Arrow tables read from CSV and Parquet files into batches of triples."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from provhouse.model.attributes import canonical, texts

from . import limits
from .source import Batch, Source, unreadable

# An OverflowError is raised for times outside of Python's range, for example.
_CONVERSION_ERRORS = (pa.ArrowException, ValueError, OverflowError)


def as_batches(source: Source, tables: Iterable[pa.Table]) -> Iterator[Batch]:
    """Yield the rows of a file's Arrow tables, in batches of at most ``limits.ROWS`` rows."""
    row = 1
    for table in tables:
        for start in range(0, table.num_rows, limits.ROWS):
            rows = table.slice(start, limits.ROWS)
            yield _batch(source, row, rows)
            row += rows.num_rows


def _batch(source: Source, row: int, rows: pa.Table) -> Batch:
    for name, value in source.constants:
        rows = rows.append_column(name, pa.repeat(pa.scalar(value, pa.string()), rows.num_rows))
    columns, present = source.columns, rows.column_names
    extra = rows.select([name for name in present if name not in columns.taken])
    try:
        known = {n: _text(rows[column]) for n, column in columns.read_for if column in present}
        scope = texts(rows[columns.scope].combine_chunks()) if columns.scope else None
        return Batch(row, pa.table(known), canonical(extra), scope)
    except _CONVERSION_ERRORS as error:
        place = f"{source.path}, rows {row:,} to {row + rows.num_rows - 1:,}"
        raise unreadable(place, "text", error) from error


def _text(column: pa.ChunkedArray) -> pa.Array:
    return column.cast(pa.string()).combine_chunks()
