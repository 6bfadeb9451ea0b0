"""From a file to batches of triples, whatever its format; ``reading`` has a file for each.

A file that is not what it claims to be raises BadInput with its name and line or row group. A
reader never decides about single rows: ``stage`` does.
"""

from collections.abc import Iterator

import pyarrow as pa

from provhouse.model.attributes import canonical, texts

from . import csv, limits, parquet
from . import exported as export
from . import json_lines as jsonl
from .broken import unreadable
from .column_mapping import AS_NAMED, Columns, columns_of
from .discover import sources
from .source import Batch, Source, Told

__all__ = ["AS_NAMED", "Batch", "Columns", "Source", "batches", "check", "columns_of", "sources"]

_UNTOLD = (pa.ArrowException, ValueError, OverflowError)  # times too far for Python, for example
_FORMATS = {"csv": csv, "jsonl": jsonl, "parquet": parquet, "export": export}


def check(source: Source) -> list[str]:
    """The columns of a file, of JSON lines those that its beginning has.

    Raises BadInput if the beginning of the file shows that it can't be taken in.
    """
    found: list[str] = _FORMATS[source.format].check(source)
    return found


def batches(source: Source, told: Told = lambda _: None) -> Iterator[Batch]:
    """The rows of a file, a batch at a time; raises BadInput, naming file and place.

    ``told`` hears how many bytes of the file are behind.
    """
    if source.format == "jsonl":
        yield from jsonl.batches(source, told)
        return
    if source.format == "export":
        yield from export.batches(source, told)
        return
    row = 1
    for table in {"csv": csv, "parquet": parquet}[source.format].tables(source, told):
        for start in range(0, table.num_rows, limits.ROWS):
            rows = table.slice(start, limits.ROWS)
            yield _batch(source, row, rows)
            row += rows.num_rows


def _batch(source: Source, row: int, rows: pa.Table) -> Batch:
    for name, value in source.constants:
        rows = rows.append_column(name, pa.repeat(pa.scalar(value, pa.string()), rows.num_rows))
    columns, there = source.columns, rows.column_names
    extra = rows.select([name for name in there if name not in columns.taken])
    try:
        known = {n: _text(rows[column]) for n, column in columns.read_for if column in there}
        scope = texts(rows[columns.scope].combine_chunks()) if columns.scope else None
        return Batch(row, pa.table(known), canonical(extra), scope)
    except _UNTOLD as error:
        place = f"{source.path}, rows {row:,} to {row + rows.num_rows - 1:,},"
        raise unreadable(place, "text", error) from error


def _text(column: pa.ChunkedArray) -> pa.Array:
    return column.cast(pa.string()).combine_chunks()
