"""Answers in the form that a request accepts: what a command would print, to the byte."""

import io
from dataclasses import dataclass
from typing import TextIO

from provhouse.model.errors import UsageError
from provhouse.output.csv import CsvOutput
from provhouse.output.form import Form
from provhouse.output.json import JsonOutput
from provhouse.output.output import Output
from provhouse.output.table import TableOutput
from provhouse.query.answer import Answer

MEDIA_TYPES = {
    Form.json: "application/json",
    Form.csv: "text/csv; charset=utf-8",
    Form.table: "text/plain; charset=utf-8",
}
LINES = "application/x-ndjson"
"""Many answers as JSON, one a line."""
SMALL = 5_000
"""Rows of an answer that is sent in one piece."""


@dataclass(frozen=True)
class Look:
    """The form wanted; width and colour are those of a terminal, for tables only."""

    form: Form
    width: int
    color: bool

    def output(self, handle: TextIO) -> Output:
        """What writes this form."""
        match self.form:
            case Form.json:
                return JsonOutput(handle)
            case Form.csv:
                return CsvOutput(handle)
            case Form.table:
                return TableOutput(handle, self.width, self.color)


def wanted(accept: str, width: int, color: bool) -> Look:
    """The look of the first kind that is accepted; JSON where none is named."""
    for kind in accept.split(","):
        match kind.partition(";")[0].strip().lower():
            case "" | "*/*" | "application/*" | "application/json" | "application/x-ndjson":
                return Look(Form.json, width, color)
            case "text/csv":
                return Look(Form.csv, width, color)
            case "text/plain" | "text/*":
                return Look(Form.table, width, color)
    raise UsageError(
        "Accept should be application/json, text/csv or text/plain", f"It is {accept!r}"
    )


def is_small(answer: Answer) -> bool:
    """Whether an answer is not worth being sent in pieces."""
    return bool(answer.items.num_rows + answer.triples.num_rows <= SMALL)


def written(look: Look, answer: Answer) -> bytes:
    """A whole answer."""
    handle = io.StringIO()
    look.output(handle).answer(answer)
    return handle.getvalue().encode()
