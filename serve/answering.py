"""From a question to the bytes of its answer, one at a time or many."""

import asyncio
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
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
from provhouse.output.form import Form
from provhouse.output.results.answer import AnswerResult
from provhouse.output.results.answers import Absent, AnswersResult
from provhouse.output.writer import Writer
from provhouse.query.ask import Asker
from provhouse.query.locate import check_tables

from .answer_cache import Given
from .concurrency import Gate
from .content_types import LINES, MEDIA_TYPES, SMALL, Look, rows
from .disconnect import noticed
from .keeper import Warm
from .metrics import Metrics
from .streaming import PATIENCE, Pipe

Result = TypeVar("Result")


@dataclass(frozen=True)
class Answering:
    """Answers within ``seconds`` each, in turn."""

    warm: Warm
    gate: Gate
    metrics: Metrics
    seconds: float
    given: Given

    async def one(self, question: Question, look: Look, request: Request) -> Response:
        """The answer to one question, which takes no turn if it was given lately.

        Work on it ends when the client hangs up.
        """
        state = self.warm.state
        if again := self.given.again(state, (question, look)):
            self.metrics.again.inc()
            return again

        def keep(answer: Answer, body: bytes) -> None:
            if state and question.as_of is None and not look.timing:
                self.given.keep((answer.generation, state[1]), (question, look), body)

        async with noticed(request) as gone:
            return await self.reply(
                lambda warm: self._one(warm, question, gone),
                lambda output, found: output.write(AnswerResult(found)),
                look,
                keep,
            )

    def _one(self, warm: Warm, question: Question, gone: Event) -> Answer:
        with warm.asker(question.as_of) as asker:
            return self._answer(asker, question, gone)

    async def reply(
        self,
        ask: Callable[[Warm], Result],
        write: Callable[[Writer, Result], None],
        look: Look,
        keep: Callable[[Result, bytes], None] = lambda result, body: None,
    ) -> Response:
        """What was asked for, in its form; a large result is sent in pieces, and not kept."""
        async with self.gate.turn():
            return await run_in_threadpool(self._reply, ask, write, look, keep)

    def _reply(
        self,
        ask: Callable[[Warm], Result],
        write: Callable[[Writer, Result], None],
        look: Look,
        keep: Callable[[Result, bytes], None],
    ) -> Response:
        result = ask(self.warm)
        media_type = MEDIA_TYPES[look.form]
        if rows(result) <= SMALL:
            with self.metrics.writing():
                handle = io.StringIO()
                write(look.output(handle), result)
                body = handle.getvalue().encode()
            keep(result, body)
            return Response(body, media_type=media_type)
        pipe = Pipe(lambda handle: write(look.output(handle), result))
        stack = AsyncExitStack()
        stack.callback(pipe.close)
        return _Sent(pipe, stack, {}, media_type)

    async def many(self, questions: Sequence[Question], look: Look) -> Response:
        """The answers in order, each sent as it is found; headers tell which items are not held.

        All are of one generation and take one turn; they differ in their items only. Raises
        UsageError for a filter on a table that is none: once answers are sent nothing can be told.
        """
        stack = AsyncExitStack()
        try:
            await stack.enter_async_context(self.gate.long_turn())
            held = self.warm.asker(questions[0].as_of)
            asker = await run_in_threadpool(stack.enter_context, held)  # it may have to be opened
            absent = await run_in_threadpool(_absent, asker, questions)
        except BaseException:
            await stack.aclose()
            raise
        gone = Event()
        replies = self._replies(asker, questions, gone)
        pipe = Pipe(lambda handle: look.output(handle).write(AnswersResult(replies)))
        headers = {"Provhouse-Absent": str(len(absent))}
        if absent:
            headers["Provhouse-First-Absent"] = quote(absent[0])
        stack.callback(pipe.close)
        stack.callback(gone.set)
        media_type = LINES if look.form is Form.json else MEDIA_TYPES[look.form]
        return _Sent(pipe, stack, headers, media_type)

    def _replies(
        self, asker: Asker, questions: Sequence[Question], gone: Event
    ) -> Iterator[Answer | Absent]:
        for question in questions:
            try:
                yield self._answer(asker, question, gone, suggest=False)
            except NotFound:
                yield Absent(question.item)

    def _answer(
        self, asker: Asker, question: Question, gone: Event, *, suggest: bool = True
    ) -> Answer:
        answer = asker.answer(question, Stopwatch(self.seconds, gone), suggest=suggest)
        self.metrics.answered(answer)
        return answer


class _Sent(StreamingResponse):
    """What comes out of a pipe; however it ends, ``stack`` is closed."""

    def __init__(
        self, pipe: Pipe, stack: AsyncExitStack, headers: Mapping[str, str], media_type: str
    ) -> None:
        super().__init__(iter(pipe), headers=headers, media_type=media_type)
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def promptly(message: Message) -> None:
            async with asyncio.timeout(PATIENCE):
                await send(message)

        async with self._stack:
            with suppress(TimeoutError):  # nobody reads: the connection is closed
                await super().__call__(scope, receive, promptly)


def _absent(asker: Asker, questions: Sequence[Question]) -> list[str]:
    """The items that are not held; raises UsageError for a filter on a table that is none."""
    check_tables(questions[0].filter_tables, asker.snapshot)
    names = [question.item for question in questions]
    numbers = asker.snapshot.names.locate(pa.array(names, pa.string()))
    return [names[place] for place in np.flatnonzero(numbers < 0).tolist()]
