"""The files of an export: Parquet in a folder of their own."""

from itertools import count
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.errors import Unavailable, UsageError
from provhouse.store.layout import Layout
from provhouse.store.manifest import Part, part_of

FILE_TRIPLES = 2 << 20
"""About how many triples are in a file."""


def begin(layout: Layout, folder: Path) -> None:
    """Make the folder of an export; raises UsageError unless it is empty and not of a warehouse."""
    if folder.resolve().is_relative_to(layout.root.resolve()):
        raise UsageError(
            f"The folder {folder} should lie outside of the warehouse",
            f"It is in {layout.root}",
            "Name another folder",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = next(folder.iterdir(), None)
    except OSError as error:
        raise Unavailable(
            f"A folder to export to should be at {folder}",
            f"It cannot be made or read: {error.strerror}",
            "Name another folder",
        ) from error
    if held:
        raise UsageError(
            f"The folder {folder} should be new or empty",
            f"It holds {held.name}",
            "Name another folder, or remove what an export left that was cut off",
        )


class Files:
    """Parquet files of one schema, each begun when the one before it is large enough."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.parts: list[Part] = []
        self._paths = (folder / f"triples-{number:05d}.parquet" for number in count(1))
        self._schema = schema
        self._path = folder
        self._rows = 0
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> "Files":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self.parts and not self._writer:  # of nothing there is one empty file
            self.write(self._schema.empty_table())
        self._end()

    def write(self, rows: pa.Table) -> None:
        """Write rows into the file that is open, or into another one."""
        if self._writer and self._rows + rows.num_rows > FILE_TRIPLES:
            self._end()
        if not self._writer:
            self._path = next(self._paths)
            self._writer = pq.ParquetWriter(
                self._path, self._schema, compression="zstd", write_page_checksum=True
            )
        self._writer.write_table(rows.select(self._schema.names).cast(self._schema))
        self._rows += rows.num_rows

    def _end(self) -> None:
        if self._writer:
            self._writer.close()
            self.parts.append(part_of(self._path, self._rows))
        self._writer, self._rows = None, 0
