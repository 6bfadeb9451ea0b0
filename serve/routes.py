"""The routes that answer questions by GET, and also by POST for names too long for a URL."""

from functools import partial
from typing import Annotated, Any

from fastapi import FastAPI, Query, Response
from fastapi import Request as HttpRequest

from provhouse.commit.writer_log import log_event
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction
from provhouse.output.questions.asking import Asking, served
from provhouse.output.questions.items import IMPACT, AskingLineage, AskingView
from provhouse.output.questions.lists import AskingGenerations
from provhouse.output.questions.question_registry import QUESTIONS
from provhouse.query.listing.generations import Generation, list_generations

from .answering import Answering, watch_disconnect
from .content_types import Format, ResponseFormat
from .keeper import Keeper
from .openapi import responses
from .people import ADMIN_ONLY, may_write
from .people import Writer as WriterRole
from .private import Folders
from .requests import AskingMany, AskingOne, Request, request_of

OWN: tuple[type[Asking[Any]], ...] = (AskingLineage, AskingView, AskingGenerations)
"""The questions whose routes have special handling."""


def add_routes(app: FastAPI, answering: Answering, folders: Folders) -> None:
    """Add to the application all routes that answer questions."""
    _add_lineage(app, answering, "lineage", "upstream", AskingLineage.described())
    _add_lineage(app, answering, "impact", "downstream", IMPACT)
    for asking in QUESTIONS:
        if asking not in OWN:
            _add_question(app, answering, folders, asking)
    _add_view(app, answering)

    @app.get("/v1/generations", responses=responses("generations"))
    @app.post("/v1/generations", name="generations_posted", responses=responses("generations"))
    async def generations(form: Format) -> Response:
        """List all generations in order."""

        def ask(keeper: Keeper) -> list[Generation]:
            return list_generations(keeper.layout)  # also while the server still starts

        return await answering.reply(ask, AskingGenerations.written, form)


def _add_question(
    app: FastAPI, answering: Answering, folders: Folders, asking: type[Asking[Any]]
) -> None:
    """Add a GET and a POST route whose parameters are the fields of a question."""
    model = request_of(asking)

    async def reply(given: Request, form: ResponseFormat, request: HttpRequest) -> Response:
        asked, writes = given.asked(asking), may_write(request)
        async with watch_disconnect(request) as disconnected:

            def ask(keeper: Keeper) -> Any:
                watch = Stopwatch(answering.seconds, disconnected)
                found = served(asked, keeper.layout, keeper.asker, watch, writes=writes)
                places = asked.places(keeper.layout)
                return folders.answer(found, asked.private, places, request.scope)

            return await answering.reply(ask, asking.written, form)

    async def get(
        given: Annotated[model, Query()],  # type: ignore[valid-type]
        form: Format,
        request: HttpRequest,
    ) -> Response:
        return await reply(given, form, request)

    async def post(
        given: model,  # type: ignore[valid-type]
        form: Format,
        request: HttpRequest,
    ) -> Response:
        return await reply(given, form, request)

    path, text = f"/v1/{asking.name}", asking.described()
    answers = responses(asking.schema, pictured=asking.pictured)
    needs = [ADMIN_ONLY] if asking.admin else []
    about = partial(app.api_route, path, description=text, responses=answers, dependencies=needs)
    about(name=asking.name, methods=["GET"])(get)
    about(name=f"{asking.name}_posted", methods=["POST"])(post)


def _add_view(app: FastAPI, answering: Answering) -> None:
    model = request_of(AskingView)

    async def view(
        given: model,  # type: ignore[valid-type]
        form: Format,
        person: WriterRole,
        request: HttpRequest,
    ) -> Response:
        asked = Request.asked(given, AskingView)

        def ask(keeper: Keeper) -> Any:
            address = request.client.host if request.client else ""
            log_event(keeper.layout, "view", person.name, address)
            return asked.answer(keeper.asker)

        return await answering.reply(ask, AskingView.written, form)

    text = AskingView.described()
    app.post("/v1/view", description=text, responses=responses("view"))(view)


def _add_lineage(
    app: FastAPI, answering: Answering, name: str, direction: Direction, text: str
) -> None:
    @app.get(
        f"/v1/{name}", name=name, description=text, responses=responses("answer", pictured=True)
    )
    async def get(
        asking: Annotated[AskingOne, Query()], request: HttpRequest, form: Format
    ) -> Response:
        return await answering.one(asking.question(asking.item, direction), form, request)

    many = responses("answer", lines=True, pictured=True)
    text = f"{text} For many items, the response has one answer on each line."

    @app.post(f"/v1/{name}", name=f"{name}_posted", description=text, responses=many)
    async def post(asking: AskingOne | AskingMany, request: HttpRequest, form: Format) -> Response:
        if isinstance(asking, AskingOne):
            return await answering.one(asking.question(asking.item, direction), form, request)
        questions = [asking.question(item, direction) for item in asking.items]
        return await answering.many(questions, form, request)
