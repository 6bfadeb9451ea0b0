"""Parquet: a row group at a time, in pieces that stay small however long names are."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from . import limits
from .source import Batch, ReportBytes, Source, unreadable
from .tabular import as_batches

PIECE = 1 << 10
"""Rows decoded at once: a page of one long name repeated is small, its rows are not."""
_BROKEN = (pa.ArrowException, OSError, EOFError, UnicodeError)


def check(source: Source) -> list[str]:
    """The columns; raises BadInput without a Parquet footer, or without src or dst in it."""
    with _opened(source) as file:
        return _columns(source, file)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """The rows, with the types that they have in the file."""
    return as_batches(source, tables(source, report))


def tables(source: Source, report: ReportBytes) -> Iterator[pa.Table]:
    """The rows, with the types that they have in the file."""
    with _opened(source) as file:
        rows, size = 0, os.path.getsize(source.path)
        unpacked = limits.Unpacked(source.path, limits.PARQUET_TIMES)
        for group in range(file.num_row_groups):
            try:
                for table in _gathered(file, group):
                    rows += table.num_rows
                    unpacked.add(table.nbytes)
                    report(size * rows // max(file.metadata.num_rows, rows))  # a footer may lie
                    yield table
            except _BROKEN as error:
                place = f"{source.path}, row group {group + 1},"
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
    return [*file.schema_arrow.names, *(name for name, _ in source.constants)]


def _gathered(file: pq.ParquetFile, group: int) -> Iterator[pa.Table]:
    """Pieces of a row group put together until they are a block."""
    pieces: list[pa.RecordBatch] = []
    size = rows = read = 0
    for piece in file.iter_batches(PIECE, [group], use_threads=False):
        piece.validate(full=True)  # text that is no UTF-8 is found here or by nobody
        pieces.append(piece := _decoded(piece))
        size, rows = size + piece.nbytes, rows + piece.num_rows
        read += piece.num_rows
        if size > limits.BLOCK or rows > limits.ROWS - PIECE:
            yield pa.Table.from_batches(pieces)
            pieces, size, rows = [], 0, 0
    wanted = file.metadata.row_group(group).num_rows
    if read != wanted:  # columns of unlike lengths are cut to the shortest
        raise pa.ArrowInvalid(f"It has {read:,} rows and should have {wanted:,}")
    if pieces:
        yield pa.Table.from_batches(pieces)


def _decoded(piece: pa.RecordBatch) -> pa.RecordBatch:
    """The piece without dictionaries, whose size says little about what they stand for."""
    for at, field in enumerate(piece.schema):
        if pa.types.is_dictionary(field.type):
            piece = piece.set_column(at, field.name, piece.column(at).dictionary_decode())
    return piece
