"""The writer of a result in the chosen format, opened for the result's destination."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TextIO

from provhouse.pictures.formats import Picture

from .file import destination
from .form import AnyForm, Form, choose_form
from .shown_result import ShownResult


class Writer(Protocol):
    """A writer of results in one format."""

    def write(self, result: ShownResult) -> None:
        """Write one result."""


@contextmanager
def opened(
    form: AnyForm | None,
    out: Path | None = None,
    timing: bool = False,
    safe: bool = False,
    *,
    pictured: bool = False,
) -> Iterator[Writer]:
    """Open a writer on ``out`` or standard output.

    Commands open the writer before any work, so that a bad ``out`` fails early. ``timing`` adds the
    time of each step of an answer to printed tables. ``safe`` writes CSV whose cells no spreadsheet
    interprets as formulas. ``pictured`` is whether the result can be drawn. Raises Unavailable if
    ``out`` cannot be written.
    """
    with destination(out) as handle:
        terminal = out is None and handle.isatty()
        named = choose_form(form, out, terminal, pictured=pictured)
        yield writer_of(named, handle, timing=timing, safe=safe)


def writer_of(
    form: AnyForm,
    handle: TextIO,
    *,
    width: int | None = None,
    color: bool | None = None,
    timing: bool = False,
    safe: bool = False,
) -> Writer:
    """Return the writer for a format.

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
        case Picture():
            from .picture_writer import PictureWriter

            return PictureWriter(handle, form)
