"""The routes that answer questions by GET, and also by POST for names too long for a URL."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Query, Request, Response

from provhouse.commit.writer_log import log_event
from provhouse.model.arrays import SetId
from provhouse.model.question import Direction, Question
from provhouse.output.results.dependency import DependencyResult
from provhouse.output.results.diff import DiffResult
from provhouse.output.results.evaluation import EvaluationResult
from provhouse.output.results.explanation import ExplanationResult
from provhouse.output.results.finding import FindingResult
from provhouse.output.results.generations import GenerationsResult
from provhouse.output.results.modules import InvocationsResult, ModulesResult
from provhouse.output.results.operations import OperationsResult
from provhouse.output.results.path import PathResult
from provhouse.output.results.shown_set import ShownSetResult
from provhouse.output.results.subgraph import SubgraphResult
from provhouse.output.results.view import ViewResult
from provhouse.output.results.what_if import WhatIfResult
from provhouse.output.results.what_if_each import WhatIfEachResult
from provhouse.output.results.why import WhyResult
from provhouse.output.results.why_changed import WhyChangedResult
from provhouse.output.results.zoomed import ZoomedResult
from provhouse.output.results.zoomed_diff import ZoomedDiffResult
from provhouse.output.results.zoomed_path import ZoomedPathResult
from provhouse.output.results.zoomed_what_if import ZoomedWhatIfResult
from provhouse.output.writer import Writer
from provhouse.query.depends import Dependency, depends
from provhouse.query.diff import Diff, compare
from provhouse.query.evaluate import Evaluation, evaluate
from provhouse.query.explain import Explanation
from provhouse.query.find import Finding, find
from provhouse.query.generations import Generation, list_generations
from provhouse.query.modules import Invocations, Modules, list_invocations, list_modules
from provhouse.query.operations import Operations, list_operations
from provhouse.query.path import Paths, path
from provhouse.query.show_set import ShownSet, show_set
from provhouse.query.subgraph import Subgraph, subgraph
from provhouse.query.view import View, write_view
from provhouse.query.what_if import WhatIf, what_if
from provhouse.query.what_if_each import WhatIfEach, what_if_each
from provhouse.query.why import Why, why
from provhouse.query.why_changed import WhyChanged, why_changed
from provhouse.query.zoom import Zoomed, zoom
from provhouse.query.zoom_diff import ZoomedDiff, zoom_diff
from provhouse.query.zoom_path import ZoomedPath, zoom_path
from provhouse.query.zoom_what_if import ZoomedWhatIf, zoom_what_if

from .answering import Answering
from .content_types import Format, ResponseFormat
from .keeper import Keeper
from .openapi import responses
from .people import Writer as WriterRole
from .requests import (
    AskingDepends,
    AskingDiff,
    AskingEvaluate,
    AskingExplain,
    AskingFind,
    AskingInvocations,
    AskingMany,
    AskingModules,
    AskingOne,
    AskingOps,
    AskingPath,
    AskingSet,
    AskingSubgraph,
    AskingView,
    AskingWhatIf,
    AskingWhatIfEach,
    AskingWhy,
    AskingWhyChanged,
    AskingZoom,
    AskingZoomDiff,
    AskingZoomPath,
    AskingZoomWhatIf,
)

Result = TypeVar("Result")


def add_routes(app: FastAPI, answering: Answering) -> None:
    """Add to the application all routes that answer questions."""
    text = "Show the lineage of an item: everything it was derived from."
    _add_lineage(app, answering, "lineage", "upstream", text)
    text = "Show the impact of an item: everything derived from it."
    _add_lineage(app, answering, "impact", "downstream", text)

    def add(
        name: str,
        schema: str,
        asking: type[Any],
        ask: Callable[[Keeper, Any], Result],
        write: Callable[[Writer, Result], None],
    ) -> None:
        """Add a GET and a POST route whose parameters are the fields of ``asking``."""

        async def reply(asked: Any, form: ResponseFormat) -> Response:
            return await answering.reply(lambda keeper: ask(keeper, asked), write, form)

        async def get(asked: Annotated[asking, Query()], form: Format) -> Response:  # type: ignore[valid-type]
            return await reply(asked, form)

        async def post(asked: asking, form: Format) -> Response:  # type: ignore[valid-type]
            return await reply(asked, form)

        text, answers = asking.__doc__, responses(schema)
        app.get(f"/v1/{name}", name=name, description=text, responses=answers)(get)
        app.post(f"/v1/{name}", name=f"{name}_posted", description=text, responses=answers)(post)

    add("path", "path", AskingPath, _path, lambda output, found: output.write(PathResult(found)))
    add(
        "subgraph", "subgraph", AskingSubgraph, _subgraph,
        lambda output, found: output.write(SubgraphResult(found)),
    )  # fmt: skip
    add("find", "find", AskingFind, _find, lambda output, found: output.write(FindingResult(found)))
    add(
        "explain", "explanation", AskingExplain, _explain,
        lambda output, told: output.write(ExplanationResult(told)),
    )  # fmt: skip
    add("set", "set", AskingSet, _set, lambda output, found: output.write(ShownSetResult(found)))
    add("diff", "diff", AskingDiff, _diff, lambda output, found: output.write(DiffResult(found)))

    add("ops", "ops", AskingOps, _ops, lambda output, found: output.write(OperationsResult(found)))

    add(
        "what-if", "what-if", AskingWhatIf, _what_if,
        lambda output, found: output.write(WhatIfResult(found)),
    )  # fmt: skip
    add(
        "what-if-each", "what-if-each", AskingWhatIfEach, _what_if_each,
        lambda output, found: output.write(WhatIfEachResult(found)),
    )  # fmt: skip
    add(
        "depends", "depends", AskingDepends, _depends,
        lambda output, found: output.write(DependencyResult(found)),
    )  # fmt: skip
    add("why", "why", AskingWhy, _why, lambda output, found: output.write(WhyResult(found)))
    add(
        "why-changed", "why-changed", AskingWhyChanged, _why_changed,
        lambda output, found: output.write(WhyChangedResult(found)),
    )  # fmt: skip
    add(
        "evaluate", "evaluate", AskingEvaluate, _evaluate,
        lambda output, found: output.write(EvaluationResult(found)),
    )  # fmt: skip
    add("zoom", "zoom", AskingZoom, _zoom, lambda output, found: output.write(ZoomedResult(found)))
    add(
        "zoom-path", "zoom-path", AskingZoomPath, _zoom_path,
        lambda output, found: output.write(ZoomedPathResult(found)),
    )  # fmt: skip
    add(
        "zoom-diff", "zoom-diff", AskingZoomDiff, _zoom_diff,
        lambda output, found: output.write(ZoomedDiffResult(found)),
    )  # fmt: skip
    add(
        "zoom-what-if", "zoom-what-if", AskingZoomWhatIf, _zoom_what_if,
        lambda output, found: output.write(ZoomedWhatIfResult(found)),
    )  # fmt: skip
    add(
        "modules", "modules", AskingModules, _modules,
        lambda output, found: output.write(ModulesResult(found)),
    )  # fmt: skip
    add(
        "invocations", "invocations", AskingInvocations, _invocations,
        lambda output, found: output.write(InvocationsResult(found)),
    )  # fmt: skip

    @app.post("/v1/view", description=AskingView.__doc__, responses=responses("view"))
    async def view(
        asked: AskingView, form: Format, person: WriterRole, request: Request
    ) -> Response:
        def write(keeper: Keeper) -> View:
            address = request.client.host if request.client else ""
            log_event(keeper.layout, "view", person.name, address)
            with keeper.asker() as asker:
                return write_view(asker, asked.question())

        return await answering.reply(
            write, lambda output, found: output.write(ViewResult(found)), form
        )

    @app.get("/v1/generations", responses=responses("generations"))
    @app.post("/v1/generations", name="generations_posted", responses=responses("generations"))
    async def generations(form: Format) -> Response:
        """List all generations in order."""
        return await answering.reply(
            _generations, lambda output, found: output.write(GenerationsResult(found)), form
        )


def _add_lineage(
    app: FastAPI, answering: Answering, name: str, direction: Direction, text: str
) -> None:
    @app.get(f"/v1/{name}", name=name, description=text, responses=responses("answer"))
    async def get(
        asking: Annotated[AskingOne, Query()], request: Request, form: Format
    ) -> Response:
        return await answering.one(asking.question(asking.item, direction), form, request)

    many = responses("answer", lines=True)
    text = f"{text} For many items, the answers come one on a line."

    @app.post(f"/v1/{name}", name=f"{name}_posted", description=text, responses=many)
    async def post(asking: AskingOne | AskingMany, request: Request, form: Format) -> Response:
        if isinstance(asking, AskingOne):
            return await answering.one(asking.question(asking.item, direction), form, request)
        questions = [asking.question(item, direction) for item in asking.items]
        return await answering.many(questions, form, request)


def _path(keeper: Keeper, asked: AskingPath) -> Paths:
    with keeper.asker(asked.as_of) as asker:
        return path(asker, asked.source, asked.target, every=asked.every)


def _subgraph(keeper: Keeper, asked: AskingSubgraph) -> Subgraph:
    with keeper.asker(asked.as_of) as asker:
        return subgraph(asker, asked.item)


def _find(keeper: Keeper, asked: AskingFind) -> Finding:
    with keeper.asker() as asker:
        return find(
            asker.snapshot,
            asked.text,
            anywhere=asked.anywhere,
            table=asked.table,
            limit=asked.limit,
        )


def _explain(keeper: Keeper, asked: AskingExplain) -> Explanation:
    question = asked.question()
    with keeper.asker(question.as_of) as asker:
        return asker.explain(question)


def _set(keeper: Keeper, asked: AskingSet) -> ShownSet:
    with keeper.asker(asked.as_of) as asker:
        return show_set(asker.snapshot, SetId(asked.number), asked.limit)


def _ops(keeper: Keeper, asked: AskingOps) -> Operations:
    with keeper.asker(asked.as_of) as asker:
        return list_operations(asker.snapshot)


def _what_if(keeper: Keeper, asked: AskingWhatIf) -> WhatIf:
    with keeper.asker(asked.as_of) as asker:
        return what_if(asker, asked.deletion(), summary=asked.summary)


def _what_if_each(keeper: Keeper, asked: AskingWhatIfEach) -> WhatIfEach:
    with keeper.asker(asked.as_of) as asker:
        return what_if_each(asker, asked.item, asked.limit)


def _depends(keeper: Keeper, asked: AskingDepends) -> Dependency:
    with keeper.asker(asked.as_of) as asker:
        return depends(asker, asked.item, asked.on)


def _why(keeper: Keeper, asked: AskingWhy) -> Why:
    with keeper.asker(asked.as_of) as asker:
        return why(asker, asked.item, asked.limit)


def _why_changed(keeper: Keeper, asked: AskingWhyChanged) -> WhyChanged:
    return why_changed(asked.item, asked.since, asked.until, asked.limit, keeper.asker)


def _evaluate(keeper: Keeper, asked: AskingEvaluate) -> Evaluation:
    with keeper.asker(asked.as_of) as asker:
        return evaluate(asker, asked.evaluating())


def _zoom(keeper: Keeper, asked: AskingZoom) -> Zoomed:
    question = asked.question()
    with keeper.asker(question.as_of) as asker:
        return zoom(asker, question, asked.zoom, asked.fold, foldable=asked.foldable)


def _zoom_path(keeper: Keeper, asked: AskingZoomPath) -> ZoomedPath:
    with keeper.asker(asked.as_of) as asker:
        return zoom_path(
            asker, asked.source, asked.target, asked.zoom, asked.fold, every=asked.every
        )


def _zoom_diff(keeper: Keeper, asked: AskingZoomDiff) -> ZoomedDiff:
    question = Question(asked.item, asked.direction, as_of=asked.since)
    return zoom_diff(question, asked.until, asked.zoom, asked.fold, keeper.asker)


def _zoom_what_if(keeper: Keeper, asked: AskingZoomWhatIf) -> ZoomedWhatIf:
    with keeper.asker(asked.as_of) as asker:
        return zoom_what_if(asker, asked.deletion(), asked.zoom, asked.fold)


def _modules(keeper: Keeper, asked: AskingModules) -> Modules:
    with keeper.asker(asked.as_of) as asker:
        return list_modules(asker.snapshot)


def _invocations(keeper: Keeper, asked: AskingInvocations) -> Invocations:
    with keeper.asker(asked.as_of) as asker:
        return list_invocations(asker.snapshot, asked.module, asked.run)


def _diff(keeper: Keeper, asked: AskingDiff) -> Diff:
    question = Question(asked.item, asked.direction, as_of=asked.since)
    return compare(question, asked.until, keeper.asker)


def _generations(keeper: Keeper) -> list[Generation]:
    return list_generations(keeper.layout)
