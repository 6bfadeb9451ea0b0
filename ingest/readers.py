"""From a file to batches of triples: CSV (also compressed) and Parquet.

A file that is not what it claims to be raises BadInput with its name and line. A reader never
decides about single rows: ``stage`` does.
"""

import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from provhouse.model.columns import DST, DST_TABLE, OP, SRC, SRC_TABLE
from provhouse.model.errors import BadInput, UsageError

from .attributes import canonical

FORMATS = {".csv": "csv", ".csv.gz": "csv", ".parquet": "parquet"}
KNOWN = (SRC, DST, OP, SRC_TABLE, DST_TABLE)
BLOCK = 16 << 20
"""Bytes of CSV read at once; a single row must fit."""
ROWS = 1 << 17
"""Rows of Parquet read at once."""


@dataclass(frozen=True)
class Source:
    """One file to read and what it is."""

    path: str
    format: str


@dataclass(frozen=True)
class Batch:
    """Rows as they were read, and the row number of the first (from 1, the header not counted)."""

    first_row: int
    rows: pa.Table
    attributes: pa.Array


def sources(paths: Sequence[Path], input_format: str | None) -> list[Source]:
    """The files that these paths stand for, folders opened, in order, each once.

    Raises BadInput for a path that is not there or a folder without a readable file, UsageError for
    a name that does not tell its format.
    """
    found = [source for path in paths for source in _sources(path, input_format)]
    return list(dict.fromkeys(found))


def _sources(path: Path, input_format: str | None) -> list[Source]:
    if path.is_dir():
        inside = [f for f in sorted(path.rglob("*")) if f.is_file() and _visible(f, path)]
        kept = [
            Source(str(f), input_format or _format(f)) for f in inside if input_format or _format(f)
        ]
        if not kept:
            raise BadInput(
                f"The folder {path} should hold files of triples",
                f"It holds none that ends in {', '.join(FORMATS)}",
                "Name the files themselves and their form with --input",
            )
        return kept
    if not path.exists():
        raise BadInput(f"A file of triples should be at {path}", "There is none", "Check the name")
    if not path.is_file():
        raise BadInput(
            f"{path} should be a file or a folder", "It is a device or a pipe", "Write it to a file"
        )
    known = input_format or _format(path)
    if not known:
        raise UsageError(
            f"The name of {path} should tell its form, by one of the endings {', '.join(FORMATS)}",
            "It does not",
            "Give the form with --input csv or --input parquet",
        )
    return [Source(str(path), known)]


def _visible(file: Path, folder: Path) -> bool:
    return not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _format(path: Path) -> str:
    name = path.name.lower()
    return next((form for ending, form in FORMATS.items() if name.endswith(ending)), "")


def check(source: Source) -> None:
    """Raise BadInput if the beginning of a file shows that it can't be taken in."""
    with _translated(source):
        if source.format == "csv":
            _check_header(source.path, _header(source.path))
        else:
            with pq.ParquetFile(source.path) as file:
                _check_columns(source.path, file.schema_arrow.names)


def batches(source: Source) -> Iterator[Batch]:
    """The rows of a file, a batch at a time; raises BadInput, naming file and line."""
    read = {"csv": _csv, "parquet": _parquet}[source.format]
    row = 1
    with _translated(source):
        for rows in read(source.path):
            yield _batch(row, rows)
            row += rows.num_rows


@contextmanager
def _translated(source: Source) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
        raise _unreadable(source, next(iter(str(error).splitlines()), "it is cut off")) from error


def _batch(row: int, rows: pa.Table) -> Batch:
    extra = rows.select([name for name in rows.column_names if name not in KNOWN])
    known = rows.select([name for name in KNOWN if name in rows.column_names])
    texts = pa.table({n: _text(known[n]) for n in known.column_names})
    return Batch(row, texts, canonical(extra))


def _text(column: pa.ChunkedArray) -> pa.Array:
    return column.cast(pa.string()).combine_chunks()


def _csv(path: str) -> Iterator[pa.Table]:
    header = _header(path)
    _check_header(path, header)
    reader = pa_csv.open_csv(
        _opened(path),
        read_options=pa_csv.ReadOptions(use_threads=False, block_size=BLOCK),
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.string()),
            null_values=[""],  # a field with nothing in it is absent, a quoted nothing is not
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    for batch in reader:
        yield pa.table(batch)


def _opened(path: str) -> pa.NativeFile:
    raw = pa.OSFile(path)
    return pa.CompressedInputStream(raw, "gzip") if path.lower().endswith(".gz") else raw


def _header(path: str) -> list[str]:
    try:
        with _lines(path, "surrogateescape") as lines:
            header = next(csv.reader(lines), [])
        "".join(header).encode()  # what was no UTF-8 cannot be encoded again
        return header
    except (UnicodeError, csv.Error) as error:
        raise BadInput(
            f"{path}, line 1, should be a header with src and dst", f"It is not text: {error}"
        ) from error


def _lines(path: str, errors: str) -> TextIO:
    """The text of a CSV, for Python's own reader, which knows about lines."""
    opened = gzip.open if path.lower().endswith(".gz") else open
    return cast(TextIO, opened(path, "rt", encoding="utf-8-sig", errors=errors, newline=""))


def _check_header(path: str, header: Sequence[str]) -> None:
    missing = [name for name in (SRC, DST) if name not in header]
    if missing:
        raise BadInput(
            f"{path}, line 1, should name the columns src and dst",
            f"It has no {' and no '.join(missing)}: {', '.join(header) or 'it is empty'}",
            "Rename the columns, or name the file that was meant",
        )
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise BadInput(
            f"{path}, line 1, should name each column once",
            f"It names {', '.join(twice)} more than once",
            "Rename or drop one of them",
        )


def _parquet(path: str) -> Iterator[pa.Table]:
    with pq.ParquetFile(path) as file:
        header = file.schema_arrow.names
        _check_columns(path, header)
        for batch in file.iter_batches(ROWS, use_threads=False):
            yield pa.table(batch)


def _check_columns(path: str, header: Sequence[str]) -> None:
    try:
        _check_header(path, header)
    except BadInput as error:
        wanted = error.wanted.replace(", line 1,", "")
        raise BadInput(wanted, error.found, error.remedy) from None


def _unreadable(source: Source, why: str) -> BadInput:
    line = _broken_line(source) if source.format == "csv" else None
    place = f"{source.path}, line {line}," if line else source.path
    kind = {"csv": "CSV", "parquet": "Parquet"}[source.format]
    return BadInput(
        f"{place} should be readable {kind}",
        f"It is not: {why}",
        "Nothing was taken in; mend the file and run the command again",
    )


def _broken_line(source: Source) -> int | None:
    """The line at which a CSV stops being one; found by reading it again, slowly."""
    line = 0
    csv.field_size_limit(BLOCK)
    try:
        with _lines(source.path, "surrogateescape") as lines:
            reader = csv.reader(lines, strict=True)
            width = len(next(reader))
            line = reader.line_num
            for row in reader:
                "".join(row).encode()  # what was no UTF-8 cannot be encoded again
                if row and len(row) != width:
                    return line + 1
                line = reader.line_num
    except (UnicodeError, csv.Error, OSError, EOFError, zlib.error):
        return line + 1
    return None
