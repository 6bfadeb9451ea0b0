"""Read Parquet one row group at a time, in pieces that are small even if names are long."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from . import limits
from .source import Batch, ReportBytes, Source, unreadable
from .tabular import as_batches

PIECE = 1 << 10
"""The number of rows to decode at once.

It is small, because long names that are repeated take much more memory when decoded.
"""
_BROKEN = (pa.ArrowException, OSError, EOFError, UnicodeError)


def check(source: Source) -> list[str]:
    """Return the column names; raise BadInput if the footer is missing or lacks src or dst."""
    with _opened(source) as file:
        return _columns(source, file)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the rows as batches of triples."""
    return as_batches(source, tables(source, report))


def tables(source: Source, report: ReportBytes) -> Iterator[pa.Table]:
    """Yield the rows as Arrow tables, with the types that the file has."""
    with _opened(source) as file:
        rows, size = 0, os.path.getsize(source.path)
        unpacked = limits.Unpacked(source.path, limits.PARQUET_TIMES)
        for group in range(file.num_row_groups):
            try:
                for table in _gathered(file, group):
                    rows += table.num_rows
                    unpacked.add(table.nbytes)
                    # The number of rows in the footer may be wrong.
                    report(size * rows // max(file.metadata.num_rows, rows))
                    yield table
            except _BROKEN as error:
                place = f"{source.path}, row group {group + 1}"
                raise unreadable(place, "Parquet", error) from error


@contextmanager
def _opened(source: Source) -> Iterator[pq.ParquetFile]:
    try:
        file = pq.ParquetFile(source.path, page_checksum_verification=True)
        columns = _columns(source, file)
    except _BROKEN as error:
        raise unreadable(source.path, "Parquet", error) from error
    with file:
        source.columns.check(source.path, columns)
        yield file


def _columns(source: Source, file: pq.ParquetFile) -> list[str]:
    own = file.schema_arrow.names
    return [*own, *(name for name, _ in source.constants if name not in own)]


def _gathered(file: pq.ParquetFile, group: int) -> Iterator[pa.Table]:
    """Yield the rows of a row group, in Arrow tables of about ``limits.BLOCK`` bytes."""
    pieces: list[pa.RecordBatch] = []
    size = rows = read = 0
    for piece in file.iter_batches(PIECE, [group], use_threads=False):
        piece.validate(full=True)  # the only check for text that is not UTF-8
        pieces.append(piece := _decoded(piece))
        size, rows = size + piece.nbytes, rows + piece.num_rows
        read += piece.num_rows
        if size > limits.BLOCK or rows > limits.ROWS - PIECE:
            yield pa.Table.from_batches(pieces)
            pieces, size, rows = [], 0, 0
    wanted = file.metadata.row_group(group).num_rows
    if read != wanted:  # Arrow cuts columns of different lengths to the shortest
        raise pa.ArrowInvalid(f"It has {read:,} rows instead of {wanted:,}")
    if pieces:
        yield pa.Table.from_batches(pieces)


def _decoded(piece: pa.RecordBatch) -> pa.RecordBatch:
    """Return ``piece`` without dictionaries, so that each repeated value counts in its size."""
    for at, field in enumerate(piece.schema):
        if pa.types.is_dictionary(field.type):
            piece = piece.set_column(at, field.name, piece.column(at).dictionary_decode())
    return piece
