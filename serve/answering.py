"""Answer one question, or many in a stream, as an HTTP response."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
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

from provhouse.model.answer import Answer, LargeAnswer
from provhouse.model.errors import NotFound, ProvhouseError, UsageError
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Question
from provhouse.output import arrow_writer as arrow_stream
from provhouse.output.results.answers import Absent, AnswersResult
from provhouse.output.results.large_answer import answer_result
from provhouse.output.shown_result import ShownResult
from provhouse.pictures.formats import Picture
from provhouse.query.lineage.ask import Asker
from provhouse.query.locate import check_tables

from .answer_cache import AnswerCache
from .concurrency import Limiter
from .content_types import SMALL_ROWS, ResponseFormat, row_count
from .keeper import Keeper
from .metrics import Metrics
from .streaming import PATIENCE, Pipe

Found = TypeVar("Found")
WATCH_SECONDS = 0.5
"""The number of seconds between two checks for a disconnected client."""


@dataclass(frozen=True)
class Answering:
    """Answers questions, each within ``seconds``. The limiter decides how many run at once."""

    keeper: Keeper
    limiter: Limiter
    metrics: Metrics
    seconds: float
    cache: AnswerCache

    async def one(self, question: Question, form: ResponseFormat, request: Request) -> Response:
        """Answer one question, from the cache if possible.

        A cached answer is returned at once, even if the limiter's slots are all in use. If the
        client disconnects, the question is cancelled.
        """
        version = self.keeper.version
        if cached := self.cache.get(version, (question, form)):
            self.metrics.cached.inc()
            return cached

        held = ExitStack()

        def keep(answer: Answer | LargeAnswer, body: bytes) -> None:
            if version and question.as_of is None and not form.timing:
                self.cache.put((answer.generation, version[1]), (question, form), body)

        async with watch_disconnect(request) as disconnected:
            return await self.reply(
                lambda keeper: self._one(keeper, question, form, disconnected, held),
                answer_result,
                form,
                keep,
                held,
            )

    def _one(
        self,
        keeper: Keeper,
        question: Question,
        form: ResponseFormat,
        disconnected: Event,
        held: ExitStack,
    ) -> Answer | LargeAnswer:
        """Answer one question. The asker of a large answer stays open until ``held`` is closed."""
        with ExitStack() as stack:
            asker = stack.enter_context(keeper.asker(question.as_of))
            if not form.as_found:
                return self._answer(asker, question, disconnected)
            found = asker.answer_as_found(question, Stopwatch(self.seconds, disconnected))
            self.metrics.count_answer(found)
            if isinstance(found, LargeAnswer):
                held.push(stack.pop_all())
            return found

    async def reply(
        self,
        ask: Callable[[Keeper], Found],
        written: Callable[[Found], ShownResult],
        form: ResponseFormat,
        keep: Callable[[Found, bytes], None] = lambda found, body: None,
        held: ExitStack | None = None,
    ) -> Response:
        """Run ``ask`` in a thread and return its result in the requested format.

        ``written`` converts the result so that it can be written in every format. A large result is
        streamed. A small result is sent in one piece, and ``keep`` is called with the result of
        ``ask`` and the bytes that are sent. ``held`` is closed when the result has been sent.
        """
        async with self.limiter.slot():
            return await run_in_threadpool(
                self._reply, ask, written, form, keep, held or ExitStack()
            )

    def _reply(
        self,
        ask: Callable[[Keeper], Found],
        written: Callable[[Found], ShownResult],
        form: ResponseFormat,
        keep: Callable[[Found, bytes], None],
        held: ExitStack,
    ) -> Response:
        with held:
            found = ask(self.keeper)
            if row_count(found) <= SMALL_ROWS:
                with self.metrics.time_writing():
                    body = _body(found, written, form)
                keep(found, body)
                return Response(body, media_type=form.media_type)
            stack = AsyncExitStack()
            stack.callback(held.pop_all().close)
        if form.form is None:
            pieces = _reporting(arrow_stream.pieces(found), form)
            return _StreamedResponse(pieces, stack, {}, form.media_type)
        pipe = Pipe(lambda handle: form.output(handle).write(written(found)))
        stack.callback(pipe.close)
        return _StreamedResponse(_reporting(pipe, form), stack, {}, form.media_type)

    async def many(
        self, questions: Sequence[Question], form: ResponseFormat, request: Request
    ) -> Response:
        """Answer questions that differ only in their items; send each answer once it is found.

        All answers are from one generation and share one slot of the limiter. The response's
        headers contain the number of missing items and the name of the first of them. Raises
        UsageError if a filter names an unknown table. If the first answer fails, raise its error,
        because the status of the response can report an error only before anything is sent.
        """
        if form.form is None or isinstance(form.form, Picture):
            raise UsageError(
                "Answers about many items cannot be sent as Arrow or as a picture",
                "Each answer would need a response of its own",
                "Ask about one item at a time, or accept application/json",
            )
        stack = AsyncExitStack()
        try:
            await stack.enter_async_context(self.limiter.long_slot())
            opening = self.keeper.asker(questions[0].as_of)  # the asker may have to be opened first
            asker = await run_in_threadpool(stack.enter_context, opening)
            absent = await run_in_threadpool(_absent_items, asker, questions)
            async with watch_disconnect(request) as disconnected:
                stack.callback(disconnected.set)
                replies = self._replies(asker, questions, disconnected)
                pipe = Pipe(lambda handle: form.output(handle).write(AnswersResult(replies)))
                stack.callback(pipe.close)
                await run_in_threadpool(pipe.begin)
        except BaseException:
            await stack.aclose()
            raise
        headers = {"Provhouse-Absent": str(len(absent))}
        if absent:
            headers["Provhouse-First-Absent"] = quote(absent[0])
        return _StreamedResponse(_reporting(pipe, form), stack, headers, form.many_media_type)

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
    """Yield an event that is set if the client disconnects during the block.

    The caller must have read the body of the request.
    """
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
    """A response that streams its body in pieces; closes ``stack`` at the end or on an error."""

    def __init__(
        self,
        pieces: Iterable[bytes],
        stack: AsyncExitStack,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        super().__init__(iter(pieces), headers=headers, media_type=media_type)
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(PATIENCE):
                await send(message)

        async with self._stack:
            with suppress(TimeoutError):  # the client does not read: close the connection
                await super().__call__(scope, receive, send_in_time)


def _reporting(pieces: Iterable[bytes], form: ResponseFormat) -> Iterator[bytes]:
    """Yield pieces and, if an error ends them, a report of this error for the client."""
    try:
        yield from pieces
    except ProvhouseError as error:
        if report := form.report(error):
            yield report
        raise


def _body(found: Found, written: Callable[[Found], ShownResult], form: ResponseFormat) -> bytes:
    """Return a small result in the requested format."""
    if form.form is None:
        return b"".join(arrow_stream.pieces(found))
    handle = io.StringIO()
    form.output(handle).write(written(found))
    return handle.getvalue().encode()


def _absent_items(asker: Asker, questions: Sequence[Question]) -> list[str]:
    """Return the items of ``questions`` that are not stored.

    Raises UsageError if a filter names a table that is not stored.
    """
    check_tables(questions[0].filter_tables, asker.snapshot)
    names = [question.item for question in questions]
    numbers = asker.snapshot.locate(pa.array(names, pa.string()))
    return [names[place] for place in np.flatnonzero(numbers < 0).tolist()]
