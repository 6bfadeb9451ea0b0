"""CSV for spreadsheets and shell tools: one header line, and line feeds as line ends."""

import csv
import json
from collections.abc import Iterable
from typing import TextIO

from .escape import OnTerminal
from .shown_result import ShownResult

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


class CsvWriter:
    """A writer of CSV.

    ``safe`` puts an apostrophe before text that a spreadsheet would interpret as a formula.
    """

    def __init__(self, handle: TextIO, safe: bool = False) -> None:
        lines = _LineFeeds(OnTerminal(handle) if handle.isatty() else handle)
        self._writer = _FormulaSafe(lines) if safe else csv.writer(lines, lineterminator="\r\n")

    def write(self, result: ShownResult) -> None:
        """Write the column names and the rows: None as an empty cell, lists and maps as JSON."""
        columns, rows = result.csv()
        self._writer.writerow(columns)
        self._writer.writerows([_cell(value) for value in row] for row in rows)


class _LineFeeds:
    """A handle that replaces the CR LF at the end of each row by LF.

    The CSV writer that uses it ends rows in CR LF, because only then does ``csv`` quote cells that
    contain CR or LF.
    """

    def __init__(self, handle: "TextIO | OnTerminal") -> None:
        self._handle = handle

    def write(self, row: str) -> int:
        return self._handle.write(row.removesuffix("\r\n") + "\n")


class _FormulaSafe:
    """A writer of rows whose text no spreadsheet interprets as a formula, as OWASP advises.

    Every cell is quoted, because some spreadsheets also split unquoted cells at semicolons.
    """

    def __init__(self, handle: _LineFeeds) -> None:
        self._writer = csv.writer(handle, lineterminator="\r\n", quoting=csv.QUOTE_ALL)

    def writerow(self, row: Iterable[object]) -> None:
        self._writer.writerow([_no_formula(cell) for cell in row])

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        for row in rows:
            self.writerow(row)


def _no_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value
