"""Answer questions through the warehouse's server if it is running, otherwise in this process."""

import os
import shutil
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import NotFound, Unavailable, UsageError
from provhouse.model.question import Question
from provhouse.model.settings import Settings
from provhouse.output.escape import OnTerminal
from provhouse.output.file import destination
from provhouse.output.form import AnyForm, Form, Order, choose_form
from provhouse.output.questions.asking import Asking, Found
from provhouse.output.questions.items import AskingLineage
from provhouse.output.writer import opened
from provhouse.pictures.formats import Picture
from provhouse.serve.client import Client, Reply
from provhouse.serve.remote import checked_token, remote_server

if TYPE_CHECKING:
    from provhouse.model.answer import Answer
    from provhouse.model.progress import Progress
    from provhouse.output.results.answers import Absent

ACCEPT = {
    Form.json: "application/json",
    Form.lines: "application/jsonl",
    Form.csv: "text/csv",
    Form.table: "text/plain",
    Picture.svg: "image/svg+xml",
    Picture.dot: "text/vnd.graphviz",
    Picture.mermaid: "text/vnd.mermaid",
    Picture.html: "text/html",
}


@dataclass(frozen=True)
class OutputOptions:
    """The format and the destination of a result."""

    form: AnyForm | None
    out: Path | None = None
    timing: bool = False
    safe: bool = False
    order: Order = Order.auto
    records: bool = False
    """Whether to write the records of the items instead of the items."""

    @property
    def as_found(self) -> bool:
        """Whether the rows of a large answer may be written in the order they are found."""
        form = choose_form(self.form, self.out, terminal=False, pictured=True)
        return form is Form.lines and self.order is Order.auto

    @property
    def picture(self) -> bool:
        """Whether to write a picture."""
        form = choose_form(self.form, self.out, terminal=False, pictured=True)
        return isinstance(form, Picture)


@dataclass
class AbsentItems:
    """The number of items in a question that are missing, and the name of the first one."""

    count: int = 0
    first: str = ""

    def __bool__(self) -> bool:
        return self.count > 0


def answer(settings: Settings, asked: Asking[Found], options: OutputOptions) -> None:
    """Answer a question, and write its result."""
    pictured = options.picture and asked.pictured
    choose_form(options.form, options.out, terminal=False, pictured=pictured)
    if client := _client(settings, options, quick=asked.quick):
        _relay(client, asked.path, asked.body(), options)
        return

    from provhouse.warehouse import Warehouse

    from .progress_display import progress_display

    with opened(
        options.form, options.out, options.timing, options.safe, pictured=pictured
    ) as output:
        with progress_display() as progress, Warehouse(settings, progress) as warehouse:
            found = warehouse.ask(asked)
            progress.clear()
        output.write(asked.written(found))


def found(settings: Settings, asked: Asking[Found], progress: "Progress") -> Found:
    """Return the result of a question. The remote server answers it if the settings name one."""
    from provhouse.connection import fetch
    from provhouse.warehouse import Warehouse

    if settings.server:
        return fetch(_remote(settings, parquet=False), asked)
    with Warehouse(settings, progress) as warehouse:
        return warehouse.ask(asked)


def answer_as_found(settings: Settings, question: Question, options: OutputOptions) -> None:
    """Answer a question about lineage or impact; write a large answer while reading its names."""
    asked = AskingLineage(question)
    if client := _client(settings, options):
        _relay(client, asked.path, asked.body(), options)
        return

    from provhouse.output.results.large_answer import answer_result
    from provhouse.warehouse import Warehouse

    from .progress_display import progress_display

    with (
        opened(options.form, options.out, options.timing, options.safe) as output,
        progress_display() as progress,
        Warehouse(settings, progress) as warehouse,
        warehouse.asker(question.as_of) as asker,
    ):
        found = asker.answer_as_found(question)
        progress.clear()
        output.write(answer_result(found))


def answer_records(settings: Settings, question: Question, options: OutputOptions) -> None:
    """Write the records of an answer's items.

    A remote server reads its own files, and shows them to administrators.
    """
    from provhouse.output.results.record_tables import RecordsResult
    from provhouse.query.source_records import MOST, records
    from provhouse.store.warehouse.layout import Layout
    from provhouse.warehouse import Warehouse

    from .progress_display import progress_display

    asked = AskingLineage(question)
    if settings.server and (client := _client(settings, options)):
        body = {**asked.body(), "direction": question.direction, "most": MOST}
        _relay(client, "/v1/page/records", body, options)
        return
    with opened(options.form, options.out, options.timing, options.safe) as output:
        with progress_display() as progress, Warehouse(settings, progress) as warehouse:
            found = warehouse.ask(asked)
            progress.clear()
        output.write(RecordsResult(records(Layout(settings.warehouse), found)))


