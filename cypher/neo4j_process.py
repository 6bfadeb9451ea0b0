"""Start, find and stop the Java process of a managed server."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep, time

import psutil

from provhouse.model.errors import Unavailable
from provhouse.runtime.class_archives import options as archive
from provhouse.runtime.files import NO_SPACE
from provhouse.runtime.jars import jar_folder
from provhouse.runtime.java import java
from provhouse.runtime.processes import end, log_lines, quoted, spawn

OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
STOP_SECONDS = 60
ANSWER_SECONDS = 30
"""The number of seconds within which a running server must answer a new connection."""
# Java derives the encoding of file names from the locale; with the locale C, some homes cannot be
# opened.
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}


QUICK = "-XX:TieredStopAtLevel=1"
"""The option that makes Java use only its first compiler.

Starting the server then takes half as much work, and so do the first few hundred walks. But the
server writes a quarter slower.
"""


def start(home: Path, memory: str, *, briefly: bool = False) -> int:
    """Start the server in a session of its own, which Ctrl-C in a terminal does not reach.

    Return the process id at once. The server prints to ``logs/console.log``. With ``briefly``, the
    server starts faster but writes more slowly, which suits a few hundred queries.
    """
    command = [
        *java_command(memory, *([QUICK] if briefly else [])),
        "org.neo4j.server.CommunityEntryPoint",
        _mark(home),
        f"--config-dir={home}/conf",
        "--console-mode",
    ]
    return spawn(command, {**os.environ, **ENVIRONMENT}, log_file(home))


def java_command(memory: str, *options: str) -> list[str]:
    """Return a command that runs Java with Neo4j's classes; the caller adds the class to run."""
    return [
        str(java()),
        "-cp", f"{jar_folder('neo4j')}/*",
        f"-Xmx{memory}",
        *archive("neo4j"),
        *options,
        "-XX:+UseSerialGC",  # starts fastest and takes least for such heaps
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
        "--enable-native-access=ALL-UNNAMED",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dlog4j2.disable.jmx=true",
        "-Dfile.encoding=UTF-8",
    ]  # fmt: skip


def log_file(home: Path) -> Path:
    """Return the path of the file with the output since the server's last start."""
    return home / "logs" / "console.log"


def _mark(home: Path) -> str:
    return f"--home-dir={home}"


def serves(pid: int | None, home: Path) -> bool:
    """Return whether a process is running and is the server of this home folder.

    The result is False for another process with a reused id, and for the server of a copied home
    folder.
    """
    try:
        return pid is not None and _mark(home) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def stop_unrecorded(home: Path) -> None:
    """Stop any server of this home folder, even if it was never recorded.

    A server is not recorded if the command that started it was killed too early.
    """
    for process in psutil.process_iter():
        stop(process.pid, home)


def stop(pid: int | None, home: Path) -> None:
    """Ask the server to stop, and wait until it has ended. Kill it after ``STOP_SECONDS``."""
    if pid is not None and serves(pid, home):
        end(pid, STOP_SECONDS)


def stop_children(home: Path) -> None:
    """Stop the server of this home folder if this process started it."""
    for child in psutil.Process().children():
        stop(child.pid, home)


def await_ready(
    pid: int | None, home: Path, ready: Callable[[], bool], seconds: float = 180
) -> None:
    """Wait until the server answers, for at most ``seconds`` after its start.

    A server that was started long ago must answer within ``ANSWER_SECONDS``. Raises Unavailable if
    the disk with the home folder is full, or if the server ends or does not answer in time. In the
    last two cases, the error quotes the end of the server's log.
    """
    left = max(seconds - _age(pid), min(seconds, ANSWER_SECONDS))
    deadline = monotonic() + left
    while not ready():
        if _age(pid) < seconds:  # an older server may have had a full disk before
            _check_log(home)
        if not serves(pid, home) and not begins(pid):
            reap(pid)
            raise Unavailable(
                f"Neo4j did not start in {home}",
                f"It ended; the last lines of {log_file(home)} are:\n{_tail(home)}",
                "Correct the cause, then run the command again",
            )
        if monotonic() > deadline:
            raise Unavailable(
                f"Neo4j did not answer for {left:.0f} seconds",
                f"Its process {pid} is running; the last lines of {log_file(home)} are:\n"
                f"{_tail(home)}",
                "Check whether this machine is overloaded or the process is stopped, then run the "
                "command again",
            )
        sleep(0.05)


def _check_log(home: Path) -> None:
    """Raise Unavailable if a full disk keeps the server from starting; its process may run on."""
    if any(part in line for line in log_lines(log_file(home)) for part in NO_SPACE):
        raise full_disk(home)


def full_disk(home: Path) -> Unavailable:
    """Return the error to raise if the disk with a home folder is full."""
    return Unavailable(
        f"Neo4j cannot write to {home}",
        f"No space left on device: {shutil.disk_usage(home).free / 1e6:.1f} MB are free",
        "Free some space, or choose another folder with PROVHOUSE_NEO4J_HOME",
    )


def _age(pid: int | None) -> float:
    """Return the number of seconds since a process started, or 0 if there is no such process."""
    try:
        return time() - psutil.Process(pid).create_time() if pid is not None else 0
    except psutil.Error:
        return 0


def begins(pid: int | None) -> bool:
    """Return whether a process has just been started and has no command line yet.

    The system sets the command line only at the end of ``exec``.
    """
    try:
        process = psutil.Process(pid) if pid is not None else None
        return bool(process and not process.cmdline() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def reap(pid: int | None) -> None:
    """Collect the exit status of an ended server if this process started the server."""
    with suppress(ChildProcessError):  # another command started it
        if pid is not None:
            os.waitpid(pid, os.WNOHANG)


def _tail(home: Path) -> str:
    """Return the last errors in the server's log, or else its last lines, without stack traces."""
    lines = [line for line in log_lines(log_file(home)) if not line.startswith("\t")]
    causes = [line for line in lines if "ERROR" in line or "Exception" in line]
    return quoted(causes or lines)
