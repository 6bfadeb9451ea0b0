"""The routes of a page of charts: all bars under given brushes, selected records, and downloads."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import JSONResponse, StreamingResponse

from provhouse.interactive.charts.bars import MAX_BARS
from provhouse.interactive.charts.coded_rows import MAX_VIEWS
from provhouse.model.errors import UsageError

from .page_content import Page
from .selected_rows import Form, Order

Bar = Annotated[int, Field(ge=0, le=MAX_BARS)]
Brushes = Annotated[
    dict[str, Annotated[list[tuple[Bar, Bar]], Field(max_length=MAX_BARS)]],
    Field(max_length=MAX_VIEWS),
]


class BrushRequest(BaseModel):
    """The brushed bars of each view that has a brush, as ranges of adjacent bars.

    A range is a pair: its first bar, and the bar after its last one.
    """

    brushes: Brushes = {}


class Brushing(BrushRequest):
    """A selection, the view whose brush the user is moving, and the measure that the bars show."""

    active: str | None = None
    measure: tuple[str, Literal["sum", "average"]] | None = None


class Listing(BrushRequest):
    """A selection, and the order in which to return its records."""

    order: Order | None = None


class Downloading(Listing):
    """A selection, and the format of the file in which to save it."""

    form: Form


class Viewing(BaseModel):
    """The views to show: each with its name and its binning, in the format of ``--by``."""

    views: Annotated[list[tuple[str, str]], Field(max_length=MAX_VIEWS)]


class Saving(BrushRequest):
    """A selection, and the name to save it under."""

    name: Annotated[str, StringConstraints(max_length=64)]


def add_views(router: APIRouter, find: Callable[..., Page]) -> None:
    """Add the routes to a router. ``find`` is the dependency that returns the page of a request."""
    Shown = Annotated[Page, Depends(find)]

    @router.post("/describe")
    def describe(page: Shown) -> Response:
        return JSONResponse(page.describe())

    @router.post("/brush")
    def brush(asked: Brushing, page: Shown) -> Response:
        if asked.measure and asked.measure[0] not in [one.column for one in page.views.measures]:
            raise UsageError(f"There is no measure {asked.measure[0]!r}")
        return JSONResponse(page.answer(asked.brushes, asked.active, asked.measure))

    @router.post("/views")
    def views(asked: Viewing, page: Shown) -> Response:
        page.show(asked.views)
        return JSONResponse(page.describe())

    @router.post("/first")
    def first(asked: Listing, page: Shown) -> Response:
        return JSONResponse(page.first(asked.brushes, asked.order))

    @router.post("/download")
    def download(asked: Downloading, page: Shown) -> Response:
        content = page.download(asked.brushes, asked.order, asked.form)
        return StreamingResponse(content, media_type="application/octet-stream")

    @router.post("/sql")
    def sql(asked: BrushRequest, page: Shown) -> Response:
        return JSONResponse({"sql": page.sql(asked.brushes)})
