"""Ending a process that this program has started, in whatever command."""

import psutil


def end(pid: int, patience: float) -> None:
    """Ask it to end and wait until it is gone; killed if it does not listen for so many seconds."""
    try:
        process = psutil.Process(pid)
        process.terminate()
        process.wait(patience)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait()
    except psutil.NoSuchProcess:
        pass
