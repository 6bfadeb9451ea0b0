"""The HTTP application of a page: its files, and the routes below `/v1/` that its script calls."""

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.responses import JSONResponse

from ..auth import Access, AccessMiddleware
from ..people import Unidentified
from ..problems import RefusedRequest, install_handlers
from ..requests import Opening
from ..static_files import HEADERS, StaticFile
from .chart_files import chart_files
from .chart_routes import Saving, add_views
from .file_page import FilePage
from .visitor import Visitor


def application(page: FilePage, visitor: Visitor, hosts: frozenset[str]) -> FastAPI:
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

    app.include_router(_routes(page))
    return app


def _routes(page: FilePage) -> APIRouter:
    router = APIRouter(prefix="/v1")
    add_views(router, lambda: page)

    @router.post("/lineage")
    def lineage() -> Response:
        return JSONResponse({"link": page.link("")})

    @router.post("/save")
    def save(asked: Saving) -> Response:
        return JSONResponse(page.save(asked.brushes, asked.name))

    return router


def _contents() -> dict[str, StaticFile]:
    """Return the files of the page, by path."""
    found = {f"/{name}": file for name, file in chart_files().items()}
    return {**found, "/": found["/page.html"]}
