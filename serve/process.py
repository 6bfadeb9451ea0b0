"""Start and stop the server of a warehouse, and wait for it."""

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
    """Start the server unless it is running, and return its address once it accepts connections.

    With ``wait``, also wait until the server can answer, unless the warehouse is empty. Raises
    Unavailable if the server ends or is not ready in time.
    """
    server = running(settings.warehouse)
    pid = None
    if server is None:
        java()  # reports a missing Java here, not only in the log
        progress.say("Starting the server")
        pid = _start(settings)
    server = _await_listening(settings.warehouse, pid)
    if wait:
        progress.begin("Load the warehouse into Spark")
        _await_ready(settings.warehouse, server)
    return server


def await_generation(settings: Settings, generation: int | None, progress: Progress) -> None:
    """Wait until the server, if one is running, answers from this generation or a later one.

    Until then the server answers from the previous generation. If the wait takes too long, report
    that and return.
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
    """Stop the server once it has sent its answers; return whether it was running."""
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
        "The server did not start",
        f"{log_file(warehouse)} ends with:\n{_tail(warehouse)}",
        "Fix the cause, then run the command again",
    )


def _await_ready(warehouse: Path, server: ServerInfo) -> None:
    client = Client(warehouse, server)
    deadline = monotonic() + READY_SECONDS
    health = client.health()
    while not (health["ready"] or health["empty"]):
        if running(warehouse) is None:
            raise Unavailable(
                "The server stopped before it was ready",
                f"{log_file(warehouse)} ends with:\n{_tail(warehouse)}",
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
