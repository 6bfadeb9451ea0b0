"""The HTTP application: the page, all routes below `/v1/`, middleware and error handlers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from provhouse.model.settings import Settings
from provhouse.output.results.status import status_object
from provhouse.query.listing.status import status
from provhouse.runtime.jars import cache_folder

from .answer_cache import AnswerCache
from .answering import Answering
from .auth import Access, AccessMiddleware
from .charts.served_pages import FILES, add_charts
from .concurrency import Limiter
from .keeper import Keeper
from .metrics import Metrics, MetricsMiddleware
from .openapi import openapi_document, responses
from .page.login_links import PageLinks
from .page.page_routes import PUBLIC, STATIC, add_page
from .people import Admin
from .private import Folders
from .problems import install_handlers
from .requests import Health
from .routes import add_routes
from .server_file import running

RUNNING = 8
"""The number of questions answered at the same time."""
WAITING = 192
"""The number of questions that may wait for their turn."""


def application(keeper: Keeper, settings: Settings, access: Access) -> FastAPI:
    """Return the HTTP application, which starts ``keeper`` and closes it at the end."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        keeper.start()
        yield
        await run_in_threadpool(keeper.close)

    metrics, limiter = Metrics(), Limiter(RUNNING, WAITING)
    cache = AnswerCache(settings.hot_mb)
    answering = Answering(keeper, limiter, metrics, settings.answer_seconds, cache)
    app = FastAPI(
        title="provhouse",
        version=version("provhouse"),
        description="Record-level lineage: where a value comes from, and what was derived from it.",
        openapi_url=None,  # FastAPI would serve it without a token
        docs_url=None,
        redoc_url=None,
        lifespan=life,
    )
    folders = Folders([settings.warehouse, settings.graph_home, cache_folder(), Path.home()])
    install_handlers(app, folders)
    links = PageLinks(access.people)
    public = access.public | PUBLIC
    admitted = replace(access, people=links, public=public, static=(STATIC, FILES))
    app.add_middleware(AccessMiddleware, access=admitted)
    app.add_middleware(MetricsMiddleware, metrics=metrics)
    add_routes(app, answering, folders)
    add_page(app, answering, links)
    add_charts(app, answering)
    _add_status_routes(app, keeper, settings, folders)
    _add_document_and_metrics(app, keeper, metrics, limiter)
    return app


def _add_status_routes(app: FastAPI, keeper: Keeper, settings: Settings, folders: Folders) -> None:
    @app.get("/v1/status", operation_id="held_v1_status_get", responses=responses("status"))
    def server_status(request: Request) -> Response:
        """Show what the warehouse stores and which servers are running."""
        server = running(settings.warehouse)
        address = server.address if server else None
        found = folders.status(replace(status(settings), server=address), request.scope)
        return JSONResponse(status_object(found))

    @app.get("/v1/health", responses={503: {"model": Health}})
    def health(request: Request, response: Response) -> Health:
        """Report whether questions can be answered; the status is 503 if not. Needs no token."""
        generation = keeper.generation
        ready = generation is not None
        if not ready:
            response.status_code = 503
        return Health(
            ready=ready,
            generation=generation,
            empty=keeper.empty,
            cold=keeper.cold_partitions,
            why=folders.told(keeper.not_ready_reason, request.scope),
        )


def _add_document_and_metrics(
    app: FastAPI, keeper: Keeper, metrics: Metrics, limiter: Limiter
) -> None:
    @app.get("/v1/openapi.json", operation_id="document_v1_openapi_json_get")
    def openapi() -> dict[str, Any]:
        """Return this OpenAPI document."""
        return openapi_document(app)

    @app.get("/v1/metrics", operation_id="text_v1_metrics_get")
    def metrics_text(_: Admin) -> Response:
        """Return counters and timings in the Prometheus text format."""
        metrics.active.set(limiter.active)
        metrics.generation.set(keeper.generation or 0)
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
