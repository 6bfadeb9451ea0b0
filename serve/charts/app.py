"""The HTTP application of a page: its files, and the routes of its script below `/v1/`."""

from typing import Annotated, Literal

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import JSONResponse, StreamingResponse

from provhouse.interactive.charts.bars import MAX_BARS
from provhouse.interactive.charts.coded_rows import MAX_VIEWS
from provhouse.model.errors import UsageError

from ..auth import Access, AccessMiddleware
from ..people import Unidentified
from ..problems import RefusedRequest, install_handlers
from ..requests import Opening
from ..static_files import HEADERS, StaticFile, files_of_jar, media_type, own_files
from .page import Page
from .selected_rows import Form, Order
from .visitor import Visitor

FILES = (
    "page.html",
    "page.css",
    "page.js",
    "axes.js",
    "bars.js",
    "list.js",
    "grid.js",
    "table.js",
    "state.js",
    "views.js",
)
Bar = Annotated[int, Field(ge=0, le=MAX_BARS)]
Brushes = Annotated[
    dict[str, Annotated[list[tuple[Bar, Bar]], Field(max_length=MAX_BARS)]],
    Field(max_length=MAX_VIEWS),
]


class BrushRequest(BaseModel):
    """The brushed bars, as runs of neighbours, of each view that has a brush.

    A run is a pair: the first bar, and the bar after the last.
    """

    brushes: Brushes = {}


class Brushing(BrushRequest):
    """A selection, the view whose brush is being moved, and the measure that the bars show."""

    active: str | None = None
    measure: tuple[str, Literal["sum", "average"]] | None = None


class Listing(BrushRequest):
    """A selection, and the order of its records."""

    order: Order | None = None


class Downloading(Listing):
    """A selection to be saved as a file."""

    form: Form


class Viewing(BaseModel):
    """The views to show: the name of each, and the way to divide it, as ``--by`` has it."""

    views: Annotated[list[tuple[str, str]], Field(max_length=MAX_VIEWS)]


class Saving(BrushRequest):
    """A selection, and the name to save it under."""

    name: Annotated[str, StringConstraints(max_length=64)]


def application(page: Page, visitor: Visitor, hosts: frozenset[str]) -> FastAPI:
    """Return the application of a page. Raises Unavailable if d3 was not fetched."""
    app = FastAPI(openapi_url=None)
    contents = _contents()
    install_handlers(app)
    public = frozenset(contents) | {"/v1/open"}
    origins = frozenset(f"http://{host}" for host in hosts)
    access = Access(visitor, hosts, public=public, origins=origins)
    app.add_middleware(AccessMiddleware, access=access)

    @app.get("/{name:path}")
    async def static(request: Request) -> Response:
        if request.url.path not in contents:
            raise RefusedRequest(404, "There is no such file", "", "Open the link of the page", {})
        file = contents[request.url.path]
        return Response(file.content, media_type=file.media_type, headers=HEADERS)

    @app.post("/v1/open")
    async def open_link(opening: Opening) -> Response:
        try:
            return JSONResponse({"key": visitor.exchange(opening.token)})
        except Unidentified as no:
            raise RefusedRequest(401, "The page cannot be opened", no.why, no.remedy, {}) from None

    _add_views(app, page)
    return app


def _add_views(app: FastAPI, page: Page) -> None:
    @app.post("/v1/describe")
    def describe() -> Response:
        return JSONResponse(page.describe())

    @app.post("/v1/brush")
    def brush(asked: Brushing) -> Response:
        if asked.measure and asked.measure[0] not in [one.column for one in page.views.measures]:
            raise UsageError(f"There is no measure {asked.measure[0]!r}")
        return JSONResponse(page.answer(asked.brushes, asked.active, asked.measure))

    @app.post("/v1/views")
    def views(asked: Viewing) -> Response:
        page.show(asked.views)
        return JSONResponse(page.describe())

    @app.post("/v1/first")
    def first(asked: Listing) -> Response:
        return JSONResponse(page.first(asked.brushes, asked.order))

    @app.post("/v1/download")
    def download(asked: Downloading) -> Response:
        content = page.download(asked.brushes, asked.order, asked.form)
        return StreamingResponse(content, media_type="application/octet-stream")

    @app.post("/v1/sql")
    def sql(asked: BrushRequest) -> Response:
        return JSONResponse({"sql": page.sql(asked.brushes)})

    @app.post("/v1/lineage")
    def lineage() -> Response:
        return JSONResponse({"link": page.link("")})

    @app.post("/v1/save")
    def save(asked: Saving) -> Response:
        return JSONResponse(page.save(asked.brushes, asked.name))


def _contents() -> dict[str, StaticFile]:
    """Return the files of the page, by path."""
    found = {f"/{name}": file for name, file in own_files(__package__, FILES).items()}
    d3 = StaticFile(files_of_jar("d3")["dist/d3.min.js"], media_type("d3.js"))
    return {**found, "/d3.js": d3, "/": found["/page.html"]}
