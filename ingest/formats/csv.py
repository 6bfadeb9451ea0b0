"""Read CSV and TSV with Arrow. If a file is invalid, Python's own CSV reader finds the line."""

import csv
from collections.abc import Iterator
from itertools import chain

import pyarrow as pa
import pyarrow.csv as pa_csv

from provhouse.model.errors import BadInput

from . import limits
from .compression import check_encoding, opened, text_lines
from .ragged import Ragged
from .source import Batch, ReportBytes, Source, unreadable
from .tabular import as_batches

_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
_BROKEN = (pa.ArrowException, OSError, EOFError, ValueError, csv.Error)


def check(source: Source) -> list[str]:
    """Return the column names; raise BadInput if the header is unusable."""
    return _header(source)[0]


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the rows in batches. All columns are strings; an empty field is null.

    Rows with more or fewer values than the header are rejected.
    """
    ragged = Ragged(_separator(source))
    with ragged.quiet():
        yield from ragged.added(as_batches(source, _tables(source, report, ragged)))


def _separator(source: Source) -> str:
    return "\t" if source.format == "tsv" else ","


def _tables(source: Source, report: ReportBytes, ragged: Ragged) -> Iterator[pa.Table]:
    header, alone = _header(source)
    if alone:  # Arrow refuses a header without a line end
        return
    try:
        stream, raw = opened(source.path)
        reader = _reader(stream, header, _separator(source), ragged)
        if reader.schema.names != header:
            raise ValueError("The header is ambiguous")
        for number, batch in enumerate(reader, 1):
            yield pa.Table.from_batches([batch])  # pa.table() would cut names at a NUL
            # Arrow reads ahead by blocks, so the raw position alone would be too far.
            part = min(number * limits.BLOCK / source.bytes_unpacked, 1)
            report(min(int(part * raw.size()), raw.tell()))
        yield reader.schema.empty_table()  # for the ragged rows after the last batch
    except _BROKEN as error:
        line = _broken_line(source)
        place = f"{source.path}, line {line}" if line else source.path
        raise unreadable(place, "CSV", error) from error


def _reader(
    stream: pa.NativeFile, header: list[str], separator: str, ragged: Ragged
) -> pa_csv.CSVStreamingReader:
    return pa_csv.open_csv(
        stream,
        read_options=pa_csv.ReadOptions(use_threads=False, block_size=limits.BLOCK),
        parse_options=pa_csv.ParseOptions(
            delimiter=separator, newlines_in_values=True, invalid_row_handler=ragged.handle
        ),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.string()),
            null_values=[""],  # an empty field is absent, "" is an empty string
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _header(source: Source) -> tuple[list[str], bool]:
    """Return the column names, and whether the file ends after the header."""
    path = source.path
    check_encoding(path)
    csv.field_size_limit(limits.BLOCK)
    try:
        with text_lines(path) as lines:
            first = next(lines, "")
            rest = chain([first], lines)
            header = next(csv.reader(rest, delimiter=_separator(source)), [])
            alone = next(lines, None) is None
        "".join(header).encode()  # raises for bytes that are not UTF-8
    except UnicodeError as error:
        raise BadInput(
            f"{path}, line 1: the header is not text", f"{error}", "Write it in UTF-8"
        ) from error
    except _BROKEN as error:
        raise unreadable(f"{path}, line 1", "CSV", error) from error
    if first:
        _check_first_line(source, first.strip(), header)
    source.columns.check(f"{path}, line 1", header)
    return header, alone


def _check_first_line(source: Source, line: str, header: list[str]) -> None:
    """Raise BadInput if the first line is blank, or seems to use another separator."""
    if not line:
        raise BadInput(
            f"{source.path}, line 1: the header is missing",
            "The line is blank",
            "Remove the blank lines before the header",
        )
    others = [each for each in _SEPARATORS if each in line and each != _separator(source)]
    if len(header) > 1 or not others:
        return
    found = max(others, key=line.count)
    known = {",": "csv", "\t": "tsv"}.get(found)
    raise BadInput(
        f"{source.path}, line 1: the columns are separated by {_SEPARATORS[found]}",
        f"The expected separator is {_SEPARATORS[_separator(source)]}",
        f"Run the command again with --input {known}"
        if known
        else "Write the file with commas, or with tabs and the ending .tsv",
    )


def _broken_line(source: Source) -> int | None:
    """Read the file again, which is slow; return the number of the first invalid line, or None."""
    line = 0
    try:
        with text_lines(source.path) as lines:
            reader = csv.reader(lines, delimiter=_separator(source), strict=True)
            width = len(next(reader))
            line = reader.line_num
            for row in reader:
                "".join(row).encode()  # raises for bytes that are not UTF-8
                if row and len(row) != width and reader.line_num > line + 1:
                    return line + 1
                line = reader.line_num
    except _BROKEN:
        return line + 1
    return None
