"""Start and stop the server of a warehouse, and wait for it."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from time import monotonic, sleep

from provhouse.model.errors import Unavailable
from provhouse.model.extras import require
from provhouse.model.progress import Progress
from provhouse.model.settings import PREFIX, Settings
from provhouse.runtime.files import NO_SPACE
from provhouse.runtime.java import java
from provhouse.runtime.processes import end, log_lines, quoted, spawn

from .client import Client
from .listening import check_listening
from .server_file import ServerInfo, claimed, is_kept, keep, log_file, running

READY_SECONDS = 300
STOP_SECONDS = 30


def up(settings: Settings, progress: Progress, wait: bool) -> ServerInfo:
    """Start the server unless it is running, and keep it running until ``down``.

    Return the server's address once the server accepts connections. With ``wait``, also wait until
    the server can answer, unless the warehouse is empty. Raises Unavailable if the server ends or
    is not ready in time.
    """
    server, _ = _running(settings, progress)
    keep(settings.warehouse, server.pid)
    if wait:
        _await_ready(settings.warehouse, server, progress)
    return server


def page_link(warehouse: Path, server: ServerInfo) -> str:
    """Return a link that opens the server's page once, logged in as the warehouse's owner."""
    with Client(warehouse, server).ask("/v1/page/link", {}, "application/json", {}) as reply:
        found = json.loads(b"".join(reply.pieces))
    return f"{server.address}/#token={found['token']}"


def up_for_a_while(settings: Settings, progress: Progress) -> None:
    """Start the server unless it is running, and wait until it can answer.

    The server ends after ``idle_minutes`` without questions. If several commands call this at once,
    only one starts the server and reports it. Raises the errors of ``up``.
    """
    server, started = _running(settings, progress)
    if started:
        progress.say(
            f"Started a server for the next questions (process {server.pid}); it ends after"
            f" {settings.idle_minutes} minutes without questions, or with `provhouse down`"
        )
    _await_ready(settings.warehouse, server, progress)


@contextmanager
def without_server(settings: Settings, progress: Progress) -> Iterator[None]:
    """Stop the server during the block, then start it again, on its old port if that is free."""
    warehouse = settings.warehouse
    before = running(warehouse)
    kept = before is not None and is_kept(warehouse, before.pid)
    down(warehouse, progress)
    try:
        yield
    finally:
        if before:
            server = _restarted(settings, before.port, progress)
            if kept:
                keep(warehouse, server.pid)
            _await_ready(warehouse, server, progress)


def check_startable(settings: Settings) -> None:
    """Raise the errors of ``check_listening``, unless the warehouse has a server already."""
    try:
        if not claimed(settings.warehouse):
            check_listening(settings)
    except Unavailable:
        if not claimed(settings.warehouse):  # its server has not just taken the port
            raise


def _restarted(settings: Settings, port: int, progress: Progress) -> ServerInfo:
    try:
        return _running(replace(settings, server_port=port), progress)[0]
    except Unavailable:  # another program has taken the port
        return _running(settings, progress)[0]


def _running(settings: Settings, progress: Progress) -> tuple[ServerInfo, bool]:
    """Return the server, and whether it had to be started."""
    if server := running(settings.warehouse):
        return server, False
    check_startable(settings)
    require("spark")
    java()  # reports a missing Java here, not only in the log
    progress.say("Starting the server")
    pid = _start(settings)
    try:
        server = _await_listening(settings.warehouse, pid)
    except KeyboardInterrupt:
        end(pid, STOP_SECONDS)
        raise
    return server, server.pid == pid


def await_generation(settings: Settings, generation: int | None, progress: Progress) -> None:
    """Wait until the server, if one is running, answers from this or a later generation.

    Until then the server answers from the previous generation. If this takes too long, report a
    warning and return.
    """
    client = Client.of(settings.warehouse)
    if client is None or generation is None:
        return
    progress.begin("Update the server")
    deadline = monotonic() + READY_SECONDS
    with suppress(Unavailable):  # the server has ended, which does not concern the caller
        while monotonic() < deadline:
            if (client.health()["generation"] or 0) >= generation:
                return
            sleep(0.05)
    progress.say(f"The server does not yet answer from generation {generation}")


def down(warehouse: Path, progress: Progress) -> bool:
    """Stop the server after the answers in progress are sent; return whether it was running."""
    server = running(warehouse)
    if server is None:
        return False
    progress.begin("Stop the server")
    end(server.pid, STOP_SECONDS)
    return True


def _start(settings: Settings) -> int:
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    named = {PREFIX + name.upper(): str(v) for name, v in values.items() if v is not None}
    log = log_file(settings.warehouse)
    log.parent.mkdir(parents=True, exist_ok=True)
    command = (sys.executable, "-m", "provhouse.serve")
    return spawn(command, {**os.environ, **named}, log, append=True)


def _await_listening(warehouse: Path, pid: int) -> ServerInfo:
    deadline = monotonic() + READY_SECONDS
    ended = False
    while monotonic() < deadline:
        if server := running(warehouse):
            return server
        # The process also ends if another command has started a server at the same time.
        ended = ended or os.waitpid(pid, os.WNOHANG)[0] != 0
        if ended and not claimed(warehouse):
            break
        sleep(0.02)
    raise Unavailable(
        "The server did not start",
        f"{log_file(warehouse)} ends with:\n{_tail(warehouse)}",
        "Fix the cause, then run the command again",
    )


def _await_ready(warehouse: Path, server: ServerInfo, progress: Progress) -> None:
    progress.begin("Load the warehouse into Spark")
    client = Client(warehouse, server)
    deadline = monotonic() + READY_SECONDS
    health = client.health()
    while not (health["ready"] or health["empty"]):
        if running(warehouse) is None:
            raise Unavailable(
                "The server stopped before it was ready",
                f"{log_file(warehouse)} ends with:\n{_tail(warehouse)}",
            )
        if any(part in str(health["why"]) for part in NO_SPACE):
            raise Unavailable(
                "The server cannot load the warehouse", str(health["why"]), "Free some space"
            )
        if monotonic() > deadline:
            raise Unavailable(
                f"The server was not ready within {READY_SECONDS} seconds",
                str(health["why"]),
                f"See {log_file(warehouse)}",
            )
        sleep(0.05)
        health = client.health()


def _tail(warehouse: Path) -> str:
    return quoted(log_lines(log_file(warehouse))) or "  (the log is empty)"
