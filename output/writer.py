"""The writer of a result in the chosen form, opened on the destination of the result."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TextIO

from .file import destination
from .form import Form, choose_form
from .shown_result import ShownResult


class Writer(Protocol):
    """A writer of results in one form."""

    def write(self, result: ShownResult) -> None:
        """Write one result."""


@contextmanager
def opened(
    form: Form | None, out: Path | None = None, timing: bool = False, safe: bool = False
) -> Iterator[Writer]:
    """Open a writer on ``out`` or standard output.

    Commands open the writer before any work, so that a bad ``out`` fails early. ``timing`` adds
    the time of each step of an answer to printed tables. ``safe`` makes CSV that no spreadsheet
    takes for formulas. Raises Unavailable if ``out`` cannot be written.
    """
    with destination(out) as handle:
        named = choose_form(form, out, terminal=out is None and handle.isatty())
        yield writer_of(named, handle, timing=timing, safe=safe)


def writer_of(
    form: Form,
    handle: TextIO,
    *,
    width: int | None = None,
    color: bool | None = None,
    timing: bool = False,
    safe: bool = False,
) -> Writer:
    """Return the writer of a form.

    ``safe`` applies only to CSV, and the other options apply only to printed tables.
    """
    match form:
        case Form.json:
            from .json import JsonWriter

            return JsonWriter(handle)
        case Form.lines:
            from .json import JsonLinesWriter

            return JsonLinesWriter(handle)
        case Form.csv:
            from .csv_writer import CsvWriter

            return CsvWriter(handle, safe)
        case Form.parquet:
            from .parquet_writer import ParquetWriter

            return ParquetWriter(handle)
        case Form.table:
            from .table import TableWriter

            return TableWriter(handle, width, color, timing)
