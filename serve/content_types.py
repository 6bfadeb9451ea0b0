"""Choose the format of a response by its request.

The bytes are those that a command would print.
"""

from dataclasses import dataclass
from typing import Annotated, TextIO

from fastapi import Depends, Header, Query

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
MANY_TYPE = "application/x-ndjson"
"""The media type of many JSON answers, one on each line."""
ACCEPTED = {
    **dict.fromkeys(("", "*/*", "application/*", "application/json", MANY_TYPE), Form.json),
    "application/jsonl": Form.lines,
    "text/csv": Form.csv,
    **dict.fromkeys(("text/plain", "text/*"), Form.table),
}
SMALL_ROWS = 5_000
"""Results of up to this many rows are sent in one piece; larger ones are streamed."""


@dataclass(frozen=True)
class ResponseFormat:
    """The requested form. ``width``, ``color`` and ``timing`` apply to printed tables only."""

    form: Form
    width: int
    color: bool
    timing: bool
    csv_safe: bool
    """In CSV, escape cells that a spreadsheet would run as formulas."""

    @property
    def media_type(self) -> str:
        """The media type of one answer."""
        return MEDIA_TYPES[self.form]

    @property
    def many_media_type(self) -> str:
        """The media type of a stream of answers."""
        return MANY_TYPE if self.form is Form.json else self.media_type

    def output(self, handle: TextIO) -> Writer:
        """Return a writer that writes results in this form to ``handle``."""
        return writer_of(
            self.form, handle, width=self.width, color=self.color, timing=self.timing,
            safe=self.csv_safe,
        )  # fmt: skip


async def response_format(
    accept: Annotated[str, Header(include_in_schema=False)] = "",
    width: Annotated[
        int, Query(ge=20, le=1000, description="The width of a table, in characters")
    ] = 100,
    color: Annotated[bool, Query(description="Colour a table for a terminal")] = False,
    timing: Annotated[
        bool, Query(description="Below a table, also show how long each step took")
    ] = False,
    csv_safe: Annotated[
        bool, Query(description="In CSV, escape cells that a spreadsheet would run as formulas")
    ] = False,
) -> ResponseFormat:
    """Return the format of the first supported type in ``Accept``; JSON if it is empty.

    Raises UsageError if no type is supported.
    """
    for media_type in accept.split(","):
        if form := ACCEPTED.get(media_type.partition(";")[0].strip().lower()):
            return ResponseFormat(form, width, color, timing, csv_safe)
    raise UsageError(
        "No type in the Accept header is supported",
        f"It is {accept!r}",
        "Accept application/json, application/jsonl, text/csv or text/plain",
    )


Format = Annotated[ResponseFormat, Depends(response_format)]
"""The type of the parameter through which a route receives the requested format."""


def row_count(result: object) -> int:
    """Return the number of items and triples that a result lists."""
    match result:
        case Answer() | Path():
            return int(result.items.num_rows + result.triples.num_rows)
        case Diff():
            return sum(c.items.num_rows + c.triples.num_rows for c in (result.came, result.went))
    return 0
