"""Define the input and the output of every format module: a source and a batch of its rows."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from provhouse.model.errors import BadInput

from .column_mapping import AS_NAMED, Columns
from .registry import FORMATS, codec_of

PACKED = 10
"""The assumed ratio of uncompressed to compressed size; provenance compresses well."""


@dataclass(frozen=True)
class Source:
    """A file to read, with its format and its columns."""

    path: str
    format: str
    columns: Columns = AS_NAMED
    constants: tuple[tuple[str, str], ...] = ()
    """Pairs of a column and its value in all rows. Delta tables keep these values in the log."""

    @property
    def bytes_unpacked(self) -> int:
        """The approximate size of the file in bytes, uncompressed."""
        packed = not FORMATS[self.format].compressible or codec_of(self.path)
        return os.path.getsize(self.path) * (PACKED if packed else 1)


ReportBytes = Callable[[int], None]
"""Called with the number of bytes of a file that have been read so far."""


@dataclass(frozen=True)
class Batch:
    """Rows as they were read. ``first_row`` numbers the first of them; headers do not count."""

    first_row: int
    rows: pa.Table
    attributes: pa.Array
    scope: pa.Array | None = None
    """The text that is put before the names of each row."""


def unreadable(place: str, kind: str, error: BaseException) -> BadInput:
    """Return the error for a file, or a place in it, that is not valid in the format ``kind``."""
    why = next((line for line in str(error).splitlines() if line.strip()), "It is truncated")
    return BadInput(
        f"{place}: not readable as {kind}",
        f"{why[0].upper()}{why[1:]}",
        "Nothing was ingested; repair the file and run the command again",
    )
