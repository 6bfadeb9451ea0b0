"""Ending a process that this program has started, in whatever command."""

from math import inf
from time import monotonic

import psutil

LOOK_SECONDS = 0.1


def end(pid: int, patience: float) -> None:
    """Ask it to end and wait until it is gone; killed if it does not listen for so many seconds.

    One that has ended, but whose parent lives on and does not look, is gone.
    """
    try:
        process = psutil.Process(pid)
        process.terminate()
        if not _gone(process, patience):
            process.kill()
            _gone(process, inf)
    except psutil.NoSuchProcess:
        pass


def _gone(process: psutil.Process, patience: float) -> bool:
    until = monotonic() + patience
    while monotonic() < until:
        try:
            process.wait(LOOK_SECONDS)  # lets a child of ours go
            return True
        except psutil.TimeoutExpired:
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
    return False
