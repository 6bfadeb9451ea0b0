"""The routes of the page: its files, its links, and answers in the format that it draws.

These routes belong to the page and may change with it, so the OpenAPI document omits them.
"""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from provhouse.cypher.guide import url
from provhouse.model.deletion import Deletion
from provhouse.model.question import AsOf, Direction, Question
from provhouse.output.results.found import FoundResult
from provhouse.output.results.record_tables import RecordsResult
from provhouse.output.shown_result import Json
from provhouse.query.consequences.undecided_ops import undecided_ops
from provhouse.query.listing.writes import list_writes
from provhouse.query.source_records import CapturedRecords, records
from provhouse.query.zoom.picture import MOST_BOXES, Grouping, ZoomPicture, picture
from provhouse.store.tables.uncaptured import uncaptured
from provhouse.store.warehouse.captured_blocks import waiting_blocks
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.reports import read_reports
from provhouse.workflows.browser_queries import browser_queries

from ..answering import Answering
from ..content_types import Format
from ..keeper import Keeper
from ..people import Admin, Unidentified
from ..problems import RefusedRequest
from ..requests import AskingOne, Opening
from ..static_files import HEADERS
from .login_links import LINK_SECONDS, PageLinks
from .page_files import library_files, page_files

MOST_RECORDS = 200
"""The largest number of records of an answer that are read at once."""
STATIC = "/static/"
"""The path of the page's files. They need no token, because they contain no data of a warehouse."""
OPEN = "/v1/page/open"
PUBLIC = frozenset({"/", OPEN})
"""Further paths that need no token."""


class PictureRequest(BaseModel, extra="forbid"):
    """A question whose answer is to be drawn; see ``picture`` for the parameters."""

    item: Annotated[str, Field(min_length=1)]
    direction: Direction = "upstream"
    by: Grouping = "table"
    opened: dict[str, Annotated[int, Field(ge=0)]] = {}
    most: Annotated[int, Field(ge=3, le=MOST_BOXES)] = MOST_BOXES
    depth: Annotated[int, Field(ge=1)] | None = None
    as_of: AsOf | None = None


class RecordsRequest(AskingOne):
    """The records of the items of an answer."""

    direction: Direction = "upstream"
    most: Annotated[int, Field(ge=1)] = MOST_RECORDS


class UndecidedRequest(BaseModel, extra="forbid"):
    """Items that are supposed not to exist."""

    items: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    as_of: AsOf | None = None


def add_page(app: FastAPI, answering: Answering, links: PageLinks) -> None:
    """Add the routes of the page to an application."""
    _add_files(app)
    _add_links(app, links)
    _add_answers(app, answering)


