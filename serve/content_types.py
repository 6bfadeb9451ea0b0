"""Answers in the form that a request accepts: what a command would print, to the byte."""

from dataclasses import dataclass
from typing import TextIO

from provhouse.model.answer import Answer
from provhouse.model.errors import UsageError
from provhouse.output.form import Form
from provhouse.output.writer import Writer, writer_of
from provhouse.query.diff import Diff
from provhouse.query.path import Path

MEDIA_TYPES = {
    Form.json: "application/json",
    Form.lines: "application/jsonl",
    Form.csv: "text/csv; charset=utf-8",
    Form.table: "text/plain; charset=utf-8",
}
LINES = "application/x-ndjson"
"""Many answers as JSON, one a line."""
SMALL = 5_000
"""Rows of a result that is sent in one piece."""


@dataclass(frozen=True)
class Look:
    """The form wanted; width, colour and timing are for tables only."""

    form: Form
    width: int
    color: bool
    timing: bool
    safe: bool
    """Of CSV: that no spreadsheet takes a cell for a formula."""

    def output(self, handle: TextIO) -> Writer:
        """What writes this form."""
        return writer_of(
            self.form, handle, width=self.width, color=self.color, timing=self.timing,
            safe=self.safe,
        )  # fmt: skip


def wanted(accept: str, width: int, color: bool, timing: bool, safe: bool) -> Look:
    """The look of the first kind that is accepted; JSON where none is named."""
    for kind in accept.split(","):
        match kind.partition(";")[0].strip().lower():
            case "" | "*/*" | "application/*" | "application/json" | "application/x-ndjson":
                return Look(Form.json, width, color, timing, safe)
            case "application/jsonl":
                return Look(Form.lines, width, color, timing, safe)
            case "text/csv":
                return Look(Form.csv, width, color, timing, safe)
            case "text/plain" | "text/*":
                return Look(Form.table, width, color, timing, safe)
    raise UsageError(
        "Accept should be application/json, application/jsonl, text/csv or text/plain",
        f"It is {accept!r}",
    )


def rows(result: object) -> int:
    """How many items and triples a result lists."""
    match result:
        case Answer() | Path():
            return int(result.items.num_rows + result.triples.num_rows)
        case Diff():
            return sum(c.items.num_rows + c.triples.num_rows for c in (result.came, result.went))
    return 0
