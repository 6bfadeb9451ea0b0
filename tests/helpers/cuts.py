"""Interruptions of a command: it, Neo4j or Spark is killed, at a fault point or at any time."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from helpers.cold import Cold, Started
from helpers.warm import Child, Warm

Act = Callable[["Child | Started"], None]
"""A function that kills a command stopped at a fault point, or a process that the command needs."""
Cut = Callable[[list[object]], tuple["Child | Started", bool]]
"""A function that starts a command and interrupts it.

It returns the started command, and whether the command reached the planned point.
"""
Start = Callable[..., "Child | Started"]
"""``Fire.start``, which starts a command."""


def kill_neo4j(home: Path) -> None:
    """Kill the Neo4j server of a home, as the operating system does when memory is short."""
    for process in neo4j_of(home):
        with suppress(psutil.Error):
            process.kill()
            process.wait(10)


def neo4j_of(home: Path) -> list[psutil.Process]:
    """Return the Neo4j server processes of a home."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if f"--home-dir={home.resolve()}" in (process.info["cmdline"] or ())
    ]


def victims(home: Path) -> "dict[str, Act]":
    """Return functions, keyed by victim name, that kill Neo4j, Spark or a stopped command.

    The command then resumes, unless the command is the victim.
    """

    def neo4j(child: Child | Started) -> None:
        kill_neo4j(home)
        child.resume()

    def spark(child: Child | Started) -> None:
        assert isinstance(child, Started)
        child.kill_spark()

    def command(child: Child | Started) -> None:
        child.kill()

    return {"command": command, "Neo4j": neo4j, "Spark": spark}


def at_point(start: Start, fault: str, act: Act, by: Warm | Cold | None = None) -> Cut:
    """Return a function that starts a command and calls ``act`` as soon as ``fault`` stops it."""

    def cut(command: list[object]) -> tuple[Child | Started, bool]:
        child = start(*command, fault=fault, by=by).awaits()
        reached = child.stopped
        if reached:
            act(child)
        return child, reached

    return cut


def at_moment(start: Start, home: Path, wait: float, victim: str) -> Cut:
    """Return a function that starts a command and kills ``victim`` after ``wait`` seconds.

    The command may be in any state at that time.
    """

    def cut(command: list[object]) -> tuple[Child | Started, bool]:
        child = start(*command)
        time.sleep(wait)
        if victim == "Neo4j":
            kill_neo4j(home)
        else:
            with suppress(ProcessLookupError):  # the command has already ended
                os.kill(child.pid, signal.SIGKILL)
        return child, True

    return cut
