"""The charts tab of the warehouse's page: charts of the records of items, for administrators."""

import io
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
from fastapi import APIRouter, FastAPI, Response
from fastapi.responses import JSONResponse
from numpy import int64
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from provhouse.interactive.charts.guess import guessed
from provhouse.interactive.charts.linked_views import ChartViews
from provhouse.interactive.charts.saved_selection import item, write_trace
from provhouse.model.errors import UsageError
from provhouse.model.question import AsOf, Direction, Question

from ..answering import Answering
from ..people import ADMIN_ONLY
from ..problems import RefusedRequest
from ..static_files import HEADERS
from .chart_files import chart_files
from .chart_routes import Saving, add_views
from .file_page import check_name
from .item_records import ChartedRecords, item_records
from .page_content import Page, Ranges

FILES = "/charts/"
"""The path of the tab, and the beginning of the paths of its files, which need no token."""
ROUTES = "/v1/charts"
MOST_PAGES = 8
"""The largest number of open pages. A further page replaces the least recently used one."""
BUDGET_MB = 128
"""The memory limit for the rows and cubes of each page, in megabytes."""


class Charted(BaseModel, extra="forbid"):
    """Which records of a table to show: those in the item's answer, or all if no item is named."""

    table: Annotated[str, Field(min_length=1)]
    item: str = ""
    direction: Direction = "upstream"
    depth: Annotated[int, Field(ge=1)] | None = None
    as_of: AsOf | None = None


@dataclass
class ItemPage(Page):
    """Charts of the records of items."""

    records: ChartedRecords

    def describe(self) -> dict[str, Any]:
        """Return the page's constant data: what does not change while the page is open."""
        return {**super().describe(), "missing": self.records.missing}

    def trace(self, brushes: dict[str, Ranges], name: str) -> bytes:
        """Return the trace of a selection. Raises UsageError for an unsuitable name."""
        check_name(name)
        rows, out = self.selected(brushes, None, self.views.rows), io.BytesIO()
        ends = partial(_ends, self.records.table.column(0))
        write_trace(self.records.name, rows, ends, (item(name), self.described(brushes)), out)
        return out.getvalue()


def _telling(table: pa.Table) -> list[str]:
    """Return the columns worth a chart: all but the items, and strings that are all distinct."""
    return [
        name
        for name in table.column_names[1:]
        if not pa.types.is_string(table.schema.field(name).type)
        or len(table) > pc.count_distinct(table.column(name)).as_py()
    ]


def _ends(items: pa.ChunkedArray, rows: NDArray[int64]) -> pa.Table:
    return pa.table({"src": items.take(pa.array(rows))})


@dataclass
class OpenPages:
    """The pages that people have opened, by their random IDs."""

    _pages: OrderedDict[str, ItemPage] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def open(self, records: ChartedRecords) -> tuple[str, ItemPage]:
        """Make a page of records. Raises UsageError if no column can be shown."""
        views = guessed(records.table.select(_telling(records.table)))
        if not views:
            raise UsageError(
                f"No column of {records.name} can be shown",
                "None has several numbers, dates or strings",
                "Choose another table",
            )
        page = ItemPage(records, ChartViews(records.table, views, (), None, BUDGET_MB))
        number = secrets.token_urlsafe(16)
        with self._lock:
            self._pages[number] = page
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)
        return number, page

    def find(self, number: str) -> ItemPage:
        """Return an open page. Raises RefusedRequest if it was closed."""
        with self._lock:
            if number not in self._pages:
                raise RefusedRequest(
                    404, "These charts are closed", "Other charts needed the room, or the server "
                    "has started again", "Load the page again", {},
                )  # fmt: skip
            self._pages.move_to_end(number)
            return self._pages[number]


def add_charts(app: FastAPI, answering: Answering) -> None:
    """Add the tab to the application of a warehouse's server."""
    pages = OpenPages()

    @app.get(f"{FILES}{{name:path}}", include_in_schema=False)
    async def static(name: str) -> Response:
        file = chart_files().get(name or "page.html")
        if file is None:
            raise RefusedRequest(404, "There is no such file", "", "Open the page at /", {})
        return Response(file.content, media_type=file.media_type, headers=HEADERS)

    router = APIRouter(prefix=ROUTES, dependencies=[ADMIN_ONLY], include_in_schema=False)

    @router.post("/open")
    async def open_page(asked: Charted) -> Response:
        async with answering.limiter.slot():
            number, page = await run_in_threadpool(_opened, pages, answering, asked)
        return JSONResponse({**page.describe(), "number": number})

    of_page = APIRouter(prefix="/{number}")
    add_views(of_page, pages.find)

    @of_page.post("/trace")
    def trace(number: str, asked: Saving) -> Response:
        content = pages.find(number).trace({**asked.brushes}, asked.name)
        return Response(content, media_type="application/octet-stream")

    router.include_router(of_page)
    app.include_router(router)


def _opened(pages: OpenPages, answering: Answering, asked: Charted) -> tuple[str, ItemPage]:
    keeper = answering.keeper
    question = Question(
        asked.item, asked.direction, depth=asked.depth, tables=(asked.table,), as_of=asked.as_of
    )
    with keeper.asker(asked.as_of) as asker:
        return pages.open(item_records(asker, keeper.layout, asked.table, question))
