"""Starting and stopping the server of a warehouse."""

import os
import sys
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from time import monotonic, sleep

from provhouse.model.errors import Unavailable
from provhouse.model.progress import Progress
from provhouse.model.settings import PREFIX, Settings
from provhouse.runtime.java import java
from provhouse.runtime.processes import end, log_lines, quoted, spawn

from .client import Client
from .server_file import ServerInfo, log_file, running

READY_SECONDS = 300
STOP_SECONDS = 30


def up(settings: Settings, progress: Progress, wait: bool) -> ServerInfo:
    """Start the server if there is none; returns when it can answer, or without ``wait`` at once.

    Before anything was ingested there is nothing to wait for. Raises Unavailable if it ends.
    """
    server = running(settings.warehouse)
    pid = None
    if server is None:
        java()  # says what is missing, here and not in a log
        progress.say("Starting the server")
        pid = _start(settings)
    server = _await_listening(settings.warehouse, pid)
    if wait:
        progress.begin("Let Spark read what is held")
        _await_ready(settings.warehouse, server)
    return server


def await_generation(settings: Settings, generation: int | None, progress: Progress) -> None:
    """Wait until the server, if there is one, answers from this generation or a later one.

    Until then it answers from the one before. Says so if it does not follow in time.
    """
    client = Client.of(settings.warehouse)
    if client is None or generation is None:
        return
    progress.begin("Let the server read what is new")
    deadline = monotonic() + READY_SECONDS
    with suppress(Unavailable):  # it has ended: what was written stays written
        while monotonic() < deadline:
            if (client.health()["generation"] or 0) >= generation:
                return
            sleep(0.05)
    progress.say(f"The server does not answer from generation {generation} yet")


def down(warehouse: Path, progress: Progress) -> bool:
    """Stop the server, which first answers what was asked; says whether there was one."""
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


def _await_listening(warehouse: Path, pid: int | None) -> ServerInfo:
    deadline = monotonic() + READY_SECONDS
    while monotonic() < deadline:
        server = running(warehouse)
        if server:
            return server
        if pid and os.waitpid(pid, os.WNOHANG)[0]:
            break
        sleep(0.02)
    raise Unavailable(
        "The server should start",
        f"It ended instead; the end of {log_file(warehouse)} is:\n{_tail(warehouse)}",
        "Mend what it names, then run the command again",
    )


def _await_ready(warehouse: Path, server: ServerInfo) -> None:
    client = Client(warehouse, server)
    deadline = monotonic() + READY_SECONDS
    health = client.health()
    while not (health["ready"] or health["empty"]):
        if running(warehouse) is None:
            raise Unavailable(
                "The server should stay up until it can answer",
                f"It ended; the end of {log_file(warehouse)} is:\n{_tail(warehouse)}",
            )
        if monotonic() > deadline:
            raise Unavailable(
                f"The server should be able to answer within {READY_SECONDS} seconds",
                str(health["why"]),
                f"See {log_file(warehouse)}",
            )
        sleep(0.05)
        health = client.health()


def _tail(warehouse: Path) -> str:
    return quoted(log_lines(log_file(warehouse))) or "  (there is none)"
