"""The paths that answer questions, each by GET and, for long names, by POST."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends, FastAPI, Query, Request, Response

from provhouse.model.question import Direction, Question
from provhouse.output.results.diff import DiffResult
from provhouse.output.results.explanation import ExplanationResult
from provhouse.output.results.finding import FindingResult
from provhouse.output.results.generations import GenerationsResult
from provhouse.output.results.path import PathResult
from provhouse.output.writer import Writer
from provhouse.query.diff import Diff, compare
from provhouse.query.explain import Explanation
from provhouse.query.find import Finding, find
from provhouse.query.generations import Generation, list_generations
from provhouse.query.path import Path, path

from .answering import Answering
from .content_types import Look
from .keeper import Warm
from .openapi import responses
from .requests import AskingDiff, AskingExplain, AskingFind, AskingMany, AskingOne, AskingPath

Result = TypeVar("Result")


def add_questions(app: FastAPI, answering: Answering, look: Callable[..., Awaitable[Look]]) -> None:
    """Add the paths; ``look`` tells from a request how its answer is to be written."""
    looks = Depends(look)
    text = "Where an item comes from: all that is upstream of it."
    _add_lineage(app, answering, looks, "lineage", "upstream", text)
    text = "What an item reached: all that is downstream of it."
    _add_lineage(app, answering, looks, "impact", "downstream", text)

    def add(
        name: str,
        form: str,
        asking: type[Any],
        ask: Callable[[Warm, Any], Result],
        write: Callable[[Writer, Result], None],
    ) -> None:
        """A path whose parameters ``asking`` describes."""

        async def asked(asked: Annotated[asking, Query()], look: Look = looks) -> Response:  # type: ignore[valid-type]
            return await answering.reply(lambda warm: ask(warm, asked), write, look)

        async def posted(asked: asking, look: Look = looks) -> Response:  # type: ignore[valid-type]
            return await answering.reply(lambda warm: ask(warm, asked), write, look)

        text, may_be = asking.__doc__, responses(form)
        app.get(f"/v1/{name}", name=name, description=text, responses=may_be)(asked)
        app.post(f"/v1/{name}", name=f"{name}_posted", description=text, responses=may_be)(posted)

    add("path", "path", AskingPath, _path, lambda output, found: output.write(PathResult(found)))
    add("find", "find", AskingFind, _find, lambda output, found: output.write(FindingResult(found)))
    add(
        "explain", "explanation", AskingExplain, _explain,
        lambda output, told: output.write(ExplanationResult(told)),
    )  # fmt: skip
    add("diff", "diff", AskingDiff, _diff, lambda output, found: output.write(DiffResult(found)))

    @app.get("/v1/generations", responses=responses("generations"))
    async def generations(look: Look = looks) -> Response:
        """All generations, in order."""
        return await answering.reply(
            _generations, lambda o, found: o.write(GenerationsResult(found)), look
        )


def _add_lineage(
    app: FastAPI, answering: Answering, looks: Look, name: str, direction: Direction, text: str
) -> None:
    @app.get(f"/v1/{name}", name=name, description=text, responses=responses("answer"))
    async def one(
        asking: Annotated[AskingOne, Query()], request: Request, look: Look = looks
    ) -> Response:
        return await answering.one(asking.question(asking.item, direction), look, request)

    many = responses("answer", lines=True)
    text = f"{text} Of many items: one answer a line."

    @app.post(f"/v1/{name}", name=f"{name}_posted", description=text, responses=many)
    async def posted(
        asking: AskingOne | AskingMany, request: Request, look: Look = looks
    ) -> Response:
        if isinstance(asking, AskingOne):
            return await answering.one(asking.question(asking.item, direction), look, request)
        return await answering.many([asking.question(i, direction) for i in asking.items], look)


def _path(warm: Warm, asked: AskingPath) -> Path:
    with warm.asker() as asker:
        return path(asker, asked.source, asked.target, every=asked.every)


def _find(warm: Warm, asked: AskingFind) -> Finding:
    with warm.asker() as asker:
        return find(
            asker.snapshot,
            asked.text,
            anywhere=asked.anywhere,
            table=asked.table,
            limit=asked.limit,
        )


def _explain(warm: Warm, asked: AskingExplain) -> Explanation:
    question = Question(asked.item, asked.direction, asked.method, asked.depth, as_of=asked.as_of)
    with warm.asker(asked.as_of) as asker:
        return asker.explain(question)


def _diff(warm: Warm, asked: AskingDiff) -> Diff:
    question = Question(asked.item, asked.direction, as_of=asked.since)
    return compare(question, asked.until, warm.asker)


def _generations(warm: Warm) -> list[Generation]:
    return list_generations(warm.layout)
