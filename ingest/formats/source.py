"""The input and output of every format module: a source and a batch of its rows."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

from .column_mapping import AS_NAMED, ColumnNames
from .registry import FORMATS, codec_of

PACKED = 10
"""The assumed ratio of uncompressed to compressed size; provenance compresses well."""


@dataclass(frozen=True)
class Source:
    """A file to read, with its format and its columns."""

    path: str
    format: str
    columns: ColumnNames = AS_NAMED
    constants: tuple[tuple[str, str | None], ...] = ()
    """Pairs of a column and its value in all rows, from a Delta table's log or a folder's name.

    A column of the same name in the file takes precedence.
    """
    label: str = ""
    """The name, in messages, of rows that a program passed. It is empty for a file of the user."""
    first_row: int = 1
    """The number of the first row.

    It is above 1 if sources with the same label come before this one.
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
        """Return a batch with the known names that have one value in every row."""
        rows = batch.rows
        for name, value in self.columns.constants:
            rows = rows.append_column(name, pa.repeat(pa.scalar(value), rows.num_rows))
        return replace(batch, rows=rows)


ReportBytes = Callable[[int], None]
"""A function that receives the number of bytes of a file read so far."""


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
    """For each row, the text to put before its names."""
    numbers: I64 | None = None
    rejected: pa.Table | None = None
    """Rows that the format's module could not read, with the columns of ``REJECTED``."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """The number of parts of a document that do not become triples, by name."""

    def numbers_at(self, places: I64) -> I64:
        """Return the numbers of the rows at these places in the batch."""
        return self.first_row + places if self.numbers is None else self.numbers[places]


REJECTED = pa.schema([("row", pa.int64()), ("reason", pa.string()), ("content", pa.string())])
"""The columns of rejected rows; the content is JSON."""


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
"""Phrases in errors of Arrow and Python, each with its meaning for the input file."""


def unreadable(place: str, kind: str, error: BaseException) -> BadInput:
    """Return the error for a file, or a place in it, that is invalid in the format ``kind``."""
    first = next((line for line in str(error).splitlines() if line.strip()), "It is truncated")
    why = next((plain for part, plain in _PLAIN if part in first), first)
    return BadInput(
        f"{place}: not readable as {kind}",
        f"{why[0].upper()}{why[1:]}",
        "Nothing was ingested; repair the file and run the command again",
    )