def _add_files(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return _sent("page.html")

    @app.get(f"{STATIC}{{name:path}}", include_in_schema=False)
    async def static(name: str) -> Response:
        return _sent(name)


def _sent(name: str) -> Response:
    file = page_files().get(name) or library_files().get(name)
    if file is None:
        raise RefusedRequest(404, "There is no such file", "", "Open the page at /", {})
    return Response(file.content, media_type=file.media_type, headers=HEADERS)


def _add_links(app: FastAPI, links: PageLinks) -> None:
    @app.post("/v1/page/link", include_in_schema=False)
    async def link(request: Request) -> Response:
        token = links.link(_authorization(request))
        return JSONResponse({"token": token, "seconds": LINK_SECONDS})

    @app.post(OPEN, include_in_schema=False)
    async def open_link(opening: Opening) -> Response:
        try:
            key = links.exchange(opening.token)
            person = links.person(f"Bearer {key}")
        except Unidentified as no:
            raise RefusedRequest(401, "The page cannot be opened", no.why, no.remedy, {}) from None
        return JSONResponse({"key": key, "name": person.name, "role": person.role})

    @app.post("/v1/page/leave", include_in_schema=False)
    async def leave(request: Request) -> Response:
        links.leave(_authorization(request))
        return JSONResponse({})


def _authorization(request: Request) -> str:
    return request.headers["authorization"]


def _add_answers(app: FastAPI, answering: Answering) -> None:
    @app.post("/v1/page/picture", include_in_schema=False)
    async def drawn(asked: PictureRequest, form: Format) -> Response:
        question = Question(asked.item, asked.direction, depth=asked.depth, as_of=asked.as_of)

        def ask(keeper: Keeper) -> ZoomPicture:
            with keeper.asker(asked.as_of) as asker:
                return picture(asker, question, asked.by, asked.opened, asked.most)

        return await answering.reply(ask, FoundResult, form)

    @app.post("/v1/page/writes", include_in_schema=False)
    async def writes() -> Response:
        async with answering.limiter.slot():
            return JSONResponse(await run_in_threadpool(_writes, answering.keeper.layout))

    @app.post("/v1/page/reports", include_in_schema=False)
    async def reports(_: Admin) -> Response:
        async with answering.limiter.slot():
            layout = answering.keeper.layout
            return JSONResponse(await run_in_threadpool(read_reports, layout, "blame"))

    @app.post("/v1/page/browser", include_in_schema=False)
    async def browser(_: Admin) -> Response:
        async with answering.limiter.slot():
            return JSONResponse(await run_in_threadpool(_browser, answering.keeper))

    @app.post("/v1/page/tables", include_in_schema=False)
    async def tables() -> Response:
        async with answering.limiter.slot():
            return JSONResponse(await run_in_threadpool(_tables, answering.keeper))

    @app.post("/v1/page/records", include_in_schema=False)
    async def answer_records(asked: RecordsRequest, form: Format, _: Admin) -> Response:
        question = asked.question(asked.item, asked.direction)

        def ask(keeper: Keeper) -> CapturedRecords:
            with keeper.asker(question.as_of) as asker:
                return records(keeper.layout, asker.answer(question), asked.most)

        return await answering.reply(ask, RecordsResult, form)

    @app.post("/v1/page/undecided", include_in_schema=False)
    async def undecided(asked: UndecidedRequest) -> Response:
        def ask() -> list[Json]:
            with answering.keeper.asker(asked.as_of) as asker:
                return [asdict(each) for each in undecided_ops(asker, Deletion(tuple(asked.items)))]

        async with answering.limiter.slot():
            return JSONResponse(await run_in_threadpool(ask))


def _writes(layout: Layout) -> dict[str, list[dict[str, Any]]]:
    """Return the captured writes with their costs, and jobs and writes whose lineage is missing."""
    blocks = [asdict(block) for block in waiting_blocks(layout).values()]
    return {
        "writes": [asdict(each) for each in list_writes(layout)],
        "uncaptured": [asdict(each) for each in uncaptured(layout)],
        "waiting": [{name: each[name] for name in _OF_BLOCK} for each in blocks],
        "captures": read_reports(layout, "capture"),
    }


_OF_BLOCK = ("run", "begun", "ended", "error")


def _browser(keeper: Keeper) -> dict[str, Any]:
    """Return how to open Neo4j Browser, and queries for this warehouse, each with a link."""
    with keeper.asker(None) as asker:
        address = asker.graph.address
        found, empty = browser_queries(asker.graph, keeper.layout)
    return {
        "connect": address.bolt,
        "user": address.user,
        "password_file": str(address.password_file or ""),
        "queries": [
            {"title": each.title, "query": each.text.strip(), "url": url(address, each.text)}
            for each in found
        ],
        "empty": [{"title": each.title, "why": each.why_empty} for each in empty],
    }


def _tables(keeper: Keeper) -> list[str]:
    """Return the names of all tables, the most recently captured ones first."""
    with keeper.asker(None) as asker:
        names = asker.snapshot.tables
    last = {each.table: at for at, each in enumerate(list_writes(keeper.layout))}
    return sorted({*names} - {""}, key=lambda name: (-last.get(name, -1), name))
