"""Questions to the server of the warehouse where one is up, else answered in this process."""

import os
import shutil
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import NotFound
from provhouse.model.settings import Settings
from provhouse.output.file import destination
from provhouse.output.form import Form, chosen
from provhouse.output.output import Absent, opened
from provhouse.query.question import Question
from provhouse.serve.client import Client

if TYPE_CHECKING:
    from provhouse.query.answer import Answer

PATHS = {"upstream": "/v1/lineage", "downstream": "/v1/impact"}
ACCEPT = {Form.json: "application/json", Form.csv: "text/csv", Form.table: "text/plain"}


@dataclass
class Missing:
    """The items of many that are not held."""

    count: int = 0
    first: str = ""

    def __bool__(self) -> bool:
        return self.count > 0


def asked(
    settings: Settings,
    questions: Sequence[Question],
    many: bool,
    form: Form | None,
    out: Path | None,
    timing: bool,
) -> Missing:
    """Write the answer, or with ``many`` the answers, and say what is not held."""
    client = Client.of(settings.warehouse)
    if client:
        return _through(client, questions, many, form, out, timing)
    return _here(settings, questions, many, form, out, timing)


def _through(
    client: Client,
    questions: Sequence[Question],
    many: bool,
    form: Form | None,
    out: Path | None,
    timing: bool,
) -> Missing:
    """The server writes the form that is asked for, and what it sends is passed on."""
    first = asdict(questions[0])
    path = PATHS[first.pop("direction")]
    if many:
        del first["item"]
        first["items"] = [question.item for question in questions]
    with destination(out) as handle:
        terminal = out is None and handle.isatty()
        look: dict[str, object] = {}
        if (wanted := chosen(form, out, terminal)) is Form.table:
            look["width"] = min(max(shutil.get_terminal_size().columns, 20), 1000)
            look["color"] = terminal and not os.environ.get("NO_COLOR")
            look["timing"] = timing
        with client.ask(path, first, ACCEPT[wanted], look) as reply:
            decoder = getincrementaldecoder("utf-8")()
            for piece in reply.pieces:
                handle.write(decoder.decode(piece))
            return Missing(reply.absent, reply.first_absent)


def _here(
    settings: Settings,
    questions: Sequence[Question],
    many: bool,
    form: Form | None,
    out: Path | None,
    timing: bool,
) -> Missing:
    from provhouse.query.ask import Asker

    from .listening import listening

    missing = Missing()
    with (
        opened(form, out, timing) as output,
        listening() as progress,
        Asker(settings, progress, questions[0].as_of) as asker,
    ):
        if many:
            ask = partial(asker.answer, suggest=False)
            output.answers(_replies(ask, questions, missing, progress.rest))
        else:
            answer = asker.answer(questions[0])
            progress.rest()
            output.answer(answer)
    return missing


def _replies(
    ask: "Callable[[Question], Answer]",
    questions: Sequence[Question],
    missing: Missing,
    rest: Callable[[], None],
) -> "Iterator[Answer | Absent]":
    """The replies in order, each asked for when wanted; ``missing`` takes what is not held."""
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
