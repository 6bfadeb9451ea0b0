"""Start processes that outlive this process, read the last lines of their logs, and end them."""

import os
import signal
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from time import monotonic

import psutil

LOOK_SECONDS = 0.1
LOG_LINES = 4
"""The number of lines of a log that an error message quotes."""


def usable_cores() -> int:
    """Return the number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS cannot restrict a process to some cores


def spawn(
    command: Sequence[str], environment: Mapping[str, str], log: Path, *, append: bool = False
) -> int:
    """Start a process in its own session, so that Ctrl-C in a terminal does not reach it.

    The output goes to ``log``, which only its owner can read. Return the process id immediately.
    """
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC)
    # Not subprocess.Popen, whose object warns if it is collected while the process still runs.
    return os.posix_spawn(
        command[0],
        list(command),
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP],
    )


def log_lines(log: Path) -> list[str]:
    """Return the non-empty lines of a log; an empty list if there is no log."""
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()]


def quoted(lines: Sequence[str]) -> str:
    """Return the last few lines of a log, indented for an error message."""
    return "\n".join("  " + line.expandtabs(2) for line in lines[-LOG_LINES:])


def end(pid: int, patience: float) -> None:
    """Ask a process to end, wait for its end, and kill it after ``patience`` seconds.

    A process that has ended counts as gone even if its parent has not yet collected it.
    """
    try:
        process = psutil.Process(pid)
        process.terminate()
        process.resume()  # a stopped process handles signals only when it continues
        if not _gone(process, patience):
            process.kill()
            _gone(process, inf)
    except psutil.NoSuchProcess:
        pass


def _gone(process: psutil.Process, patience: float) -> bool:
    until = monotonic() + patience
    while monotonic() < until:
        try:
            process.wait(LOOK_SECONDS)  # collects the exit status of a child of ours
            return True
        except psutil.TimeoutExpired:
            # Other threads of a process whose main thread has ended may still have its locks.
            if process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1:
                return True
    return False
