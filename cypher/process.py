"""The Java process of a managed server."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import psutil

from provhouse.model.errors import Unavailable
from provhouse.runtime.class_archives import options as archive
from provhouse.runtime.jars import jar_folder
from provhouse.runtime.java import java
from provhouse.runtime.processes import end, log_lines, quoted, spawn

OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
STOP_SECONDS = 60
# Java takes the encoding of file names from the locale; in C it could not open every home.
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}


def start(home: Path, memory: str) -> int:
    """Start the server in a session of its own, so that Ctrl-C in a terminal does not reach it.

    Returns the process id at once; ``logs/console.log`` tells what this start says.
    """
    command = [
        *java_command(memory),
        "org.neo4j.server.CommunityEntryPoint",
        _mark(home),
        f"--config-dir={home}/conf",
        "--console-mode",
    ]
    return spawn(command, {**os.environ, **ENVIRONMENT}, log_file(home))


def java_command(memory: str, *options: str) -> list[str]:
    """Java with Neo4j's classes and this heap, up to the name of the class to run."""
    return [
        str(java()),
        "-cp", f"{jar_folder('neo4j')}/*",
        f"-Xmx{memory}",
        *archive("neo4j"),
        *options,
        "-XX:+UseSerialGC",  # starts fastest and takes least, with heaps of this size
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
        "--enable-native-access=ALL-UNNAMED",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dlog4j2.disable.jmx=true",
        "-Dfile.encoding=UTF-8",
    ]  # fmt: skip


def log_file(home: Path) -> Path:
    """What the server printed since its last start."""
    return home / "logs" / "console.log"


def _mark(home: Path) -> str:
    return f"--home-dir={home}"


def serves(pid: int | None, home: Path) -> bool:
    """Whether the process lives and is a server of this home.

    Neither a reused process id nor the copy of a home folder is taken for one.
    """
    try:
        return pid is not None and _mark(home) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def stop_unrecorded(home: Path) -> None:
    """Stop a server of this home that nobody remembers: who started it was killed at once."""
    for process in psutil.process_iter():
        stop(process.pid, home)


def stop(pid: int | None, home: Path) -> None:
    """Ask the server to stop and wait until it is gone; it is killed if it does not listen."""
    if pid is not None and serves(pid, home):
        end(pid, STOP_SECONDS)


def stop_children(home: Path) -> None:
    """Stop the server of this home if this process started it."""
    for child in psutil.Process().children():
        stop(child.pid, home)


def await_ready(
    pid: int | None, home: Path, ready: Callable[[], bool], seconds: float = 180
) -> None:
    """Wait until the server answers; raises Unavailable with its own words if it ends instead."""
    deadline = monotonic() + seconds
    while not ready():
        if not serves(pid, home) and not _begins(pid):
            reap(pid)
            raise Unavailable(
                f"Neo4j should start in {home}",
                f"It ended instead; the end of {log_file(home)} is:\n{_tail(home)}",
                "Mend what it names, then run the command again",
            )
        if monotonic() > deadline:
            raise Unavailable(
                f"Neo4j should answer within {seconds:.0f} seconds of its start",
                f"It runs but does not; the end of {log_file(home)} is:\n{_tail(home)}",
                "See whether this machine is overloaded, then run the command again",
            )
        sleep(0.05)


def _begins(pid: int | None) -> bool:
    """Whether the process lives without a command line yet, as it does for a moment in its exec."""
    try:
        process = psutil.Process(pid) if pid is not None else None
        return bool(process and not process.cmdline() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def reap(pid: int | None) -> None:
    """Let a server go that has ended, if this process started it; one that lives is left alone."""
    with suppress(ChildProcessError):  # another command started it
        if pid is not None:
            os.waitpid(pid, os.WNOHANG)


def _tail(home: Path) -> str:
    """The causes that the server gave, else its last lines; stack traces left out."""
    lines = [line for line in log_lines(log_file(home)) if not line.startswith("\t")]
    causes = [line for line in lines if "ERROR" in line or "Exception" in line]
    return quoted(causes or lines)
