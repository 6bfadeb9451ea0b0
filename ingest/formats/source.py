"""What is read, and what comes out of it: the two ends of every reader."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from .column_mapping import AS_NAMED, Columns

FORMATS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
"""Endings behind those of text formats, and the name of the codec."""
PACKED = 10
"""How many times larger packed files are taken to be, once they are read."""


@dataclass(frozen=True)
class Source:
    """One file to read and what it is."""

    path: str
    format: str
    columns: Columns = AS_NAMED
    constants: tuple[tuple[str, str], ...] = ()
    """Columns with one value for all rows, which a Delta table keeps outside of the file."""

    @property
    def bytes_unpacked(self) -> int:
        """About how many bytes it holds once it is read; provenance packs well."""
        packed = self.format in ("parquet", "export") or codec_of(self.path)
        return os.path.getsize(self.path) * (PACKED if packed else 1)


Told = Callable[[int], None]
"""Is told how many bytes of a file are behind, as it is read."""


@dataclass(frozen=True)
class Batch:
    """Rows as they were read, and the row number of the first (from 1, the header not counted)."""

    first_row: int
    rows: pa.Table
    attributes: pa.Array
    scope: pa.Array | None = None
    """What stands in front of each row's names."""


def format_of(path: Path) -> str:
    """The format that a name tells, or nothing."""
    name = path.name.lower()
    plain = name
    for ending in COMPRESSED:
        plain = plain.removesuffix(ending)
    form = next((form for ending, form in FORMATS.items() if plain.endswith(ending)), "")
    return "" if form == "parquet" and plain != name else form


def codec_of(path: str) -> str | None:
    """How a text file is compressed, by its name."""
    name = path.lower()
    return next((codec for ending, codec in COMPRESSED.items() if name.endswith(ending)), None)
