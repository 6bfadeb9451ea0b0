"""The writer of each form: what a command hands its result to."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TextIO

from .file import destination
from .form import Form, choose_form
from .result import Result


class Writer(Protocol):
    """Writes results in one form."""

    def write(self, result: Result) -> None:
        """Write one result."""


@contextmanager
def opened(
    form: Form | None, out: Path | None = None, timing: bool = False, safe: bool = False
) -> Iterator[Writer]:
    """The output for one result, in the form asked for; opened before any work begins.

    ``timing`` lets a table show the steps of an answer, ``safe`` makes CSV that no spreadsheet
    takes for formulas. Raises Unavailable if ``out`` can't be
    written.
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
    """The writer of a form; width, colour and timing are for tables, ``safe`` is for CSV."""
    match form:
        case Form.json:
            from .json import JsonWriter

            return JsonWriter(handle)
        case Form.lines:
            from .json import JsonLinesWriter

            return JsonLinesWriter(handle)
        case Form.csv:
            from .csv import CsvWriter

            return CsvWriter(handle, safe)
        case Form.table:
            from .table import TableWriter

            return TableWriter(handle, width, color, timing)
