"""Set aside the rows of a CSV file that have more or fewer values than the header."""

import csv
import json
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal, Protocol

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64

from .source import REJECTED, Batch


class InvalidRow(Protocol):
    """A row as Arrow passes it to a handler of invalid rows."""

    expected_columns: int
    actual_columns: int
    number: int
    """The row's number. The header is row 1, and empty lines do not count."""
    text: str


class Ragged:
    """The ragged rows of one file, collected while Arrow reads it."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._good_before = array("q")
        """For each ragged row, the number of good rows before it, as 8 bytes."""
        self._rows: list[tuple[int, str, str]] = []

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Suppress the message that Python prints if a ragged row is not UTF-8.

        Arrow cannot pass this row to ``handle``, so Arrow refuses the file, as it should.
        """
        before = sys.unraisablehook

        def report(found: "sys.UnraisableHookArgs") -> None:
            if not (found.object == self.handle and isinstance(found.exc_value, UnicodeError)):
                before(found)

        sys.unraisablehook = report
        try:
            yield
        finally:
            sys.unraisablehook = before

    def handle(self, row: InvalidRow) -> Literal["skip", "error"]:
        """Set a ragged row aside, or refuse the file if the row has an open quote or a line break.

        Such a row may really be many rows that Arrow has read as one.
        """
        if row.text.count('"') % 2 or set("\r\n") & set(row.text.rstrip("\r\n")):
            return "error"
        number = row.number - 1
        self._good_before.append(number - 1 - len(self._good_before))
        values = next(csv.reader([row.text], delimiter=self._separator), [])
        plural = "" if row.actual_columns == 1 else "s"
        reason = f"{row.actual_columns:,} value{plural}, the header has {row.expected_columns:,}"
        self._rows.append((number, reason, json.dumps(values, ensure_ascii=False)))
        return "skip"

    def added(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yield each batch with row numbers, and with the ragged rows found since the last batch.

        The row numbers count the ragged rows too.
        """
        for batch in batches:
            if not self._good_before:
                yield batch
                continue
            rows, self._rows = self._rows, []
            table = pa.Table.from_pylist(
                [dict(zip(REJECTED.names, row, strict=True)) for row in rows], REJECTED
            )
            yield replace(batch, numbers=self._numbers(batch), rejected=table)

    def _numbers(self, batch: Batch) -> I64:
        """Return the number of each row in the file, counting the ragged rows before it."""
        before: I64 = np.frombuffer(self._good_before, np.int64)
        good = np.arange(batch.first_row - 1, batch.first_row - 1 + batch.rows.num_rows)
        numbers: I64 = good + 1 + np.searchsorted(before, good, "right")
        return numbers
