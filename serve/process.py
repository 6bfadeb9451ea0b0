"""Starting and stopping the server of a warehouse."""

import os
import signal
import sys
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from time import monotonic, sleep

from provhouse.model.errors import Unavailable
from provhouse.model.progress import Progress
from provhouse.model.settings import PREFIX, Settings
from provhouse.runtime.java import java
from provhouse.runtime.processes import end

from .client import Client
from .server_file import State, log_file, running

READY_SECONDS = 300
STOP_SECONDS = 30


def up(settings: Settings, progress: Progress, wait: bool) -> State:
    """Start the server if there is none; returns when it can answer, or without ``wait`` at once.

    Before anything was ingested there is nothing to wait for. Raises Unavailable if it ends.
    """
    state = running(settings.warehouse)
    pid = None
    if state is None:
        java()  # says what is missing, here and not in a log
        progress.say("Starting the server")
        pid = _start(settings)
    state = _listening(settings.warehouse, pid)
    if wait:
        progress.begin("Let Spark read what is held")
        _await_ready(settings.warehouse, state)
    return state


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
    state = running(warehouse)
    if state is None:
        return False
    progress.begin("Stop the server")
    end(state.pid, STOP_SECONDS)
    return True


def _start(settings: Settings) -> int:
    """In a session of its own, so that Ctrl-C in a terminal does not reach it."""
    named = {f.name: getattr(settings, f.name) for f in fields(settings)}
    given = {PREFIX + name.upper(): str(v) for name, v in named.items() if v is not None}
    log = log_file(settings.warehouse)
    log.parent.mkdir(parents=True, exist_ok=True)
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "provhouse.serve"],
        {**os.environ, **given},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP],
    )


def _listening(warehouse: Path, pid: int | None) -> State:
    deadline = monotonic() + READY_SECONDS
    while monotonic() < deadline:
        state = running(warehouse)
        if state:
            return state
        if pid and os.waitpid(pid, os.WNOHANG)[0]:
            break
        sleep(0.02)
    raise Unavailable(
        "The server should start",
        f"It ended instead; the end of {log_file(warehouse)} is:\n{_tail(warehouse)}",
        "Mend what it names, then run the command again",
    )


def _await_ready(warehouse: Path, state: State) -> None:
    client = Client(warehouse, state)
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
    try:
        lines = log_file(warehouse).read_text(errors="replace").splitlines()
    except OSError:
        return "  (there is none)"
    return "\n".join("  " + line for line in lines[-4:])