def answer_many(
    settings: Settings, questions: Sequence[Question], options: OutputOptions
) -> AbsentItems:
    """Write the answers to questions that differ only in their items.

    Returns the number of missing items, and the first of them.
    """
    choose_form(options.form, options.out, terminal=False)
    first = AskingLineage(questions[0])
    body = {name: value for name, value in first.body().items() if name != "item"}
    asked = {**body, "items": [question.item for question in questions]}
    client = _client(settings, options)
    if client and (settings.server or client.accepts(asked)):
        reply = _relay(client, first.path, asked, options)
        return AbsentItems(reply.absent, reply.first_absent)

    from provhouse.output.results.answers import AnswersResult
    from provhouse.warehouse import Warehouse

    from .progress_display import progress_display

    absent = AbsentItems()
    with (
        opened(options.form, options.out, options.timing, options.safe) as output,
        progress_display() as progress,
        Warehouse(settings, progress) as warehouse,
        warehouse.asker(questions[0].as_of) as asker,
    ):
        ask = partial(asker.answer, suggest=False)
        output.write(AnswersResult(_replies(ask, questions, absent, progress.clear)))
    return absent


def _client(settings: Settings, options: OutputOptions, *, quick: bool = False) -> Client | None:
    """Return a client of the server, or None if this process has to write the result.

    If a person typed the question, start a server for the questions that may follow, unless a
    server is running or this process can answer quickly. Starting the server does not delay the
    first answer. Parquet is written by this process, because the server cannot write it. Raises
    UsageError if the name of the output file does not indicate a format.
    """
    form = choose_form(options.form, options.out, terminal=False, pictured=True)
    parquet = form is Form.parquet
    if settings.server:
        return _remote(settings, parquet)
    if parquet:
        return None
    client = Client.of(settings.warehouse)
    if client or quick or not _is_typed() or not settings.idle_minutes:
        return client

    from provhouse.serve.server_process import up_for_a_while
    from provhouse.store.warehouse.commits import generations
    from provhouse.store.warehouse.layout import Layout

    from .progress_display import progress_display

    if not generations(Layout(settings.warehouse)):
        return None
    with progress_display() as progress:
        up_for_a_while(settings, progress)
    return Client.of(settings.warehouse)


def running_client(settings: Settings) -> Client:
    """Return a client of the remote server, or of the warehouse's server.

    Raises Unavailable if no server is running, and UsageError for an invalid URL or token.
    """
    client = _remote(settings, False) if settings.server else Client.of(settings.warehouse)
    if client is None:
        raise Unavailable(
            "No server is running for this warehouse",
            f"The warehouse is {settings.warehouse}",
            "Run `provhouse up`, and ask again",
        )
    return client


def _remote(settings: Settings, parquet: bool) -> Client:
    """Return a client of the server in the setting ``server``.

    Raises UsageError for Parquet, for an invalid URL or token, and if there is no token.
    """
    if parquet:
        raise UsageError(
            "A server cannot write Parquet",
            f"The setting server is {settings.server}",
            "Use another format, or `provhouse.connect` and `to_arrow` in Python",
        )
    server = remote_server(settings.server, settings.ca_file)
    if settings.token_file is None:
        raise UsageError(
            f"There is no token for {settings.server}",
            "The setting token_file is empty",
            "Write the token into a file that only you can read, and name it with --set "
            "token_file=FILE or PROVHOUSE_TOKEN_FILE",
        )
    token = settings.token_file.read_text(encoding="ascii", errors="replace")
    return Client(Path(), server, checked_token(token))


def _is_typed() -> bool:
    """Return whether a person waits for the answer, rather than a script or a build."""
    return bool(sys.stdout and sys.stdout.isatty() and not os.environ.get("CI"))


def _relay(client: Client, path: str, body: Mapping[str, object], options: OutputOptions) -> Reply:
    """Ask the server for the result in the requested form, and copy it to its destination."""
    with destination(options.out) as handle:
        terminal = options.out is None and handle.isatty()
        form = choose_form(options.form, options.out, terminal, pictured=True)
        parameters: dict[str, object] = {}
        if form is Form.table:
            parameters["width"] = min(max(shutil.get_terminal_size().columns, 20), 1000)
            parameters["color"] = terminal and not os.environ.get("NO_COLOR")
            parameters["timing"] = options.timing
        if form is Form.csv and options.safe:
            parameters["csv_safe"] = True
        if form is Form.lines and options.order is not Order.auto:
            parameters["order"] = options.order
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
