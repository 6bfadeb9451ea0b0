"""Answers in the form that a request accepts: what a command would print, to the byte."""

from dataclasses import dataclass
from typing import Annotated, TextIO

from fastapi import Depends, Header, Query

from provhouse.model.answer import Answer
from provhouse.model.errors import UsageError
from provhouse.output.csv import CsvOutput
from provhouse.output.form import Form
from provhouse.output.json import JsonOutput
from provhouse.output.json_lines import JsonLinesOutput
from provhouse.output.output import Output
from provhouse.output.table import TableOutput
from provhouse.query.diff import Diff
from provhouse.query.path import Path

MEDIA_TYPES = {
    Form.json: "application/json",
    Form.lines: "application/jsonl",
    Form.csv: "text/csv; charset=utf-8",
    Form.table: "text/plain; charset=utf-8",
}
MANY_TYPE = "application/x-ndjson"
"""Many answers as JSON, one a line."""
ACCEPTED = {
    **dict.fromkeys(("", "*/*", "application/*", "application/json", MANY_TYPE), Form.json),
    "application/jsonl": Form.lines,
    "text/csv": Form.csv,
    **dict.fromkeys(("text/plain", "text/*"), Form.table),
}
SMALL_ROWS = 5_000
"""Rows of a result that is sent in one piece."""


@dataclass(frozen=True)
class ResponseFormat:
    """The form wanted; width, colour and timing are for tables only."""

    form: Form
    width: int
    color: bool
    timing: bool
    csv_safe: bool
    """Of CSV: that no spreadsheet takes a cell for a formula."""

    @property
    def media_type(self) -> str:
        """The type of one answer."""
        return MEDIA_TYPES[self.form]

    @property
    def many_media_type(self) -> str:
        """The type of many answers, one after the other."""
        return MANY_TYPE if self.form is Form.json else self.media_type

    def output(self, handle: TextIO) -> Output:
        """What writes this form."""
        match self.form:
            case Form.json:
                return JsonOutput(handle)
            case Form.lines:
                return JsonLinesOutput(handle)
            case Form.csv:
                return CsvOutput(handle, self.csv_safe)
            case Form.table:
                return TableOutput(handle, self.width, self.color, self.timing)


async def response_format(
    accept: Annotated[str, Header(include_in_schema=False)] = "",
    width: Annotated[int, Query(ge=20, le=1000, description="Of a table, in characters")] = 100,
    color: Annotated[bool, Query(description="Let a table have a terminal's colours")] = False,
    timing: Annotated[bool, Query(description="Let a table tell the time of each step")] = False,
    csv_safe: Annotated[
        bool, Query(description="Let CSV have no cell that a spreadsheet takes for a formula")
    ] = False,
) -> ResponseFormat:
    """The format of the first type that is accepted; JSON where none is named."""
    for media_type in accept.split(","):
        if form := ACCEPTED.get(media_type.partition(";")[0].strip().lower()):
            return ResponseFormat(form, width, color, timing, csv_safe)
    raise UsageError(
        "Accept should be application/json, application/jsonl, text/csv or text/plain",
        f"It is {accept!r}",
    )


Format = Annotated[ResponseFormat, Depends(response_format)]
"""A parameter of a route: the format that the request asks for."""


def row_count(result: object) -> int:
    """How many items and triples a result lists."""
    match result:
        case Answer() | Path():
            return int(result.items.num_rows + result.triples.num_rows)
        case Diff():
            return sum(c.items.num_rows + c.triples.num_rows for c in (result.came, result.went))
    return 0
