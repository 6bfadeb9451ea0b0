"""Write the Parquet files of an export into an empty folder outside the warehouse."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from itertools import count
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64
from provhouse.model.errors import Unavailable, UsageError
from provhouse.store.tables.modules import declarations
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.manifest import ExportPart, part_of

FILE_TRIPLES = 2 << 20
"""The approximate number of triples in one file."""
PIECE_BYTES = 1 << 30
"""The largest number of string bytes to write at once. An Arrow string array can hold 2 GiB."""

OPERATIONS_FILE = "operations.parquet"
"""The name of the file with the descriptions of ops. The file is missing if there are none."""
MODULES_FILE = "modules.json"
"""The name of the file with the declarations of modules. The file is missing if there are none."""


def create_folder(layout: Layout, folder: Path) -> None:
    """Create the folder of an export; raise UsageError if it has files or is in the warehouse."""
    if Path(os.path.realpath(folder)).is_relative_to(layout.root.resolve()):
        raise UsageError(
            f"Cannot export to {folder}",
            f"It is inside the warehouse {layout.root}",
            "Choose a folder outside of the warehouse",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        existing = next(folder.iterdir(), None)
    except OSError as error:
        raise Unavailable(
            f"Cannot export to {folder}",
            f"The folder cannot be created or read: {error.strerror}",
            "Choose another folder",
        ) from error
    if existing:
        raise UsageError(
            f"Cannot export to {folder}",
            f"The folder is not empty: it contains {existing.name}",
            "Choose another folder; if an interrupted export left these files, delete them",
        )


def write_operations(operations: pa.Table, folder: Path) -> ExportPart | None:
    """Write the descriptions of ops, if any, in the format that ``ingest --operations`` reads."""
    if not operations.num_rows:
        return None
    path = folder / OPERATIONS_FILE
    pq.write_table(operations, path, compression="zstd", write_page_checksum=True)
    return part_of(path, operations.num_rows)


def write_modules(modules: pa.Table, folder: Path) -> ExportPart | None:
    """Write the declarations of modules, if any, in the format that ``ingest --modules`` reads."""
    declared = declarations(modules)
    if not declared:
        return None
    path = folder / MODULES_FILE
    path.write_text(json.dumps(list(map(asdict, declared)), indent=1), encoding="utf-8")
    return part_of(path, len(declared))


class ExportWriter:
    """A writer of Parquet files of up to about ``FILE_TRIPLES`` rows, all with one schema."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.parts: list[ExportPart] = []
        self._paths = (folder / f"triples-{number:05d}.parquet" for number in count(1))
        self._schema = schema
        self._current_path = folder
        self._rows = 0
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> "ExportWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self.parts and not self._writer:  # an empty export has one empty file
            self._write(self._schema.empty_table())
        self._end()

    def write(self, rows: pa.Table) -> None:
        """Append rows to the open file, or to a new file; strings may be dictionary-encoded."""
        for low, high in _pieces(rows):
            self._write(rows.slice(low, high - low))

    def _write(self, rows: pa.Table) -> None:
        if self._writer and self._rows + rows.num_rows > FILE_TRIPLES:
            self._end()
        if not self._writer:
            self._current_path = next(self._paths)
            self._writer = pq.ParquetWriter(
                self._current_path, self._schema, compression="zstd", write_page_checksum=True
            )
        self._writer.write_table(rows.select(self._schema.names).cast(self._schema))
        self._rows += rows.num_rows

    def _end(self) -> None:
        if self._writer:
            self._writer.close()
            self.parts.append(part_of(self._current_path, self._rows))
        self._writer, self._rows = None, 0


def _pieces(rows: pa.Table) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows, each with up to ``PIECE_BYTES`` of strings, or with only one row."""
    ends = np.cumsum(sum(map(_lengths, rows.columns), np.zeros(rows.num_rows, np.int64)))
    low = 0
    while low < len(ends):
        before = ends[low - 1] if low else 0
        high = max(int(np.searchsorted(ends, before + PIECE_BYTES, "right")), low + 1)
        yield low, high
        low = high


def _lengths(column: pa.ChunkedArray) -> I64:
    """Return the byte length of each string in a column; numbers count as zero."""
    if not pa.types.is_dictionary(column.type):
        texts = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        return np.asarray(pc.binary_length(column) if texts else pa.repeat(0, len(column)))
    each = [pc.binary_length(one.dictionary).take(one.indices) for one in column.chunks]
    return np.concatenate([np.empty(0, np.int64), *each])
