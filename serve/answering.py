"""From a question to the bytes of its answer, one at a time or many."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from threading import Event
from typing import TypeVar
from urllib.parse import quote

import numpy as np
import pyarrow as pa
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Receive, Scope, Send

from provhouse.model.answer import Answer
from provhouse.model.errors import NotFound
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Question
from provhouse.output.output import Absent, Output
from provhouse.query.ask import Asker
from provhouse.query.check_tables import check_tables

from .answer_cache import AnswerCache
from .concurrency import Limiter
from .content_types import SMALL_ROWS, ResponseFormat, row_count
from .keeper import Keeper
from .metrics import Metrics
from .streaming import PATIENCE, Pipe

Result = TypeVar("Result")
WATCH_SECONDS = 0.5


@dataclass(frozen=True)
class Answering:
    """Answers within ``seconds`` each, in turn."""

    keeper: Keeper
    limiter: Limiter
    metrics: Metrics
    seconds: float
    cache: AnswerCache

    async def one(self, question: Question, form: ResponseFormat, request: Request) -> Response:
        """The answer to one question, which takes no turn if it was given lately.

        Work on it ends when the client hangs up.
        """
        version = self.keeper.version
        if cached := self.cache.get(version, (question, form)):
            self.metrics.cached.inc()
            return cached

        def keep(answer: Answer, body: bytes) -> None:
            if version and question.as_of is None and not form.timing:
                self.cache.put((answer.generation, version[1]), (question, form), body)

        async with watch_disconnect(request) as disconnected:
            return await self.reply(
                lambda keeper: self._one(keeper, question, disconnected),
                lambda output, found: output.answer(found),
                form,
                keep,
            )

    def _one(self, keeper: Keeper, question: Question, disconnected: Event) -> Answer:
        with keeper.asker(question.as_of) as asker:
            return self._answer(asker, question, disconnected)

    async def reply(
        self,
        ask: Callable[[Keeper], Result],
        write: Callable[[Output, Result], None],
        form: ResponseFormat,
        keep: Callable[[Result, bytes], None] = lambda result, body: None,
    ) -> Response:
        """What was asked for, in its form; a large result is sent in pieces, and not kept."""
        async with self.limiter.slot():
            return await run_in_threadpool(self._reply, ask, write, form, keep)

    def _reply(
        self,
        ask: Callable[[Keeper], Result],
        write: Callable[[Output, Result], None],
        form: ResponseFormat,
        keep: Callable[[Result, bytes], None],
    ) -> Response:
        result = ask(self.keeper)
        if row_count(result) <= SMALL_ROWS:
            with self.metrics.time_writing():
                handle = io.StringIO()
                write(form.output(handle), result)
                body = handle.getvalue().encode()
            keep(result, body)
            return Response(body, media_type=form.media_type)
        pipe = Pipe(lambda handle: write(form.output(handle), result))
        stack = AsyncExitStack()
        stack.callback(pipe.close)
        return _StreamedResponse(pipe, stack, {}, form.media_type)

    async def many(self, questions: Sequence[Question], form: ResponseFormat) -> Response:
        """The answers in order, each sent as it is found; headers tell which items are not held.

        All are of one generation and take one turn; they differ in their items only. Raises
        UsageError for a filter on a table that is none: once answers are sent nothing can be told.
        """
        stack = AsyncExitStack()
        try:
            await stack.enter_async_context(self.limiter.long_slot())
            opening = self.keeper.asker(questions[0].as_of)  # which may take long
            asker = await run_in_threadpool(stack.enter_context, opening)
            absent = await run_in_threadpool(_absent_items, asker, questions)
        except BaseException:
            await stack.aclose()
            raise
        disconnected = Event()
        replies = self._replies(asker, questions, disconnected)
        pipe = Pipe(lambda handle: form.output(handle).answers(replies))
        headers = {"Provhouse-Absent": str(len(absent))}
        if absent:
            headers["Provhouse-First-Absent"] = quote(absent[0])
        stack.callback(pipe.close)
        stack.callback(disconnected.set)
        return _StreamedResponse(pipe, stack, headers, form.many_media_type)

    def _replies(
        self, asker: Asker, questions: Sequence[Question], disconnected: Event
    ) -> Iterator[Answer | Absent]:
        for question in questions:
            try:
                yield self._answer(asker, question, disconnected, suggest=False)
            except NotFound:
                yield Absent(question.item)

    def _answer(
        self, asker: Asker, question: Question, disconnected: Event, *, suggest: bool = True
    ) -> Answer:
        answer = asker.answer(question, Stopwatch(self.seconds, disconnected), suggest=suggest)
        self.metrics.count_answer(answer)
        return answer


@asynccontextmanager
async def watch_disconnect(request: Request) -> AsyncIterator[Event]:
    """An event that is set if the client leaves within the block; the body has been read."""
    disconnected = Event()

    async def watch() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(WATCH_SECONDS)
        disconnected.set()

    watching = asyncio.create_task(watch())
    try:
        yield disconnected
    finally:
        watching.cancel()


class _StreamedResponse(StreamingResponse):
    """What comes out of a pipe; however it ends, ``stack`` is closed."""

    def __init__(
        self, pipe: Pipe, stack: AsyncExitStack, headers: Mapping[str, str], media_type: str
    ) -> None:
        super().__init__(iter(pipe), headers=headers, media_type=media_type)
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(PATIENCE):
                await send(message)

        async with self._stack:
            with suppress(TimeoutError):  # nobody reads: the connection is closed
                await super().__call__(scope, receive, send_in_time)


def _absent_items(asker: Asker, questions: Sequence[Question]) -> list[str]:
    """The items that are not held; raises UsageError for a filter on a table that is none."""
    check_tables([*questions[0].tables, questions[0].through or ""], asker.snapshot)
    names = [question.item for question in questions]
    numbers = asker.snapshot.names.locate(pa.array(names, pa.string()))
    return [names[place] for place in np.flatnonzero(numbers < 0).tolist()]
