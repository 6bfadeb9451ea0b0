"""The input and output of every format module: a source and a batch of its rows."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

from .column_mapping import AS_NAMED, ColumnNames
from .known_formats import FORMATS, codec_of

PACKED = 10
"""The assumed ratio of uncompressed to compressed size; provenance compresses well."""


@dataclass(frozen=True)
class Source:
    """A file to read, with its format and its columns."""

    path: str
    format: str
    columns: ColumnNames = AS_NAMED
    constants: tuple[tuple[str, str | None], ...] = ()
    """Pairs of a column and its value in all rows, from a Delta table's log or folder names.

    A column of the same name in the file takes precedence.
    """
    label: str = ""
    """The name in messages for rows that a program has passed; empty for the user's files."""
    first_row: int = 1
    """The number of the first row.

    It is above 1 if earlier sources have the same label.
    """

    @property
    def name(self) -> str:
        """The source's name in messages: the path of a file, or the label."""
        return self.label or self.path

    @property
    def origin(self) -> str:
        """The source's name in the table of origins: the absolute path of a file, or the label."""
        return self.label or os.path.abspath(self.path)

    @property
    def bytes_unpacked(self) -> int:
        """The approximate size of the file in bytes, uncompressed."""
        packed = FORMATS[self.format].packed or codec_of(self.path)
        return os.path.getsize(self.path) * (PACKED if packed else 1)

    def with_constants(self, batch: "Batch") -> "Batch":
        """Return ``batch`` with a column for each known name that has one value in every row."""
        rows = batch.rows
        for name, value in self.columns.constants:
            rows = rows.append_column(name, pa.repeat(pa.scalar(value), rows.num_rows))
        return replace(batch, rows=rows)


ReportBytes = Callable[[int], None]
"""A function that is called with the number of bytes that were read from a file so far."""


@dataclass(frozen=True)
class Batch:
    """Rows as they were read."""

    first_row: int
    """The number of the first row; headers do not count.

    The rows have consecutive numbers, unless ``numbers`` has the number of each row.
    """
    rows: pa.Table
    attributes: pa.Array
    scope: pa.Array | None = None
    """For each row, the prefix for its names."""
    numbers: I64 | None = None
    rejected: pa.Table | None = None
    """Rows that the format's module could not read, with the columns of ``REJECTED``."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """The number of document parts that did not become triples, by kind of part."""

    def numbers_at(self, places: I64) -> I64:
        """Return the numbers of the rows at the positions ``places`` in the batch."""
        return self.first_row + places if self.numbers is None else self.numbers[places]


REJECTED = pa.schema([("row", pa.int64()), ("reason", pa.string()), ("content", pa.string())])
"""The columns of rejected rows; ``content`` is JSON."""


_PLAIN = (
    ("Parquet magic bytes not found", "It does not end as a Parquet file does"),
    ("Parquet file size is 0 bytes", "It is empty"),
    ("Corrupt snappy compressed data", "Its compressed data are damaged"),
    ("invalid UTF8 data", "The text is not UTF-8"),
    ("Invalid UTF8 payload", "The text is not UTF-8"),
    ("codec can't decode byte", "The text is not UTF-8"),
    ("incorrect header check", "It is not compressed as .gz"),
    ("Unknown frame descriptor", "It is not compressed as .zst"),
    ("data is not bz2-compressed", "It is not compressed as .bz2"),
    ("Truncated compressed stream", "The end of the compressed file is missing"),
    ("out of sync with chunker", "A quote is not closed"),
    ("straddling object", "A row is longer than 16 MB, or a quote is not closed"),
    ("CSV parse error: ", "A quote is not closed, or a row with line breaks is too long or short"),
    ("Expecting value: ", "It is not a JSON object"),
)
"""Phrases in error messages of Arrow and Python, each with its meaning for the input file."""


def unreadable(place: str, kind: str, error: BaseException) -> BadInput:
    """Return the error for a file, or a part of it, that is not valid in the format ``kind``."""
    first = next((line for line in str(error).splitlines() if line.strip()), "It is truncated")
    why = next((plain for part, plain in _PLAIN if part in first), first)
    return BadInput(
        f"{place}: not readable as {kind}",
        f"{why[0].upper()}{why[1:]}",
        "Nothing was ingested; repair the file and run the command again",
    )
