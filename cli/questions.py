"""Questions to the server of the warehouse where one is up, else answered in this process."""

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
"""Gives the asker of a generation, for the length of a block."""

ACCEPT = {
    Form.json: "application/json",
    Form.lines: "application/jsonl",
    Form.csv: "text/csv",
    Form.table: "text/plain",
}


@dataclass(frozen=True)
class Request:
    """A question in both of its ways: what the server is sent, and what is done here instead."""

    path: str
    body: Mapping[str, object]
    ask: Callable[[Askers], Result]


@dataclass(frozen=True)
class Look:
    """How a result is to be written, and where."""

    form: Form | None
    out: Path | None = None
    timing: bool = False
    safe: bool = False


@dataclass
class Missing:
    """The items of many that are not held."""

    count: int = 0
    first: str = ""

    def __bool__(self) -> bool:
        return self.count > 0


def answered(settings: Settings, request: Request, look: Look) -> None:
    """Ask, and write the result."""
    if client := Client.of(settings.warehouse):
        _passed_on(client, request.path, request.body, look)
        return

    from .progress_display import listening

    with opened(look.form, look.out, look.timing, look.safe) as output:
        with listening() as progress:
            result = request.ask(_askers(settings, progress))
            progress.rest()
        output.write(result)


def about(question: Question) -> Request:
    """The request for a lineage or an impact."""

    def ask(askers: Askers) -> "AnswerResult":
        from provhouse.output.results.answer import AnswerResult

        with askers(question.as_of) as asker:
            return AnswerResult(asker.answer(question))

    body = asdict(question)
    return Request(_path(body), body, ask)


def many(settings: Settings, questions: Sequence[Question], look: Look) -> Missing:
    """Write the answers to questions that differ in their items only; says what is not held."""
    body = asdict(questions[0])
    del body["item"]
    path = _path(body)
    asked = {**body, "items": [question.item for question in questions]}
    if (client := Client.of(settings.warehouse)) and client.takes(asked):
        reply = _passed_on(client, path, asked, look)
        return Missing(reply.absent, reply.first_absent)

    from provhouse.output.results.answers import AnswersResult

    from .progress_display import listening

    missing = Missing()
    with (
        opened(look.form, look.out, look.timing, look.safe) as output,
        listening() as progress,
        _askers(settings, progress)(questions[0].as_of) as asker,
    ):
        ask = partial(asker.answer, suggest=False)
        output.write(AnswersResult(_replies(ask, questions, missing, progress.rest)))
    return missing


def _askers(settings: Settings, progress: Progress) -> Askers:
    from provhouse.query.ask import Asker

    return partial(Asker, settings, progress)


def _path(body: dict[str, object]) -> str:
    return "/v1/lineage" if body.pop("direction") == "upstream" else "/v1/impact"


def _passed_on(client: Client, path: str, body: Mapping[str, object], look: Look) -> Reply:
    """Write what the server sends, which has the form that is asked for."""
    with destination(look.out) as handle:
        terminal = look.out is None and handle.isatty()
        form = choose_form(look.form, look.out, terminal)
        seen: dict[str, object] = {}
        if form is Form.table:
            seen["width"] = min(max(shutil.get_terminal_size().columns, 20), 1000)
            seen["color"] = terminal and not os.environ.get("NO_COLOR")
            seen["timing"] = look.timing
        if form is Form.csv and look.safe:
            seen["csv_safe"] = True
        with client.ask(path, body, ACCEPT[form], seen) as reply:
            decoder = getincrementaldecoder("utf-8")()
            to = OnTerminal(handle) if terminal and form is Form.csv else handle
            for piece in reply.pieces:
                to.write(decoder.decode(piece))
            return reply


def _replies(
    ask: "Callable[[Question], Answer]",
    questions: Sequence[Question],
    missing: Missing,
    rest: Callable[[], None],
) -> "Iterator[Answer | Absent]":
    """The replies in order, each asked for when wanted; ``missing`` takes what is not held."""
    from provhouse.output.results.answers import Absent

    for question in questions:
        reply: Answer | Absent
        try:
            reply = ask(question)
        except NotFound:
            missing.count += 1
            missing.first = missing.first or question.item
            reply = Absent(question.item)
        rest()
        yield reply
