"""Answers questions through the warehouse's server if it is running, otherwise in this process."""

import os
import shutil
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import NotFound
from provhouse.model.progress import Progress
from provhouse.model.question import AsOf, Question
from provhouse.model.settings import Settings
from provhouse.output.escape import OnTerminal
from provhouse.output.file import destination
from provhouse.output.form import Form, choose_form
from provhouse.output.result import Result
from provhouse.output.writer import opened
from provhouse.serve.client import Client, Reply

if TYPE_CHECKING:
    from provhouse.model.answer import Answer
    from provhouse.output.results.answer import AnswerResult
    from provhouse.output.results.answers import Absent
    from provhouse.query.ask import Asker

Askers = Callable[[AsOf | None], "AbstractContextManager[Asker]"]
"""A function that opens the asker of a generation for the duration of a block."""

ACCEPT = {
    Form.json: "application/json",
    Form.lines: "application/jsonl",
    Form.csv: "text/csv",
    Form.table: "text/plain",
}


@dataclass(frozen=True)
class Request:
    """A question: what is sent to the server, and how to answer it without one."""

    path: str
    body: Mapping[str, object]
    ask: Callable[[Askers], Result]


@dataclass(frozen=True)
class OutputOptions:
    """The form and the destination of a result."""

    form: Form | None
    out: Path | None = None
    timing: bool = False
    safe: bool = False


@dataclass
class AbsentItems:
    """The number of asked items that are missing, and the first of them."""

    count: int = 0
    first: str = ""

    def __bool__(self) -> bool:
        return self.count > 0


def answer(settings: Settings, request: Request, options: OutputOptions) -> None:
    """Answer a question and write the result."""
    if client := Client.of(settings.warehouse):
        _relay(client, request.path, request.body, options)
        return

    from .progress_display import progress_display

    with opened(options.form, options.out, options.timing, options.safe) as output:
        with progress_display() as progress:
            result = request.ask(_askers(settings, progress))
            progress.clear()
        output.write(result)


def lineage_request(question: Question) -> Request:
    """Return the request for a lineage or an impact."""

    def ask(askers: Askers) -> "AnswerResult":
        from provhouse.output.results.answer import AnswerResult

        with askers(question.as_of) as asker:
            return AnswerResult(asker.answer(question))

    body = asdict(question)
    return Request(_path(body), body, ask)


def answer_many(
    settings: Settings, questions: Sequence[Question], options: OutputOptions
) -> AbsentItems:
    """Write the answers to questions that differ only in their items.

    Return how many items are missing, and the first of them.
    """
    body = asdict(questions[0])
    del body["item"]
    path = _path(body)
    asked = {**body, "items": [question.item for question in questions]}
    if (client := Client.of(settings.warehouse)) and client.accepts(asked):
        reply = _relay(client, path, asked, options)
        return AbsentItems(reply.absent, reply.first_absent)

    from provhouse.output.results.answers import AnswersResult

    from .progress_display import progress_display

    absent = AbsentItems()
    with (
        opened(options.form, options.out, options.timing, options.safe) as output,
        progress_display() as progress,
        _askers(settings, progress)(questions[0].as_of) as asker,
    ):
        ask = partial(asker.answer, suggest=False)
        output.write(AnswersResult(_replies(ask, questions, absent, progress.clear)))
    return absent


def _askers(settings: Settings, progress: Progress) -> Askers:
    from provhouse.query.ask import Asker

    return partial(Asker, settings, progress)


def _path(body: dict[str, object]) -> str:
    return "/v1/lineage" if body.pop("direction") == "upstream" else "/v1/impact"


def _relay(client: Client, path: str, body: Mapping[str, object], options: OutputOptions) -> Reply:
    """Ask the server for the result in the requested form, and copy it to its destination."""
    with destination(options.out) as handle:
        terminal = options.out is None and handle.isatty()
        form = choose_form(options.form, options.out, terminal)
        parameters: dict[str, object] = {}
        if form is Form.table:
            parameters["width"] = min(max(shutil.get_terminal_size().columns, 20), 1000)
            parameters["color"] = terminal and not os.environ.get("NO_COLOR")
            parameters["timing"] = options.timing
        if form is Form.csv and options.safe:
            parameters["csv_safe"] = True
        with client.ask(path, body, ACCEPT[form], parameters) as reply:
            decoder = getincrementaldecoder("utf-8")()
            to = OnTerminal(handle) if terminal and form is Form.csv else handle
            for piece in reply.pieces:
                to.write(decoder.decode(piece))
            return reply


def _replies(
    ask: "Callable[[Question], Answer]",
    questions: Sequence[Question],
    absent: AbsentItems,
    clear: Callable[[], None],
) -> "Iterator[Answer | Absent]":
    """Yield the replies in order, each computed on demand; count missing items in ``absent``."""
    from provhouse.output.results.answers import Absent

    for question in questions:
        reply: Answer | Absent
        try:
            reply = ask(question)
        except NotFound:
            absent.count += 1
            absent.first = absent.first or question.item
            reply = Absent(question.item)
        clear()
        yield reply
