"""Read CSV with Arrow. Python's own CSV reader finds the line of an error."""

import csv
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv as pa_csv

from provhouse.model.errors import BadInput

from . import limits
from .compression import opened, text_lines
from .source import Batch, ReportBytes, Source, unreadable
from .tabular import as_batches

_BROKEN = (pa.ArrowException, OSError, EOFError, ValueError, csv.Error)


def check(source: Source) -> list[str]:
    """Return the column names; raise BadInput if the header is unusable."""
    return _header(source)[0]


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the rows, with every column as text; an empty field is null."""
    return as_batches(source, _tables(source, report))


def _tables(source: Source, report: ReportBytes) -> Iterator[pa.Table]:
    header, alone = _header(source)
    if alone:  # Arrow refuses a header without a line end
        return
    try:
        stream, raw = opened(source.path)
        reader = _reader(stream, header)
        if reader.schema.names != header:
            raise ValueError("The header is ambiguous")
        for number, batch in enumerate(reader, 1):
            yield pa.Table.from_batches([batch])  # pa.table() would cut names at a NUL
            # Arrow reads ahead by blocks, so the raw position alone would be too far.
            part = min(number * limits.BLOCK / source.bytes_unpacked, 1)
            report(min(int(part * raw.size()), raw.tell()))
    except _BROKEN as error:
        line = _broken_line(source.path)
        place = f"{source.path}, line {line}" if line else source.path
        raise unreadable(place, "CSV", error) from error


def _reader(stream: pa.NativeFile, header: list[str]) -> pa_csv.CSVStreamingReader:
    return pa_csv.open_csv(
        stream,
        read_options=pa_csv.ReadOptions(use_threads=False, block_size=limits.BLOCK),
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.string()),
            null_values=[""],  # an empty field is absent, "" is an empty string
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _header(source: Source) -> tuple[list[str], bool]:
    """Return the column names, and whether the file has no line after the header."""
    path = source.path
    csv.field_size_limit(limits.BLOCK)
    try:
        with text_lines(path) as lines:
            header, alone = next(csv.reader(lines), []), next(lines, None) is None
        "".join(header).encode()  # raises for bytes that are not UTF-8
    except UnicodeError as error:
        raise BadInput(
            f"{path}, line 1: the header is not text", f"{error}", "Write it in UTF-8"
        ) from error
    except _BROKEN as error:
        raise unreadable(f"{path}, line 1", "CSV", error) from error
    source.columns.check(f"{path}, line 1", header)
    return header, alone


def _broken_line(path: str) -> int | None:
    """Read the file again, slowly, and return the number of the first invalid line, or None."""
    line = 0
    try:
        with text_lines(path) as lines:
            reader = csv.reader(lines, strict=True)
            width = len(next(reader))
            line = reader.line_num
            for row in reader:
                "".join(row).encode()  # raises for bytes that are not UTF-8
                if row and len(row) != width:
                    return line + 1
                line = reader.line_num
    except _BROKEN:
        return line + 1
    return None
