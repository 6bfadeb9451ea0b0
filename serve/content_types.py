"""Choose the format of a response from the request's header ``Accept`` and its parameters.

In each format, a response has the bytes that a command would print.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, TextIO

from fastapi import Depends, Header, Query, Request

from provhouse.model.answer import Answer, LargeAnswer
from provhouse.model.errors import ProvhouseError, UsageError
from provhouse.output.form import AnyForm, Form, Order
from provhouse.output.writer import Writer, writer_of
from provhouse.pictures.formats import Picture
from provhouse.query.consequences.what_if import WhatIf
from provhouse.query.lineage.diff import Diff
from provhouse.query.lineage.path import Paths

from .problems import problem

ARROW_TYPE = "application/vnd.apache.arrow.stream"
PICTURE_TYPES: dict[AnyForm | None, str] = {
    Picture.svg: "image/svg+xml",
    Picture.dot: "text/vnd.graphviz; charset=utf-8",
    Picture.mermaid: "text/vnd.mermaid; charset=utf-8",
    Picture.html: "text/html; charset=utf-8",
}
MEDIA_TYPES: dict[AnyForm | None, str] = {
    **PICTURE_TYPES,
    Form.json: "application/json",
    Form.lines: "application/jsonl",
    Form.csv: "text/csv; charset=utf-8",
    Form.table: "text/plain; charset=utf-8",
    None: ARROW_TYPE,
}
MANY_TYPE = "application/x-ndjson"
"""The media type of many JSON answers, one on each line."""
ACCEPTED: dict[str, AnyForm | None] = {
    **{kind.partition(";")[0]: form for form, kind in PICTURE_TYPES.items()},
    **dict.fromkeys(("", "*/*", "application/*", "application/json", MANY_TYPE), Form.json),
    "application/jsonl": Form.lines,
    "text/csv": Form.csv,
    **dict.fromkeys(("text/plain", "text/*"), Form.table),
    ARROW_TYPE: None,
}
SMALL_ROWS = 5_000
"""The largest number of rows of a result that is sent in one piece; larger results are streamed."""


@dataclass(frozen=True)
class ResponseFormat:
    """The format of a response; ``width``, ``color`` and ``timing`` are for printed tables only."""

    form: AnyForm | None
    """The format of the text; None for an Arrow stream, which is binary."""
    width: int
    color: bool
    timing: bool
    csv_safe: bool
    """Whether CSV escapes cells that a spreadsheet would run as formulas."""
    order: Order = Order.auto
    report: Callable[[ProvhouseError], bytes] = field(default=lambda _: b"", compare=False)
    """A function that returns the bytes that report an error to the client.

    It is called if the error occurs after a part of the response was sent. It returns empty bytes
    if the format cannot contain a report.
    """

    @property
    def as_found(self) -> bool:
        """Whether the rows of a large answer may be sent as they are found."""
        return self.form is Form.lines and self.order is Order.auto

    @property
    def media_type(self) -> str:
        """The media type of one answer."""
        return MEDIA_TYPES[self.form]

    @property
    def many_media_type(self) -> str:
        """The media type of a stream of answers."""
        return MANY_TYPE if self.form is Form.json else self.media_type

    def output(self, handle: TextIO) -> Writer:
        """Return a writer of results to ``handle`` in this format, which must be a text format."""
        assert self.form
        return writer_of(
            self.form, handle, width=self.width, color=self.color, timing=self.timing,
            safe=self.csv_safe,
        )  # fmt: skip


async def response_format(
    request: Request,
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
    order: Annotated[
        Order,
        Query(
            description="In JSON lines, `auto` sends the rows of an answer of over a million items"
            " as they are found; `depth` sorts them by depth, then name"
        ),
    ] = Order.auto,
    provhouse_mark: Annotated[str, Header(include_in_schema=False, max_length=64)] = "",
) -> ResponseFormat:
    """Return the format of the first supported type in ``accept``; JSON if ``accept`` is empty.

    Raises UsageError if no type is supported.
    """
    for media_type in accept.split(","):
        kind = media_type.partition(";")[0].strip().lower()
        if kind in ACCEPTED:

            def report(error: ProvhouseError) -> bytes:
                return provhouse_mark.encode() + bytes(problem(error, request).body)

            form = ResponseFormat(ACCEPTED[kind], width, color, timing, csv_safe, order)
            return replace(form, report=report) if provhouse_mark else form
    raise UsageError(
        "No type in the Accept header is supported",
        f"It is {accept!r}",
        f"Accept application/json, application/jsonl, text/csv, text/plain or {ARROW_TYPE}, or for "
        f"a picture {', '.join(each.partition(';')[0] for each in PICTURE_TYPES.values())}",
    )


Format = Annotated[ResponseFormat, Depends(response_format)]
"""The type of a route's parameter that receives the requested format."""


def row_count(result: object) -> int:
    """Return the number of items and triples that a result lists."""
    match result:
        case LargeAnswer():
            return result.count
        case Answer() | Paths():
            return int(result.items.num_rows + result.triples.num_rows)
        case Diff():
            return sum(c.items.num_rows + c.triples.num_rows for c in (result.came, result.went))
        case WhatIf():
            return sum(each.num_rows for each in (result.items, result.changed, result.unknown))
    return 0
