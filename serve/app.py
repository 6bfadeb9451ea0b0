"""The HTTP interface: `/v1/…`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import FastAPI, Header, Query, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from provhouse.model.settings import Settings
from provhouse.output.results.status import status_object
from provhouse.query.status import status

from .answer_cache import Given
from .answering import Answering
from .auth import Access, Door
from .concurrency import Gate
from .content_types import Look, wanted
from .keeper import Warm
from .metrics import Counting, Metrics
from .openapi import openapi, responses
from .problems import install
from .requests import Health
from .routes import add_questions
from .server_file import running

RUNNING = 8
WAITING = 192


def application(warm: Warm, settings: Settings, access: Access) -> FastAPI:
    """The application; it warms up as it begins, and lets go of everything as it ends."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        warm.start()
        yield
        await run_in_threadpool(warm.close)

    metrics, gate = Metrics(), Gate(RUNNING, WAITING)
    given = Given(settings.hot_mb)
    app = FastAPI(
        title="provhouse",
        version=version("provhouse"),
        description="Where does this value come from, and what did it reach? Record by record.",
        openapi_url=None,  # it would be told without the token
        docs_url=None,
        redoc_url=None,
        lifespan=life,
    )
    install(app)
    app.add_middleware(Door, access=access)
    app.add_middleware(Counting, metrics=metrics)
    add_questions(app, Answering(warm, gate, metrics, settings.answer_seconds, given), _look)
    _add_state(app, warm, settings)
    _add_metrics(app, warm, metrics, gate)
    return app


async def _look(
    accept: Annotated[str, Header(include_in_schema=False)] = "",
    width: Annotated[int, Query(ge=20, le=1000, description="Of a table, in characters")] = 100,
    color: Annotated[bool, Query(description="Let a table have a terminal's colours")] = False,
    timing: Annotated[bool, Query(description="Let a table tell the time of each step")] = False,
    csv_safe: Annotated[
        bool, Query(description="Let CSV have no cell that a spreadsheet takes for a formula")
    ] = False,
) -> Look:
    return wanted(accept, width, color, timing, csv_safe)


def _add_state(app: FastAPI, warm: Warm, settings: Settings) -> None:
    @app.get("/v1/status", responses=responses("status"))
    def held() -> Response:
        """What is held and what runs."""
        state = running(settings.warehouse)
        address = state.address if state else None
        return JSONResponse(status_object(replace(status(settings), server=address)))

    @app.get("/v1/health", responses={503: {"model": Health}})
    def health(response: Response) -> Health:
        """Whether questions are answered; 503 while they are not. Needs no token."""
        generation, why = warm.generation, warm.why
        ready = generation is not None
        if not ready:
            response.status_code = 503
        return Health(ready=ready, generation=generation, empty=warm.empty, cold=warm.cold, why=why)


def _add_metrics(app: FastAPI, warm: Warm, metrics: Metrics, gate: Gate) -> None:
    @app.get("/v1/openapi.json")
    def document() -> dict[str, Any]:
        """All of this, described."""
        return openapi(app)

    @app.get("/v1/metrics")
    def text() -> Response:
        """Counts and times in Prometheus' text form."""
        metrics.inside.set(gate.inside)
        metrics.generation.set(warm.generation or 0)
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
